"""JSON-RPC over WebSocket: the clients of PyPI and of Node, a page in Chromium, and peers that are slow or hostile."""

import http.server
import json
import queue
import random
import subprocess
import threading
import time

import random_peers
import shared
from chip import SECONDS, check
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

PAGE = """<!doctype html><title>LED</title><script>
const socket = new WebSocket("ws://127.0.0.1:PORT/ws");
const said = { results: {}, counts: [] };
const call = (method, params, id) => socket.send(JSON.stringify({ jsonrpc: "2.0", method, params, id }));
const done = () => fetch("/said", { method: "POST", body: JSON.stringify(said) });
socket.onerror = () => { said.error = true; done(); };
socket.onopen = () => { call("led.set", [true], "on"); call("led.get", [], "get"); call("led.set", [false], "off"); call("blink", [50], "blink"); };
socket.onmessage = ({ data }) => {
  const message = JSON.parse(data);
  if ("id" in message) said.results[message.id] = message.result;
  // once: each later answer would send a second report, which may arrive first
  else if (said.counts.push(message.params.count) == 5) { call("blink", [0], "stop"); done(); }
};
</script>"""

NODE = """
const socket = new WebSocket(process.argv[1]);
const said = [];
socket.onerror = () => process.exit(1);
socket.onopen = () => { for (let id = 0; id < 20; id++) socket.send(JSON.stringify({ jsonrpc: "2.0", method: "add", params: [id, 1], id })); };
socket.onmessage = ({ data }) => {
  said.push(JSON.parse(data).result);
  if (said.length == 20) socket.close(1000);
};
socket.onclose = ({ code, wasClean }) => console.log(JSON.stringify([said, code, wasClean]));
"""


class Client:
    """The client of `websockets`."""

    def __init__(self, chip):
        self.socket = connect(f"ws://127.0.0.1:{chip.port}/ws", open_timeout=SECONDS, close_timeout=2, compression=None)
        time.sleep(0.01)

    def receive(self):
        return json.loads(self.socket.recv(SECONDS))

    def call(self, method, *params):
        self.socket.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params, "id": 1}))
        # notifications may arrive before the answer
        while "id" not in (answer := self.receive()):
            pass
        return answer["result"] if "result" in answer else answer["error"]["code"]

    def is_open(self):
        try:
            return self.call("add", 20, 22) == 42
        except (ConnectionClosed, OSError, TimeoutError):
            return False

    def close(self):
        self.socket.close()


def by_websockets(chip):
    client = Client(chip)
    check("websockets: the LED", [client.call("led.set", True), client.call("led.get"), client.call("led.set", False)], [False, True, True])
    check("websockets: an unknown method", client.call("reboot"), -32601)
    client.socket.send(b'{"jsonrpc":"2.0","method":"add","params":[1,2],"id":9}')
    check("websockets: a binary message", client.receive(), {"jsonrpc": "2.0", "result": 3, "id": 9})
    client.socket.send(part for part in ['{"jsonrpc":"2.0","method":"add",', '"params":[1,', '3],"id":9}'])
    check("websockets: a message in fragments", client.receive(), {"jsonrpc": "2.0", "result": 4, "id": 9})
    check("websockets: a ping", client.socket.ping(b"abc").wait(SECONDS))
    client.socket.send("{")
    check("websockets: broken JSON", client.receive()["error"]["code"], -32700)
    client.socket.send(" " * 4000)
    check("websockets: a message too long", client.receive()["error"]["code"], -32600)
    check("websockets: it stays open", client.is_open())
    for at in range(200):
        client.socket.send(json.dumps({"jsonrpc": "2.0", "method": "add", "params": [at, 1], "id": at}))
    answers = [client.receive() for _ in range(200)]
    check("websockets: 200 calls at once", [answer["result"] for answer in answers], list(range(1, 201)))
    client.call("blink", 30)
    counts = [client.receive()["params"]["count"] for _ in range(4)]
    check("websockets: notifications", counts, [1, 2, 3, 4])
    client.socket.send('{"jsonrpc":"2.0","method":"blink","params":[0]}')
    client.close()
    check("websockets: the close is answered", client.socket.close_code, 1000)
    other = Client(chip)
    other.call("blink", 0)
    other.call("led.set", False)
    other.close()
    url = f"ws://127.0.0.1:{chip.port}"
    for name, path, options, status in [
        ("another path", "/", {}, 404), ("a page of another site", "/ws", {"origin": "http://example.com"}, 403),
        ("a head too long", "/ws", {"additional_headers": {"X": "x" * 2000}}, 431),
    ]:
        try:
            connect(url + path, **options).close()
            said = None
        except InvalidStatus as error:
            said = error.response.status_code
        check(f"websockets: {name}", said, status)


def by_node(chip):
    command = ["node", "--experimental-websocket", "--eval", NODE, f"ws://127.0.0.1:{chip.port}/ws"]
    said = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=SECONDS).stdout
    check("Node: 20 calls and a close", json.loads(said or "null"), [list(range(1, 21)), 1000, True])


def by_chromium(chip):
    """A page switches the LED and receives the count of its blinks, and says so to this server."""
    heard = queue.Queue()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(PAGE.replace("PORT", str(chip.port)).encode())

        def do_POST(self):
            heard.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with shared.chromium(f"http://127.0.0.1:{server.server_port}/"):
        try:
            said = heard.get(timeout=6 * SECONDS)
        except queue.Empty:
            said = {}
    server.shutdown()
    check("Chromium: a page switches the LED", said.get("results"), {"on": False, "get": True, "off": True, "blink": 0})
    check("Chromium: it receives the count of blinks", said.get("counts"), [1, 2, 3, 4, 5])


def six(chip):
    clients = [Client(chip) for _ in range(6)]
    check("websocket: six connections", [client.is_open() for client in clients], [True] * 6)
    seventh = Client(chip)
    check("websocket: a seventh connection", seventh.is_open())
    check("websocket: only the idlest leaves", [client.is_open() for client in clients[1:]], [True] * 5)
    for client in [*clients, seventh]:
        client.close()


UPGRADE = b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
UPGRADE += b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"


def upgraded(chip):
    peer = chip.connect()
    peer.sendall(UPGRADE)
    head = b""
    while b"\r\n\r\n" not in head:
        head += peer.recv(1)
    return peer, head


def hostile(chip):
    client, dice = Client(chip), random.Random(3)
    peer, head = upgraded(chip)
    check("websocket: the key of RFC 6455", b"sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n" in head)
    # declare 2 GB, send 1 MB
    peer.sendall(b"\x81\xff" + (2**31).to_bytes(8, "big") + b"mask")
    check("websocket: beside a declared length of 2 GB", client.is_open())
    for _ in range(256):
        peer.sendall(b"x" * 4096)
    check("websocket: and 1 MB of it", client.is_open())
    peer.close()
    for name, frame, code in [
        ("no mask", b"\x81\x02hi", 1002), ("a length of 2^62", b"\x81\xff" + (2**62).to_bytes(8, "big"), 1009),
        ("a reserved opcode", b"\x83\x80mask", 1002), ("no UTF-8", b"\x81\x81\0\0\0\0\xff", 1007),
    ]:
        peer, _ = upgraded(chip)
        peer.sendall(frame)
        check(f"websocket: {name}", peer.recv(4), b"\x88\x02" + code.to_bytes(2, "big"))
        peer.close()
    peers = shared.beside_slow_peers("websocket", chip, client, Client, UPGRADE)
    served = 0
    for at in range(30):
        peer = upgraded(chip)[0] if at % 2 else chip.connect()
        try:
            peer.sendall(dice.randbytes(5000))
        except OSError:
            pass
        served += client.is_open()
        peer.close()
    check("websocket: beside garbage", served, 30)
    peers += [chip.connect() for _ in range(300)]
    check("websocket: beside 300 silent connections", client.is_open())
    for peer in peers:
        peer.close()
    client.close()


def frame(first, data):
    """A masked frame with this first byte; the mask is 0."""
    return bytes([first, 0x80 | len(data)]) + bytes(4) + data


CALL = b'{"jsonrpc":"2.0","method":"status","id":1}'
MESSAGES = [UPGRADE, *(UPGRADE + sent for sent in (
    frame(0x81, CALL) * 9, frame(0x89, b"x" * 100), frame(0x01, CALL[:9]) + frame(0x80, CALL[9:]), frame(0x88, b"\x03\xe8"),
    frame(0x81, b'{"jsonrpc":"2.0","method":"led.set","params":[true],"id":1}'), frame(0x82, b"x"), b"\x81\x01x",
)), frame(0x81, CALL)]


def peers(chip):
    random_peers.check_beside("websocket", chip, Client, MESSAGES)


def patient(chip):
    """A client that only answers pings stays for longer than an idle one may."""
    client = Client(chip)
    time.sleep(35)
    check("websocket: a client that listens stays", client.is_open())
    client.close()


def checks(chip, elf):
    yield from ((part, (chip,)) for part in (by_websockets, by_node, by_chromium, six, hostile, patient, peers))
