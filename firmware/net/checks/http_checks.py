"""JSON-RPC, events and MCP over HTTP: curl, the official MCP SDK, and peers that are slow or hostile."""

import asyncio
import http.client
import json
import random
import socket
import subprocess
import time

import random_peers
import shared
from chip import SECONDS, check
from mcp import Client as McpClient
from mcp import MCPError
from mcp_checks import by_typescript, conformance
from pages import pages


def curl(chip, path, *arguments):
    """The status, and the body as JSON if it is."""
    url = f"http://127.0.0.1:{chip.port}{path}"
    command = ["curl", "--silent", "--max-time", str(SECONDS), "--write-out", "\n%{http_code}", *arguments, url]
    body, _, status = subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.rpartition("\n")
    return int(status), json.loads(body) if body.startswith(("{", "[")) else body


def request(method, *params, id=1):
    return {"jsonrpc": "2.0", "method": method, "params": params} | ({} if id is None else {"id": id})


def result(value, id=1):
    return {"jsonrpc": "2.0", "result": value, "id": id}


class Client:
    """One connection that stays open, by the client of Python."""

    def __init__(self, chip):
        self.connection = http.client.HTTPConnection("127.0.0.1", chip.port, timeout=SECONDS)
        self.connection.connect()
        time.sleep(0.01)

    def post(self, message):
        headers = {"Content-Type": "application/json"}
        # do not open a second connection silently
        self.connection.auto_open = False
        self.connection.request("POST", "/rpc", json.dumps(message), headers)
        return json.loads(self.connection.getresponse().read())

    def call(self, method, *params):
        return self.post(request(method, *params))["result"]

    def is_open(self):
        try:
            return self.call("add", 20, 22) == 42
        except (OSError, http.client.HTTPException):
            return False

    def close(self):
        self.connection.close()


def by_curl(chip):
    def post(message, *more):
        return curl(chip, "/rpc", "--json", json.dumps(message), *more)

    check("curl: a call", post(request("add", 1, 2)), (200, result(3)))
    check("curl: a notification", post(request("led.get", id=None)), (204, ""))
    batch = [request("led.set", True), request("led.get", id="b"), request("led.get", id=None)]
    check("curl: a batch", post(batch), (200, [result(False), result(True, "b")]))
    check("curl: the LED off", post(request("led.set", False)), (200, result(True)))
    check("curl: broken JSON", curl(chip, "/rpc", "--json", "{")[0], 400)
    check("curl: another path", curl(chip, "/other", "--json", "{}")[0], 404)
    check("curl: another method", curl(chip, "/rpc", "--request", "PUT")[0], 405)
    check("curl: another media type", curl(chip, "/rpc", "--data", "{}")[0], 415)
    check("curl: a page of another site", post({}, "--header", "Origin: http://example.com")[0], 403)
    check("curl: Expect: 100-continue", post(request("add", 2, 2), "--header", "Expect: 100-continue"), (200, result(4)))
    check("curl: HTTP/1.0", post(request("add", 2, 3), "--http1.0"), (200, result(5)))
    chunks = ["--header", "Transfer-Encoding: chunked"]
    check("curl: chunks", post(request("add", 2, 3), *chunks), post(request("add", 2, 3)))
    check("curl: a body too long", curl(chip, "/rpc", "--json", " " * 3000)[0], 413)
    check("curl: a head too long", curl(chip, "/rpc", "--header", "X: " + "x" * 3000)[0], 431)
    # send all calls on one connection
    url, body = f"http://127.0.0.1:{chip.port}/rpc", json.dumps(request("add", 1, 1))
    command = ["curl", "--silent", "--json", body, "--write-out", "%{num_connects} ", *[url] * 20]
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout
    check("curl: 20 calls on one connection", (said.count('"result":2'), said.count("1 "), said.count("0 ")), (20, 1, 19))


class Events:
    """curl, which listens to the events."""

    def __init__(self, chip, *more):
        command = ["curl", "--silent", "--verbose", "--no-buffer", "--max-time", str(SECONDS), f"http://127.0.0.1:{chip.port}/rpc"]
        command += ["--header", "Sec-Fetch-Site: none"]
        self.process = subprocess.Popen([*command, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        # read up to the end of the response head: the chip has then registered this listener
        while self.process.stderr.readline().strip() not in ("<", ""):
            pass

    def read(self, number):
        """The ids and counts of the next events, and then the end."""
        found = []
        for line in self.process.stdout:
            if line.startswith("id: "):
                id = line.removeprefix("id: ").strip()
            if line.startswith("data: "):
                found.append((id, json.loads(line.removeprefix("data: "))["params"]["count"]))
            if len(found) == number:
                break
        self.process.kill()
        self.process.wait()
        return found


def events(chip):
    listener = Events(chip)
    client = Client(chip)
    client.call("blink", 50)
    found = listener.read(5)
    check("curl: events", [count for _, count in found], [1, 2, 3, 4, 5])
    client.call("blink", 0)
    again = Events(chip, "--header", f"Last-Event-ID: {found[2][0]}").read(2)
    check("curl: events behind the last one seen", again, found[3:5])
    client.call("led.set", False)
    client.close()


async def session(chip, mode):
    async with McpClient(f"http://127.0.0.1:{chip.port}/mcp", mode=mode, read_timeout_seconds=SECONDS, cache=None) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        check(f"MCP SDK, {mode}: the tools", names, ["led_get", "led_set", "blink", "add", "status"])

        async def call(name, **arguments):
            called = await client.call_tool(name, arguments)
            return called.structured_content["result"] if not called.is_error else called.content[0].text

        check(f"MCP SDK, {mode}: a tool adds", await call("add", a=2**40, b=2), 2**40 + 2)
        switched = [await call("led_set", on=True), await call("led_get"), await call("led_set", on=False)]
        check(f"MCP SDK, {mode}: a tool switches the LED", switched, [False, True, True])
        check(f"MCP SDK, {mode}: an error of a tool", await call("blink", every=3), "too fast: at least 10 ms")
        sums = await asyncio.gather(*(call("add", a=at, b=1) for at in range(5)))
        check(f"MCP SDK, {mode}: five calls at once", sums, list(range(1, 6)))
        try:
            await client.call_tool("reboot", {})
            code = None
        except MCPError as error:
            code = error.code
        check(f"MCP SDK, {mode}: an unknown tool", code, -32602)


def by_sdk(chip):
    for mode in ("auto", "legacy", "2026-07-28"):
        asyncio.run(session(chip, mode))


def hostile(chip):
    """Peers that are slow, that lie about lengths, and that send garbage, beside a client on one connection."""
    client, dice = Client(chip), random.Random(7)
    head = b"POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n"
    for length, status in [(b"2147483648", b"413"), (b"2147483647", b"413"), (b"9" * 30, b"413"), (b"-1", b"400"), (b"1e9", b"400")]:
        peer = chip.connect()
        peer.sendall(head % length)
        check(f"http: Content-Length {length[:10].decode()}", peer.recv(12)[9:12], status)
        peer.close()
    check("http: beside lies about lengths", client.is_open())
    peers = shared.beside_slow_peers("http", chip, client, Client, head % b"20")
    for peer in peers:
        peer.close()
    served = 0
    for _ in range(30):
        peer = chip.connect()
        try:
            peer.sendall(dice.randbytes(4096))
            peer.sendall(b"POST /rpc HTTP/1.1\r\n" + dice.randbytes(1000))
        except OSError:
            pass
        served += client.is_open()
        peer.close()
    check("http: beside garbage", served, 30)
    peers = [chip.connect() for _ in range(300)]
    check("http: beside 300 silent connections", client.is_open())
    for peer in peers:
        peer.close()
    client.close()


def post(path, message, more=b""):
    """The bytes of a request."""
    body = json.dumps(message).encode()
    head = b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" % path
    return head + b"Content-Length: %d\r\n%s\r\n" % (len(body), more) + body


def ends(chip):
    """The end of a connection, the host and the target: two requests in one write, and the statuses of the responses."""
    call = json.dumps(request("add", 1, 2)).encode()
    listing = json.dumps(request("tools/list") | {"params": {}}).encode()

    def statuses(line, *headers, body=call):
        head = [line, "Content-Type: application/json", "MCP-Protocol-Version: 2025-11-25", f"Content-Length: {len(body)}", *headers]
        with chip.connect() as peer:
            peer.sendall((("\r\n".join(head) + "\r\n\r\n").encode() + body) * 2)
            peer.shutdown(socket.SHUT_WR)
            text = b""
            while data := peer.recv(4096):
                text += data
        return [int(part[:3]) for part in text.split(b"HTTP/1.1 ")[1:]]

    rpc, host = "POST /rpc HTTP/1.1", "Host: x"
    check("http: keep-alive", statuses(rpc, host, "Connection: keep-alive"), [200, 200])
    check("http: close", statuses(rpc, host, "Connection: Close"), [200])
    check("http: close in a list", statuses(rpc, host, "Connection: keep-alive, close"), [200])
    check("http: close in a second header", statuses(rpc, host, "Connection: x", "Connection: close"), [200])
    check("http: close for MCP", statuses("POST /mcp HTTP/1.1", host, "Connection: keep-alive, close", body=listing), [200])
    check("http: HTTP/1.0", statuses("POST /rpc HTTP/1.0", "Expect: 100-continue"), [200])
    check("http: no host", statuses(rpc), [400])
    check("http: no host for MCP", statuses("POST /mcp HTTP/1.1", body=listing), [400])
    check("http: no host, another method for MCP", statuses("GET /mcp HTTP/1.1", body=b""), [400])
    for target in ("http://x/mcp", "HTTP://x:80/mcp?a", "/mcp?a"):
        check(f"http: the target {target}", statuses(f"POST {target} HTTP/1.1", host, body=listing), [200, 200])
    check("http: the target /mcp/", statuses("POST /mcp/ HTTP/1.1", host, body=listing), [404])


MESSAGES = [
    post(b"/rpc", request("status")), post(b"/rpc", [request("led.get")] * 20), post(b"/rpc", request("led.set", True)),
    post(b"/mcp", request("tools/list") | {"params": {}}), post(b"/rpc", "x" * 3000), post(b"/rpc", {}, b"Expect: 100-continue\r\n"),
    b"GET /rpc HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: none\r\n\r\n", b"GET /rpc HTTP/1.1\r\nHost: x\r\nLast-Event-ID: 1\r\n\r\n",
    b"POST /rpc HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
    b"POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    b'1;a=b\r\n{\r\n2B\r\n"jsonrpc":"2.0","method":"led.get","id":1}\n\r\n0\r\nX: y\r\n\r\n',
]


def peers(chip):
    random_peers.check_beside("http", chip, Client, MESSAGES)


def six(chip):
    clients = [Client(chip) for _ in range(6)]
    check("http: six connections", [client.is_open() for client in clients], [True] * 6)
    check("http: they stay", [client.is_open() for client in clients], [True] * 6)
    # each answer is longer than the send buffer of a socket
    batch = [request("status", id=at) for at in range(16)]
    answers = [client.post(batch) for client in clients]
    check("http: long answers on six connections", [len(answer) for answer in answers], [16] * 6)
    for client in clients:
        client.close()


def checks(chip, elf):
    yield from ((part, (chip,)) for part in (by_curl, events, pages, ends, by_sdk, by_typescript, conformance, six, hostile, peers))
