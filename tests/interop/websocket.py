"""PyPI's websockets and the example websocket call each other; and frames byte by byte."""

import base64
import json
import os
import socket
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import jsonrpcclient
from harness import EXAMPLES, SECONDS, check, equal, finish
from websockets.exceptions import ConnectionClosed
from websockets.frames import Close, Frame, Opcode
from websockets.sync.client import connect
from websockets.sync.server import serve

TEXT = 'smile \U0001f600, \u00e9, \u4e2d, \u0000, "quoted", \\, \u2028'
# as examples/methods/mod.rs has it
MESSAGE = 16 * 1024


class Server:
    """The example as a server."""

    def __init__(self):
        command = [EXAMPLES / "websocket", "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def connect(self, **options):
        return connect(f"ws://127.0.0.1:{self.port}/", open_timeout=SECONDS, close_timeout=SECONDS, max_size=None, **options)

    def raw(self, head=None):
        """A socket after the handshake, or after another head."""
        sock = socket.create_connection(("127.0.0.1", self.port), SECONDS)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = ["GET / HTTP/1.1", "Host: x", "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}"]
        sock.sendall(head or "\r\n".join([*lines, "Sec-WebSocket-Version: 13", "", ""]).encode())
        if not head:
            reply = sock.recv(4096)
            equal(reply[:12], b"HTTP/1.1 101")
            equal(reply[-4:], b"\r\n\r\n")
        return sock


def request(method, params=None, id=1):
    return json.dumps(jsonrpcclient.request(method, params, id))


def ask(ws, text):
    ws.send(text)
    answer = ws.recv(SECONDS)
    equal(type(answer), str)
    return jsonrpcclient.parse_json(answer)


def masked(opcode, payload, fin=True):
    return Frame(opcode, payload, fin).serialize(mask=True)


def all_of(sock):
    """The received bytes up to the end of the stream."""
    received = b""
    while chunk := sock.recv(4096):
        received += chunk
    return received


def wait_for(condition):
    late = time.monotonic() + SECONDS
    while not condition() and time.monotonic() < late:
        time.sleep(0.01)


def calls(server):
    def by_position_and_name():
        with server.connect() as ws:
            equal(ask(ws, request("subtract", [42, 23], 7)), jsonrpcclient.Ok(19, 7))
            equal(ask(ws, request("subtract", {"subtrahend": 2**62, "minuend": -1}, "a")), jsonrpcclient.Ok(-1 - 2**62, "a"))
            equal(ask(ws, request("foobar", id=2)).code, -32601)
            equal(ask(ws, "{").code, -32700)

    def batch_and_notifications():
        with server.connect() as ws:
            ws.send(json.dumps(jsonrpcclient.notification("update")))
            equal(ask(ws, request("updates")), jsonrpcclient.Ok(1, 1))
            got = list(ask(ws, json.dumps([jsonrpcclient.request("sum", [1, 2, 4], 1), {"foo": 1}])))
            equal([getattr(answer, "code", 0) for answer in got], [0, -32600])

    def text():
        with server.connect() as ws:
            for is_escaped in [True, False]:
                call = json.dumps(jsonrpcclient.request("echo", [TEXT], 1), ensure_ascii=is_escaped)
                equal(ask(ws, call), jsonrpcclient.Ok([TEXT], 1))

    def binary():
        with server.connect() as ws:
            equal(ask(ws, request("sum", [1, 2]).encode()), jsonrpcclient.Ok(3, 1))

    def fragments():
        with server.connect() as ws:
            call = json.dumps(jsonrpcclient.request("echo", [TEXT], 1), ensure_ascii=False)
            equal(ask(ws, list(call)), jsonrpcclient.Ok([TEXT], 1))

    def pings():
        with server.connect() as ws:
            for payload in [b"", b"x", bytes(range(125))]:
                equal(ws.ping(payload).wait(SECONDS), True)
            ws.pong(b"unasked")
            equal(ask(ws, request("sum", [1, 2])), jsonrpcclient.Ok(3, 1))

    def sizes():
        with server.connect() as ws:
            for size in [1, 60, 61, 62, 63, 64, 1000, MESSAGE - 200]:
                equal(ask(ws, request("echo", ["x" * size])), jsonrpcclient.Ok(["x" * size], 1))
            for size in [125, 126, 127, 65_534, 65_535, 65_536, 65_537]:
                equal(ask(ws, request("large", [size])), jsonrpcclient.Ok("x" * size, 1))
            for size in [MESSAGE, 100_000, 1_000_000]:
                equal(ask(ws, request("echo", ["x" * size])).code, -32600)
                equal(ask(ws, request("sum", [1, 2])), jsonrpcclient.Ok(3, 1))

    def closes():
        for code, reason in [(1000, ""), (1001, "bye"), (4999, "\u00e9" * 61)]:
            with server.connect() as ws:
                ws.close(code, reason)
                equal((ws.protocol.close_rcvd, ws.protocol.close_rcvd_then_sent), (Close(code, ""), False))

    def many():
        def one(number):
            with server.connect() as ws:
                for turn in range(5):
                    equal(ask(ws, request("sum", [number, turn])), jsonrpcclient.Ok(number + turn, 1))

        with ThreadPoolExecutor(20) as pool:
            list(pool.map(one, range(100)))

    for name, function in [
        ("calls by position and by name, errors", by_position_and_name),
        ("batches and notifications", batch_and_notifications),
        ("emoji and other text", text),
        ("a binary message is served as text", binary),
        ("fragments of one character", fragments),
        ("pings are answered", pings),
        ("messages of every length class, and too long ones", sizes),
        ("closes are answered with their code", closes),
        ("100 connections, 20 at once", many),
    ]:
        check(f"websocket, websockets: {name}", function)


def wire(server):
    call = request("sum", [1, 2]).encode()
    answer = b'{"jsonrpc":"2.0","result":3,"id":1}'
    answered = bytes([0x81, len(answer)]) + answer

    def violations():
        for frame, code in [
            (Frame(Opcode.TEXT, call).serialize(mask=False), 1002),
            (b"\xc1\x80abcd", 1002),
            (b"\x83\x80abcd", 1002),
            (b"\x8b\x80abcd", 1002),
            (b"\x80\x80abcd", 1002),
            (b"\x09\x80abcd", 1002),
            (b"\x89\xfe\x00\x7eabcd", 1002),
            (b"\x81\xfe\x00\x7d", 1002),
            (b"\x81\xff\x80\0\0\0\0\0\0\0", 1002),
            (b"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 1009),
            (masked(Opcode.TEXT, b"a", fin=False) + masked(Opcode.TEXT, b"b"), 1002),
            (masked(Opcode.TEXT, b"\xed\xa0\x80"), 1007),
            (masked(Opcode.CLOSE, b"\x03"), 1002),
            (masked(Opcode.CLOSE, b"\x03\xed"), 1002),
        ]:
            with server.raw() as sock:
                # the rest is not read
                sock.sendall(masked(Opcode.TEXT, call) + frame + masked(Opcode.TEXT, call))
                equal(all_of(sock), answered + b"\x88\x02" + code.to_bytes(2, "big"))

    def byte_by_byte():
        stream = masked(Opcode.TEXT, call[:9], fin=False) + masked(Opcode.PING, b"p") + masked(Opcode.CONT, call[9:])
        with server.raw() as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in stream + masked(Opcode.CLOSE, b""):
                sock.sendall(bytes([byte]))
            equal(all_of(sock), b"\x8a\x01p" + answered + b"\x88\x00")

    def with_the_handshake():
        head = (
            b"GET /x HTTP/1.1\r\nhost: x\r\nUPGRADE: WebSocket\r\nconnection: keep-alive, upgrade\r\n"
            b"sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n"
        )
        with server.raw(head + masked(Opcode.TEXT, call) + masked(Opcode.CLOSE, b"\x03\xe8")) as sock:
            reply = all_of(sock)
            equal(b"\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n" in reply, True)
            equal(reply.split(b"\r\n\r\n", 1)[1], answered + b"\x88\x02\x03\xe8")

    def refused():
        lines = [b"Host: x", b"Upgrade: websocket", b"Connection: Upgrade", b"Sec-WebSocket-Version: 13"]
        key = b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
        for method, head, status in [
            (b"GET", [], b"426"),
            (b"GET", lines, b"400"),
            (b"GET", [*lines, key, key], b"400"),
            (b"GET", [*lines, key[:-1]], b"400"),
            (b"GET", [*lines[:2], lines[3], key], b"400"),
            (b"GET", [*lines[:3], b"Sec-WebSocket-Version: 8", key], b"426"),
            (b"GET", [*lines, key, b"Origin: http://evil.example"], b"403"),
            (b"POST", [*lines, key], b"405"),
            (b"\0", [*lines, key], b"400"),
            (b"GET", [*lines, key, b"X: " + b"x" * 10_000], b"400"),
        ]:
            with server.raw(b"\r\n".join([method + b" / HTTP/1.1", *head, b"", b""])) as sock:
                reply = all_of(sock)
                equal(reply[:13], b"HTTP/1.1 " + status + b" ")
                equal(reply.endswith(b"\r\n\r\n"), True)

    check("websocket: violations are answered with a close, and nothing behind it", violations)
    check("websocket: byte by byte", byte_by_byte)
    check("websocket: frames directly behind the handshake", with_the_handshake)
    check("websocket: wrong handshakes are refused", refused)


def as_client():
    def answer(ws):
        for text in ws:
            call = json.loads(text)
            if call["method"] == "quit":
                ws.close(1001, "going away")
                return
            result = call["params"]
            if call["method"] == "busy":
                ws.ping(text.encode()[:125])
                ws.send(json.dumps({"jsonrpc": "2.0", "method": "note"}))
            answer = json.dumps({"jsonrpc": "2.0", "result": result, "id": call["id"]}, ensure_ascii=False)
            ws.send(list(answer) if call["method"] == "busy" else answer)

    def run(*arguments):
        return subprocess.run([EXAMPLES / "websocket", *arguments], capture_output=True, text=True, timeout=SECONDS)

    closes = []

    def handler(ws):
        try:
            answer(ws)
        except ConnectionClosed:
            pass
        closes.append(ws.close_code)

    with serve(handler, "127.0.0.1", 0, compression=None) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = "127.0.0.1:%d" % server.socket.getsockname()[1]

        def calls():
            for method in ["echo", "busy"]:
                for params in [[], [1, 2], {"a": [TEXT]}, ["x" * 10_000]]:
                    ran = run(address, method, json.dumps(params))
                    equal((ran.returncode, ran.stderr), (0, ""))
                    equal(json.loads(ran.stdout), params)
            wait_for(lambda: len(closes) == 8)
            equal(closes, [1000] * 8)

        def closed():
            ran = run(address, "quit")
            equal((ran.returncode, ran.stdout), (1, ""))
            equal(ran.stderr.startswith("websocket: "), True)

        check("websocket calls websockets: results, in fragments and behind pings", calls)
        check("websocket calls websockets: a close in place of an answer", closed)
        server.shutdown()


server = Server()
try:
    calls(server)
    wire(server)
    as_client()
finally:
    server.process.kill()
    server.process.wait()
finish()
