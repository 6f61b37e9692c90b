"""The examples stdio and tcp, byte by byte: sizes, chunks, hostile bytes, many clients at once."""

import json
import random
import socket
import struct
from concurrent.futures import ThreadPoolExecutor

import jsonrpcclient
from harness import SECONDS, all_ways, check, equal, finish

# as examples/methods/mod.rs has them
MESSAGE = 16 * 1024
OUTPUT = 2 * MESSAGE + 256 * 160


def request(method, params=None, id=1):
    return json.dumps(jsonrpcclient.request(method, params, id))


def is_alive(wire):
    """The next valid call gets its answer."""
    equal(jsonrpcclient.parse_json(wire.ask(request("sum", [20, 22], "alive"))), jsonrpcclient.Ok(42, "alive"))


def is_refused(answer, code, message, id=None):
    got = jsonrpcclient.parse_json(answer)
    equal((got.code, got.message, got.id), (code, message, id))


def echo_of(size):
    """A call of this length, and its text."""
    text = "\u00e9" * 100 + "x" * (size - 200 - len(request("echo", [""])))
    call = request("echo", ["?"]).replace("?", text)
    equal(len(call.encode()), size)
    return call, text


def checks(way):
    def near_the_limit():
        with way.connect() as wire:
            for size in [MESSAGE - 1, MESSAGE]:
                call, text = echo_of(size)
                equal(jsonrpcclient.parse_json(wire.ask(call)), jsonrpcclient.Ok([text], 1))

    def over_the_limit():
        with way.connect() as wire:
            for size in [MESSAGE + 1, MESSAGE + 2]:
                # it fits the buffer, but the server refuses such a length
                call, _ = echo_of(size)
                answer = jsonrpcclient.parse_json(wire.ask(call))
                equal(answer.code, -32600)
                equal("too long" in answer.message, True)
                is_alive(wire)
            for size in [MESSAGE + 4, 100_000, 1_000_000]:
                call, _ = echo_of(size)
                is_refused(wire.ask(call), -32600, "message too long for the buffer")
                is_alive(wire)

    def large_results():
        with way.connect() as wire:
            for size in [1, 4095, 4096, 60_000, OUTPUT - 200]:
                answer = jsonrpcclient.parse_json(wire.ask(request("large", [size])))
                equal(answer, jsonrpcclient.Ok("x" * size, 1))
            for size in [OUTPUT, 2 * OUTPUT]:
                is_refused(wire.ask(request("large", [size], "big")), -32603, "Internal error", "big")
                is_alive(wire)

    def large_results_in_a_batch():
        with way.connect() as wire:
            calls = [jsonrpcclient.request("large", [size], size) for size in [40_000, 41_000, 1_000]]
            got = list(jsonrpcclient.parse_json(wire.ask(json.dumps(calls))))
            equal([answer.id for answer in got], [40_000, 41_000, 1_000])
            equal((len(got[0].result), got[1].code, len(got[2].result)), (40_000, -32603, 1_000))

    def long_batches():
        with way.connect() as wire:
            got = json.loads(wire.ask(json.dumps([1] * 256)))
            equal([answer["error"]["code"] for answer in got], [-32600] * 256)
            is_alive(wire)
            is_refused(wire.ask(json.dumps([1] * 257)), -32600, "batch too long")
            is_alive(wire)
            is_refused(wire.ask("[]"), -32600, "Invalid Request")
            is_alive(wire)

    def byte_by_byte():
        with way.connect() as wire:
            for byte in wire.framed(request("echo", ["\U0001f600"], "\u00e9")) + wire.framed(request("sum", [1, 2])):
                wire.sock.sendall(bytes([byte]))
            equal(jsonrpcclient.parse_json(wire.receive()), jsonrpcclient.Ok(["\U0001f600"], "\u00e9"))
            equal(jsonrpcclient.parse_json(wire.receive()), jsonrpcclient.Ok(3, 1))

    def random_chunks():
        chance = random.Random(2)
        texts = ["\u4e2d" * chance.randrange(600) for _ in range(200)]
        with way.connect() as wire:
            stream = b"".join(wire.framed(request("echo", [text], id)) for id, text in enumerate(texts))
            # read while it is sent, or both sides wait for each other
            reader = ThreadPoolExecutor().submit(lambda: [wire.receive() for _ in texts])
            while stream:
                size = chance.randrange(1, 3000)
                wire.sock.sendall(stream[:size])
                stream = stream[size:]
            got = [jsonrpcclient.parse_json(answer) for answer in reader.result(SECONDS)]
            equal(got, [jsonrpcclient.Ok([text], id) for id, text in enumerate(texts)])

    def half_closed():
        with way.connect() as wire:
            for id in range(100):
                wire.send(request("large", [10 * id], id))
            wire.end()
            for id in range(100):
                equal(jsonrpcclient.parse_json(wire.receive()), jsonrpcclient.Ok("x" * 10 * id, id))
            equal(wire.receive(), None)

    def half_a_message():
        with way.connect() as wire:
            wire.send(request("sum", [1], 1))
            wire.sock.sendall(wire.framed(request("sum", [2], 2))[:-2])
            wire.end()
            equal(jsonrpcclient.parse_json(wire.receive()), jsonrpcclient.Ok(1, 1))
            is_refused(wire.receive(), -32700, "Parse error")
            equal(wire.receive(), None)

    for name, function in [
        ("messages as long as the limit", near_the_limit),
        ("messages over the limit are refused, the next is read", over_the_limit),
        ("results near the limit, and -32603 beyond", large_results),
        ("in a batch, one that does not fit leaves the others", large_results_in_a_batch),
        ("long batches, too long batches, empty ones", long_batches),
        ("split writes, byte by byte", byte_by_byte),
        ("200 calls in chunks of any size, none lost", random_chunks),
        ("after the writing side is shut, all answers come", half_closed),
        ("the stream ends within a message", half_a_message),
    ]:
        check(f"{way.name}: {name}", function)


def hostile(way):
    """An unreadable text gets its answer, and so does the valid call behind it."""
    deep = b"[" * 64 + b"]" * 64
    texts = [
        (b"{\"jsonrpc\":\"2.0\",\"method\":\"sum\"", -32700),
        (b"\xff\xfe\x00\x80garbage", -32700),
        (b'{"jsonrpc":"2.0","method":"echo","params":["\xc0\xaf"],"id":1}', -32700),
        (b'{"jsonrpc":"2.0","method":"echo","params":["\\ud800"],"id":1}', -32700),
        (b"[" * 16_000, -32700),
        (b'{"jsonrpc":"2.0","method":"echo","params":' + deep + b',"id":1}', -32700),
        (b"NaN", -32700),
        (b'{"jsonrpc":"2.0","method":"echo","params":[1e999999,-0,1E+2],"id":true}', -32600),
        (b'{"jsonrpc":"1.0","method":"echo","id":1}', -32600),
        (b'{"jsonrpc":"2.0","METHOD":"echo","id":1}', -32600),
        (b'{"jsonrpc":"2.0","method":"echo","id":1,"id":2}', -32600),
        (b'"' + bytes(range(0x80, 0x100)) * 100 + b'"', -32700),
    ]

    def texts_refused():
        with way.connect() as wire:
            for text, code in texts:
                answer = jsonrpcclient.parse_json(wire.ask(text))
                equal((text[:40], answer.code), (text[:40], code))
                is_alive(wire)
            # a byte order mark is no part of JSON; before a line it is passed over
            call = b"\xef\xbb\xbf" + request("sum", [20, 22], "marked").encode()
            answer = jsonrpcclient.parse_json(wire.ask(call))
            equal(answer.code if way.is_content_length else answer.result, -32700 if way.is_content_length else 42)
            is_alive(wire)

    def responses_and_notifications():
        with way.connect() as wire:
            wire.send('{"jsonrpc":"2.0","result":1,"id":1}')
            wire.send('{"jsonrpc":"2.0","error":{"code":1,"message":""},"id":null}')
            wire.send('{"jsonrpc":"2.0","method":"foobar","params":{}}')
            wire.send('[{"jsonrpc":"2.0","method":"foobar"},{"jsonrpc":"2.0","result":1,"id":1}]')
            is_alive(wire)

    def random_bytes():
        chance = random.Random(3)
        with way.connect() as wire:
            for _ in range(200):
                # without bytes that would frame it anew
                noise = bytes(chance.randbytes(chance.randrange(1, 400))).replace(b"\n", b"").replace(b"\r", b"") + b"!"
                answer = jsonrpcclient.parse_json(wire.ask(noise))
                equal((answer.code, answer.id), (-32700, None))
                is_alive(wire)

    def unreadable_in_a_row():
        with way.connect() as wire:
            # the first is answered, then silence until a message can be read; twice
            for _ in range(2):
                is_refused(wire.ask("{"), -32700, "Parse error")
                for text in ["{", "1", "[]", "x" * 100_000]:
                    wire.send(text)
                is_alive(wire)

    check(f"{way.name}: hostile texts, each with a good call behind it", texts_refused)
    check(f"{way.name}: responses and unknown notifications are not answered", responses_and_notifications)
    check(f"{way.name}: random bytes, each with a good call behind it", random_bytes)
    if way.name != "stdio":
        # which answers each text by itself, without a connection
        check(f"{way.name}: of unreadable texts in a row, the first is answered", unreadable_in_a_row)


def headers(way):
    def unusual():
        body = request("sum", [1, 2]).encode()
        with way.connect() as wire:
            for head in [
                b"content-length:%d\r\n\r\n",
                b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
                b"CONTENT-LENGTH:  %d \r\nX: y\r\n\r\n",
                b"Content-Length: %d\n\n",
            ]:
                wire.sock.sendall(head % len(body) + body)
                equal(jsonrpcclient.parse_json(wire.receive()), jsonrpcclient.Ok(3, 1))

    def hostile_ones():
        with way.connect() as wire:
            for head in [
                b"Content-Length: -1\r\n\r\n",
                b"GET / HTTP/1.1\r\n\r\n",
                b"Content-Length: 1e3\r\n\r\n",
                b"Content-Type: x\r\n\r\n",
                b"Content-Length: 4\r\nContent-Length: 5\r\n\r\n1234",
                b'{"jsonrpc":"2.0","method":"get_data","id":1}\n',
            ]:
                wire.sock.sendall(head)
                is_refused(wire.receive(), -32700, "Parse error")
                is_alive(wire)
            wire.sock.sendall(b"Content-Length: 18446744073709551616\r\n\r\n")
            is_refused(wire.receive(), -32600, "message too long for the buffer")
            is_alive(wire)
            wire.sock.sendall(b"X-Padding: " + b"x" * 5000)
            is_refused(wire.receive(), -32600, "message too long for the buffer")
            is_alive(wire)
        # a stream that begins as HTTP is over after one error, so no call in a body runs
        body = request("sum", [1, 2]).encode()
        with way.connect() as wire:
            wire.sock.sendall(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            is_refused(wire.receive(), -32700, "Parse error")
            equal(wire.receive(), None)

    check(f"{way.name}: unusual headers", unusual)
    check(f"{way.name}: hostile headers, each with a good call behind it", hostile_ones)


def lines(way):
    def endings():
        with way.connect() as wire:
            wire.sock.sendall(b"\r\n  \n\n" + request("sum", [1], 1).encode() + b"\r\n" + request("sum", [2], 2).encode())
            wire.end()
            equal(jsonrpcclient.parse_json(wire.receive()), jsonrpcclient.Ok(1, 1))
            equal(jsonrpcclient.parse_json(wire.receive()), jsonrpcclient.Ok(2, 2))
            equal(wire.receive(), None)

    check(f"{way.name}: blank lines, CRLF, a last line without an end", endings)


def many(way):
    def at_once():
        wires = [way.connect() for _ in range(100)]
        try:
            for turn in range(3):
                for number, wire in enumerate(wires):
                    wire.send(request("echo", [turn, "x" * 50 * number], number))
                for number, wire in reversed(list(enumerate(wires))):
                    got = jsonrpcclient.parse_json(wire.receive())
                    equal(got, jsonrpcclient.Ok([turn, "x" * 50 * number], number))
            for number, wire in enumerate(wires):
                for _ in range(number % 5):
                    wire.send(json.dumps(jsonrpcclient.notification("update")))
            for number, wire in enumerate(wires):
                equal(jsonrpcclient.parse_json(wire.ask(request("updates"))), jsonrpcclient.Ok(number % 5, 1))
        finally:
            for wire in wires:
                wire.__exit__(None)

    def gone():
        with way.connect() as steady:
            for turn in range(20):
                with way.connect() as wire:
                    for _ in range(turn):
                        wire.send(request("large", [60_000]))
                    wire.sock.sendall(wire.framed(request("sum", [1]))[:30])
                    # the connection is reset, with answers on their way
                    wire.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                is_alive(steady)
            with way.connect() as wire:
                is_alive(wire)
        equal(way.server.poll(), None)

    check(f"{way.name}: 100 clients at once, each with its own session", at_once)
    check(f"{way.name}: clients that go away take nobody with them", gone)


for way in all_ways():
    checks(way)
    hostile(way)
    if way.is_content_length:
        headers(way)
    else:
        lines(way)
    if way.name != "stdio":
        many(way)
finish()
