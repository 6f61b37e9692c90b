"""The program `jrpc hub` and what people use around it: curl, websockets, mosquitto with paho-mqtt, nats-server with nats-py, both SDKs of the
Model Context Protocol, TLS, and its page in Chromium; with brokers that are killed and come back.

hub.py JRPC: the program. NODE is the interpreter; PAGE_TOOLS has playwright-core and axe-core.
"""

import asyncio
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading

import anyio
import nats
import paho.mqtt.client as mqtt
import websockets.asyncio.client as websocket
from harness import check, equal, finish, free_port, program, until
from mcp import Client
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties


JRPC = sys.argv[1]
HERE = pathlib.Path(__file__).resolve().parent
LAMP = json.loads((HERE.parents[1] / "cli" / "lamp.openrpc.json").read_text())
NODE = os.environ["NODE"]
HOME = tempfile.mkdtemp()
SECONDS = 60
TOKEN = "0123456789-abcdef"


class Device:
    """A lamp over TCP that describes itself, and tells `changed` when it is asked to."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self.listener.getsockname()[1]}"
        self.streams = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                stream, _ = self.listener.accept()
                self.streams.append(stream)
                threading.Thread(target=self.serve, args=(stream,), daemon=True).start()

    def serve(self, stream):
        answers = {"lamp.state": '{"level":20,"celsius":31.50}', "lamp.set": "3", "rpc.discover": json.dumps(LAMP)}
        with contextlib.suppress(OSError):
            for line in stream.makefile("rb"):
                call = json.loads(line)
                outcome = f'"result":{answers[call["method"]]}' if call["method"] in answers else '"error":{"code":-32601,"message":"Method not found"}'
                if "id" in call:
                    stream.sendall(f'{{"jsonrpc":"2.0",{outcome},"id":{json.dumps(call["id"])}}}\n'.encode())

    def notify(self):
        self.streams[-1].sendall(b'{"jsonrpc":"2.0","method":"changed","params":[1.50]}\n')

    def end(self):
        with contextlib.suppress(OSError):
            # otherwise a thread that accepts goes on
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for stream in self.streams:
            with contextlib.suppress(OSError):
                stream.shutdown(socket.SHUT_RDWR)
            stream.close()


class Hub:
    """A hub with a lamp, and a fan which is a lamp, too."""

    def __init__(self, more="", listen='address = "http://127.0.0.1:0"', **variables):
        self.lamp, self.fan = Device(), Device()
        file = os.path.join(tempfile.mkdtemp(dir=HOME), "hub.toml")
        with open(file, "w") as out:
            out.write(f'payloads = true\n{more}\n[[listen]]\n{listen}\n')
            out.write(f'[devices.lamp]\naddress = "{self.lamp.address}"\n[devices.fan]\naddress = "{self.fan.address}"\n')
        self.process = subprocess.Popen([JRPC, "hub", file], stderr=subprocess.PIPE, text=True, env=os.environ | variables)
        self.url = self.said("listening on http")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def said(self, front):
        for line in self.process.stderr:
            if line.startswith(front):
                return line.split()[2]
        raise AssertionError("the hub has ended")

    def __enter__(self):
        return self

    def __exit__(self, problem, *_):
        self.process.terminate()
        status = self.process.wait(SECONDS)
        self.lamp.end()
        self.fan.end()
        if problem is None:
            equal(status, 0)


def curl(*arguments):
    run = subprocess.run(["curl", "--silent", "--show-error", "--max-time", "20", *arguments], capture_output=True, text=True, timeout=SECONDS)
    if run.returncode:
        raise AssertionError(f"curl: {run.returncode} {run.stderr}")
    return run.stdout


JSON = ("--header", "content-type: application/json")


def call(method, number=1):
    return json.dumps({"jsonrpc": "2.0", "method": method, "id": number})


def is_up(url, *arguments):
    devices = json.loads(curl(*arguments, *JSON, "--data", call("hub.devices"), f"{url}/rpc"))["result"]
    equal([device["state"] for device in devices], ["up", "up"])


def of_curl():
    with Hub() as hub:
        until(lambda: is_up(hub.url))
        answer = curl(*JSON, "--data", f'[{call("lamp.lamp.state")},{call("fan.x", 2)}]', f"{hub.url}/rpc")
        expected = '[{"jsonrpc":"2.0","result":{"level":20,"celsius":31.50},"id":1},{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":2}]'
        equal(answer, expected)
        events = subprocess.Popen(
            ["curl", "--silent", "--no-buffer", "--max-time", "20", "--header", "accept: text/event-stream", "--header", "sec-fetch-site: none", f"{hub.url}/rpc"],
            stdout=subprocess.PIPE, text=True,
        )

        def heard():
            hub.lamp.notify()
            equal(any("lamp.changed" in line for line in iter(events.stdout.readline, "\n")), True)

        until(heard)
        events.kill()
        methods = json.loads(curl(*JSON, "--data", call("rpc.discover"), f"{hub.url}/rpc"))["result"]["methods"]
        equal(sorted(method["name"] for method in methods), ["fan.lamp.set", "fan.lamp.state", "lamp.lamp.set", "lamp.lamp.state"])


def of_websockets():
    async def run(hub):
        async with websocket.connect(f"ws{hub.url[4:]}/ws") as user:
            await user.send(json.dumps({"jsonrpc": "2.0", "method": "hub.subscribe", "params": {"methods": ["lamp.*", "hub.device"]}, "id": 1}))
            equal(json.loads(await user.recv())["result"], 2)
            hub.lamp.notify()
            equal(await user.recv(), '{"jsonrpc":"2.0","method":"lamp.changed","params":[1.50]}')
            await user.send(call("fan.lamp.state", "é"))
            equal(await user.recv(), '{"jsonrpc":"2.0","result":{"level":20,"celsius":31.50},"id":"\\u00e9"}')
            hub.fan.end()
            gone = json.loads(await asyncio.wait_for(user.recv(), SECONDS))
            equal((gone["method"], gone["params"]["name"], gone["params"]["state"]), ("hub.device", "fan", "down"))
            await user.send(call("fan.lamp.state"))
            equal(json.loads(await user.recv())["error"]["code"], -32005)

    with Hub() as hub:
        until(lambda: is_up(hub.url))
        asyncio.run(run(hub))


def of_mqtt():
    port = free_port()
    folder = tempfile.mkdtemp(dir=HOME)
    with open(os.path.join(folder, "conf"), "w") as conf:
        conf.write(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
    broker = ("mosquitto", "-c", conf.name)
    door = f'[[listen]]\naddress = "mqtt://127.0.0.1:{port}/home/hub"\n'
    heard, is_heard = [], threading.Event()

    def on_message(_, __, message):
        heard.append((message.topic, message.payload.decode(), getattr(message.properties, "CorrelationData", None)))
        is_heard.set()

    def asked(user, topic):
        is_heard.clear()
        properties = Properties(PacketTypes.PUBLISH)
        properties.ResponseTopic, properties.CorrelationData = "me/answers", b"7"
        user.publish("home/hub", call("lamp.lamp.state"), qos=1, properties=properties)
        equal(is_heard.wait(1), True)
        equal(heard[-1], (topic, '{"jsonrpc":"2.0","result":{"level":20,"celsius":31.50},"id":1}', b"7"))

    with Hub(door) as hub:
        until(lambda: is_up(hub.url))
        for _ in ("at first", "after the broker was killed"):
            with program(*broker):
                user = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
                user.on_message = on_message
                until(lambda: user.connect("127.0.0.1", port))
                user.loop_start()
                user.subscribe("me/answers")
                until(lambda: asked(user, "me/answers"))
                user.subscribe("home/hub/events")

                def told():
                    is_heard.clear()
                    hub.lamp.notify()
                    equal(is_heard.wait(1), True)
                    equal(heard[-1][:2], ("home/hub/events", '{"jsonrpc":"2.0","method":"lamp.changed","params":[1.50]}'))

                until(told)
                user.loop_stop()


def of_nats():
    port = free_port()
    server = ("nats-server", "-js", "-sd", tempfile.mkdtemp(dir=HOME), "-a", "127.0.0.1", "-p", str(port))
    address = f"nats://127.0.0.1:{port}"
    door = f'[[listen]]\naddress = "{address}/home.hub"\n'

    async def run(hub):
        user = await nats.connect(address, connect_timeout=5)
        for attempt in range(50):
            try:
                answer = await user.request("home.hub", call("lamp.lamp.state").encode(), timeout=1)
                break
            except Exception:
                # the hub has not subscribed yet
                if attempt == 49:
                    raise
                await asyncio.sleep(0.1)
        equal(answer.data.decode(), '{"jsonrpc":"2.0","result":{"level":20,"celsius":31.50},"id":1}')
        events = await user.subscribe("home.hub.events")
        await user.flush()
        hub.lamp.notify()
        told = await events.next_msg(timeout=SECONDS)
        # a device that has just come up
        while b'"hub.device"' in told.data:
            told = await events.next_msg(timeout=SECONDS)
        equal(told.data.decode(), '{"jsonrpc":"2.0","method":"lamp.changed","params":[1.50]}')
        await user.close()

    with Hub(door) as hub:
        until(lambda: is_up(hub.url))
        for _ in ("at first", "after the server was killed"):
            with program(*server, stdout=subprocess.DEVNULL):
                until(lambda: socket.create_connection(("127.0.0.1", port)).close())
                asyncio.run(run(hub))


def of_python_sdk():
    async def run(url):
        async with Client(f"{url}/mcp", read_timeout_seconds=SECONDS, cache=None) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            result = await client.call_tool("lamp_lamp_set", {"level": 20})
            refused = await client.call_tool("fan_lamp_set", {"level": 700})
            return sorted(tools), result.content[0].text, refused.is_error

    with Hub() as hub:
        until(lambda: is_up(hub.url))
        names = ["fan_lamp_set", "fan_lamp_state", "lamp_lamp_set", "lamp_lamp_state"]
        equal(anyio.run(run, hub.url), (names, "3", False))


def of_typescript_sdk():
    request = json.dumps({"method": "tools/call", "params": {"name": "lamp_lamp_state", "arguments": {}}})
    with Hub() as hub:
        until(lambda: is_up(hub.url))
        for way in ("probe", "2025-11-25", "2026-07-28"):
            run = subprocess.run(
                [NODE, os.path.join(os.environ["PLACE"], "client.mjs"), way, f"{hub.url}/mcp"], input=f"{request}\n", capture_output=True, text=True, timeout=SECONDS,
            )
            answer = json.loads(run.stdout.splitlines()[1])
            equal(answer["result"]["structuredContent"], {"level": 20, "celsius": 31.5})


def of_tls_and_tokens():
    key, certificate = os.path.join(HOME, "key.pem"), os.path.join(HOME, "certificate.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", certificate,
         "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
        check=True, capture_output=True,
    )
    listen = f'address = "https://127.0.0.1:0"\ncertificate = "{certificate}"\nkey = "{key}"\n'
    users = '[users.admin]\ntoken = "${env:TOKEN}"\nmethods = ["*"]\n'
    with Hub(users, listen, TOKEN=TOKEN) as hub:
        url = hub.url.replace("127.0.0.1", "localhost")
        trust, token = ("--cacert", certificate, "--resolve", f"localhost:{url.rsplit(':')[-1]}:127.0.0.1"), ("--header", f"authorization: Bearer {TOKEN}")
        until(lambda: is_up(url, *trust, *token))
        equal(curl(*trust, "--output", "/dev/null", "--write-out", "%{http_code}", *JSON, "--data", "{}", f"{url}/rpc"), "401")
        # who says nothing holds nobody else up
        silent = socket.create_connection(("127.0.0.1", int(url.rsplit(":")[-1])))
        equal(curl(*trust, f"{url}/health"), "ok\n")
        silent.close()


def of_chromium():
    users = '[users.admin]\ntoken = "${env:TOKEN}"\nmethods = ["*"]\n'
    with Hub(users, TOKEN=TOKEN) as hub:
        until(lambda: is_up(hub.url, "--header", f"authorization: Bearer {TOKEN}"))
        signal.signal(signal.SIGUSR1, lambda *_: hub.lamp.notify())
        signal.signal(signal.SIGUSR2, lambda *_: hub.fan.end())
        me = os.getpid()
        env = os.environ | {"HUB_TOKEN": TOKEN, "HUB_NOTIFY": f"kill -USR1 {me}", "HUB_DOWN": f"kill -USR2 {me}"}
        run = subprocess.run([NODE, HERE / "hub_page.mjs", hub.url], capture_output=True, text=True, env=env, timeout=300)
        if run.returncode:
            print(run.stdout, run.stderr)
        equal((run.stdout.splitlines()[-1], run.returncode), ("hub page: 19 passed, 0 failed", 0))


for part in (of_curl, of_websockets, of_mqtt, of_nats, of_python_sdk, of_typescript_sdk, of_tls_and_tokens, of_chromium):
    check(f"hub: the side {part.__name__.replace('_', ' ')}", part)
finish()
