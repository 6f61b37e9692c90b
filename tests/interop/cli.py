"""The program `jrpc` calls the emulated chip, over TCP and as a serial port, devices that speak as Shelly and Klipper do, the reference server
of the Model Context Protocol and one of the Python SDK, and bridges a device to the clients of both SDKs.

cli.py JRPC CHIP EVERYTHING GROUP: the program; the firmware `node`; the script of the server `everything`; `static` for the program that is
handed out, whose size and start are checked, too. NODE and PYTHON are the interpreters.
"""

import http.server
import json
import os
import pathlib
import pty
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import tty

import anyio
from harness import check, equal, finish, free_port, program, until
from mcp import Client, StdioServerParameters

JRPC, CHIP, EVERYTHING, GROUP = sys.argv[1:]
HERE = pathlib.Path(__file__).resolve().parent
LAMP = HERE.parents[1] / "cli" / "lamp.openrpc.json"
FIRMWARE = HERE.parents[1] / "firmware" / "run"
NODE, PYTHON = os.environ["NODE"], os.environ["PYTHON"]
SECONDS = 60

# without the files of the user
HOME = tempfile.mkdtemp()
ENV = os.environ | {name: HOME for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")}


def jrpc(*arguments, status=0):
    """The standard output of the program, whose status must be this one."""
    run = subprocess.run([JRPC, *arguments], capture_output=True, text=True, env=ENV, timeout=SECONDS, stdin=subprocess.DEVNULL)
    if run.returncode != status:
        raise AssertionError(f"status {run.returncode}: {run.stdout}{run.stderr}")
    return run.stdout + (run.stderr if status else "")


def node(address):
    """The calls of the firmware `node`."""
    equal(until(lambda: jrpc("call", address, "led.set", "on:=true", "--timeout", "2s")), "false\n")
    equal(jrpc("call", address, "led.get"), "true\n")
    equal(jrpc("call", address, "led.set", "[false]", "--raw"), "true\n")
    equal(jrpc("call", address, "led.set", "on:=1", status=1).startswith("error -32602: "), True)
    equal(jrpc("call", address, "reboot", status=1), "error -32601: Method not found\n")
    text = 'smile \U0001f600, "quoted", \\ \u2028'
    echoed = jrpc("call", address, "echo", json.dumps([text]))
    equal(json.loads(echoed), [text])
    equal(r"\u2028" in echoed, True)


def chip_over_tcp():
    port = free_port()
    with program(FIRMWARE, CHIP, "--tcp", str(port), stdin=subprocess.DEVNULL):
        address = f"tcp://127.0.0.1:{port}"
        node(address)
        equal(jrpc("call", address, "blink", "every:=20"), "0\n")
        heard = jrpc("watch", address, "--count", "2", "--method", "blinked")
        counts = [int(count) for count in re.findall(r'← notification blinked \{"count":(\d+)', heard)]
        equal(counts[1:], [counts[0] + 1])
        jrpc("call", address, "blink", "[0]")


def pump(read, write):
    while data := read():
        write(data)


def chip_as_serial_port():
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    # not the terminal itself: the emulator makes its output non-blocking, and so the input of the chip, too
    with program(FIRMWARE, CHIP, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as chip:
        for read, write in (
            (lambda: os.read(ours, 4096), chip.stdin.write),
            (lambda: os.read(chip.stdout.fileno(), 4096), lambda data: os.write(ours, data)),
        ):
            threading.Thread(target=pump, args=(read, write), daemon=True).start()
        node(f"serial://{os.ttyname(theirs)}?baud=115200")


class Shelly(http.server.BaseHTTPRequestHandler):
    """A switch of the second generation: no `jsonrpc`, other members, lists of methods."""

    def do_POST(self):
        call = json.loads(self.rfile.read(int(self.headers["content-length"])))
        results = {"Shelly.ListMethods": {"methods": ["Shelly.ListMethods", "Switch.Set"]}, "Switch.Set": {"was_on": False}}
        answer = {"id": call["id"], "src": "shellyplus1-a8032abe54dc"}
        known = call["method"] in results
        answer |= {"result": results[call["method"]]} if known else {"error": {"code": 404, "message": "No handler for " + call["method"]}}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def shelly():
    with http.server.HTTPServer(("127.0.0.1", 0), Shelly) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/rpc"
        equal(jrpc("list", address, "--dialect", "lenient"), "Shelly.ListMethods\nSwitch.Set\n")
        equal(jrpc("call", address, "Switch.Set", "id:=0", "on:=true", "--dialect", "lenient"), '{"was_on":false}\n')
        equal(jrpc("call", address, "Light.Set", "--dialect", "lenient", status=1), "error 404: No handler for Light.Set\n")
        server.shutdown()


def klipper():
    """Messages end with U+0003 and have no `jsonrpc`; an event repeats a template of the client."""
    path = os.path.join(HOME, "klippy_uds")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()

        def serve():
            while True:
                stream, _ = listener.accept()
                stream.recv(4096)
                stream.sendall(b'{"method":"output","params":{"response":"ok T:21.5"}}\x03{"id":1,"result":{"state":"ready"}}\x03')
                stream.close()

        threading.Thread(target=serve, daemon=True).start()
        frame = ("--frame", "etx", "--dialect", "lenient")
        equal(jrpc("call", f"unix:{path}", "info", *frame), '{"state":"ready"}\n')


def everything(*peer):
    listed = jrpc("list", "--mcp", *peer)
    equal(re.findall(r"^get-sum\(.*", listed, re.M)[0].split("  ")[0], "get-sum(a: number, b: number)")
    equal(jrpc("call", "--mcp", *peer, "get-sum", "a:=40", "b:=2"), "The sum of 40 and 2 is 42.\n")
    equal(jrpc("call", "--mcp", *peer, "echo", "message=\U0001f44b"), "Echo: \U0001f44b\n")
    equal("/a: " in jrpc("call", "--mcp", *peer, "get-sum", "a=x", "b:=2", status=2), True)
    structured = jrpc("call", "--mcp", *peer, "get-structured-content", "location=Chicago")
    equal(sorted(json.loads(structured)), ["conditions", "humidity", "temperature"])
    equal("text" in jrpc("call", "--mcp", *peer, "resources/read", "uri=demo://resource/dynamic/text/1"), True)


def everything_over_stdio():
    everything(f"exec:{NODE} {EVERYTHING}")


def everything_over_http():
    port = free_port()
    with program(NODE, EVERYTHING, "streamableHttp", env=os.environ | {"PORT": str(port)}, stdout=subprocess.DEVNULL):
        address = f"http://127.0.0.1:{port}/mcp"
        until(lambda: jrpc("list", "--mcp", address))
        everything(address)


def python_server():
    peer = f"exec:{PYTHON} {HERE / 'mcp' / 'server.py'}"
    equal(jrpc("call", "--mcp", peer, "add", "a:=40", "b:=2"), '{"result":42}\n')
    equal("as asked" in jrpc("call", "--mcp", peer, "fall", status=1), True)
    equal("integer" in jrpc("call", "--mcp", peer, "add", "a=x", "b:=2", status=1), True)


class Tools:
    """What a client of the Python SDK sees of a bridge."""

    @staticmethod
    async def of(target):
        async with Client(target, read_timeout_seconds=SECONDS, cache=None) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            result = await client.call_tool("lamp_lamp_set", {"level": 20})
            refused = await client.call_tool("lamp_lamp_set", {"level": 700})
            return tools, result.content[0].text, refused.is_error


def bridged(target):
    tools, before, is_refused = anyio.run(Tools.of, target)
    equal(sorted(tools), ["lamp_lamp_set", "lamp_lamp_state"])
    equal(tools["lamp_lamp_set"].input_schema["properties"]["level"], {"type": "integer", "minimum": 0, "maximum": 100})
    equal((before, is_refused), ("3", True))


def bridge_to_python():
    """Over standard input and output, and over HTTP."""
    with open(os.path.join(HOME, "peers.toml"), "w") as peers:
        peers.write(f'[lamp]\naddress = "exec:{JRPC} mock {LAMP} --listen -"\n')
    command = [JRPC, "bridge", "lamp", "--peers", peers.name]
    bridged(StdioServerParameters(command=command[0], args=command[1:], env=ENV))
    server = subprocess.Popen([*command, "--listen", "http://127.0.0.1:0/mcp"], stderr=subprocess.PIPE, text=True, env=ENV)
    try:
        bridged(re.search(r"http://\S+", server.stderr.readline())[0])
    finally:
        server.terminate()
        equal(server.wait(SECONDS), 0)


def small_and_quick():
    equal(os.path.getsize(JRPC) < 9_000_000, True)
    equal("statically linked" in subprocess.run(["ldd", JRPC], capture_output=True, text=True).stdout, True)

    def median(*command):
        times = []
        for _ in range(40):
            begin = time.monotonic()
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
            times.append(time.monotonic() - begin)
        return sorted(times)[20]

    equal(median(JRPC, "--version") - median("true") < 0.02, True)


if GROUP == "static":
    check("jrpc: small and quick", small_and_quick)
for part in (
    chip_over_tcp, chip_as_serial_port, shelly, klipper, everything_over_stdio, everything_over_http, python_server, bridge_to_python,
):
    check(f"jrpc: {part.__name__.replace('_', ' ')}", part)
finish()
