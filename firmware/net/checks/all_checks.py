"""The image with all protocols: lines, HTTP, MCP and WebSocket on one port, and MQTT beside them."""

import json
import subprocess

import http_checks
import lines
import mqtt_checks
import random_peers
import websocket_checks
from chip import FIRMWARE, SECONDS, check

start, end, Client = mqtt_checks.start, mqtt_checks.end, lines.Client


def beside_each_other(chip):
    """Two connections of each kind and the broker: one device, and one notification for all of them."""
    clients = [kind.Client(chip) for kind in (lines, http_checks, websocket_checks) for _ in range(2)]
    broker = mqtt_checks.Client(chip)
    check("all: six connections and a broker", [client.call("add", 40, 2) for client in [*clients, broker]], [42] * 7)
    broker.call("led.set", False)
    switched = [client.call("led.set", at % 2 == 0) for at, client in enumerate([*clients, broker])]
    check("all: each switches the same LED", switched, [False, True, False, True, False, True, False])
    broker.call("led.set", False)
    check("all: a seventh connection", lines.Client(chip).call("add", 1, 1), 2)
    for client in clients:
        client.close()


def notified(chip):
    """A blink reaches connections of each kind."""
    line, socket = lines.Client(chip), websocket_checks.Client(chip)
    listener = http_checks.Events(chip)
    line.call("blink", 50)
    counts = {"lines": [line.receive()["params"]["count"] for _ in range(3)]}
    counts["WebSocket"] = [socket.receive()["params"]["count"] for _ in range(3)]
    counts["events"] = [count for _, count in listener.read(3)]
    counts["MQTT"] = chip.client.counts("chip-a1", 3)
    line.call("blink", 0)
    check("all: each is notified", counts, {kind: [1, 2, 3] for kind in ("lines", "WebSocket", "events", "MQTT")})
    line.call("led.set", False)
    line.close()
    socket.close()


def hostile(chip):
    """Bytes of no protocol, and of one after another."""
    client = Client(chip)
    for name, text, answer in [
        ("garbage", b"\xff\x00\x80\r\n\r\n", b"HTTP/1.1 400"), ("the front of an upgrade", b"GET /wsx HTTP/1.1\r\nHost: x\r\n\r\n", b"HTTP/1.1 404"),
        ("an upgrade without a key", b"GET /ws HTTP/1.1\r\nHost: x\r\n\r\n", b"HTTP/1.1 426"), ("a broken line", b"{\n", b'{"jsonrpc":"2.0","error":{"code":-32700'),
    ]:
        peer = chip.connect()
        for at in range(len(text)):
            peer.sendall(text[at : at + 1])
        received = peer.recv(1024)
        check(f"all: {name}", received[: len(answer)], answer)
        peer.close()
    check("all: beside these", client.is_open())
    client.close()


# the build of `.ci/test all`
BUILD = ["cargo", "build", "--quiet", "--profile=test", "--workspace", "--all-features", "--bin=jrpc"]


def jrpc(chip):
    """The program `jrpc` calls the chip over each protocol."""
    built = subprocess.run([*BUILD, "--message-format=json-render-diagnostics"], cwd=FIRMWARE.parent, check=True, stdout=subprocess.PIPE, text=True)
    program = next(elf for line in built.stdout.splitlines() if (elf := json.loads(line).get("executable")))
    here = f"127.0.0.1:{chip.port}"
    mqtt = f"mqtt://127.0.0.1:{chip.broker.port}/net/chip-a1/rpc?answers=test/jrpc"
    for peer in ([f"tcp://{here}"], [f"http://{here}/rpc"], [f"ws://{here}/ws"], [mqtt], ["--mcp", f"http://{here}/mcp"]):
        command = [program, "call", *peer, "add", "a:=40", "b:=2"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
        # a tool has structured content
        expected = '{"result":42}\n' if "--mcp" in peer else "42\n"
        check(f"all: jrpc call {' '.join(peer).split(':')[0]}", (run.stdout, run.stderr), (expected, ""))


def peers(chip):
    random_peers.check_beside("all", chip, Client, lines.MESSAGES + http_checks.MESSAGES + websocket_checks.MESSAGES)


def checks(chip, elf):
    # run these first: they wait for the presence of the device
    yield from mqtt_checks.checks(chip, elf)
    yield beside_each_other, (chip,)
    yield notified, (chip,)
    yield hostile, (chip,)
    yield jrpc, (chip,)
    for module, parts in [
        (lines, ["methods", "six"]), (http_checks, ["by_curl", "events", "by_sdk", "six"]),
        (websocket_checks, ["by_websockets", "by_node", "six"]),
    ]:
        yield from ((getattr(module, part), (chip,)) for part in parts)
    yield peers, (chip,)
