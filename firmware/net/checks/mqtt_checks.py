"""JSON-RPC over MQTT: mosquitto is the broker of two chips and of the client of paho."""

import functools
import json
import pathlib
import queue
import socket
import subprocess
import sys
import tempfile
import time

import paho.mqtt.client as paho
import shared
from chip import SECONDS, Chip, check, free_port, within
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

RELAY = pathlib.Path(__file__).resolve().parent / "relay.py"


class Broker:
    def __init__(self):
        self.port = free_port()
        self.config = tempfile.NamedTemporaryFile("w", suffix=".conf")
        self.config.write(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\npersistence false\n")
        self.config.flush()
        self.start()

    def start(self):
        command = ["/usr/sbin/mosquitto", "-c", self.config.name]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self):
        self.process.kill()
        self.process.wait()


class Paho:
    """The client of paho: calls with response topic and correlation data, and its other messages."""

    def __init__(self, broker, topics=None, protocol=paho.MQTTv5):
        self.answers, self.other, self.last = queue.Queue(), queue.Queue(), 0
        self.topics = [("test/answers", 1), ("net/+/presence", 1), ("net/+/state/#", 0)] if topics is None else topics
        self.client = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=protocol)
        self.client.on_message = self.on_message
        ready = queue.Queue()
        self.client.on_socket_open = lambda _client, _data, stream: stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.client.on_subscribe = lambda *_: ready.put(True)
        self.client.connect("127.0.0.1", broker.port)
        self.client.loop_start()
        self.client.subscribe(self.topics)
        ready.get(timeout=SECONDS)

    def on_message(self, client, data, message):
        where = self.answers if message.topic == "test/answers" else self.other
        where.put(message)

    def send(self, name, message, correlation=None, retain=False, expiry=None):
        properties = Properties(PacketTypes.PUBLISH)
        properties.ResponseTopic = "test/answers"
        if correlation is not None:
            properties.CorrelationData = correlation
        if expiry is not None:
            properties.MessageExpiryInterval = expiry
        payload = message if isinstance(message, bytes) else json.dumps(message)
        self.client.publish(f"net/{name}/rpc", payload, qos=1, retain=retain, properties=properties)

    def answer(self, timeout=SECONDS):
        message = self.answers.get(timeout=timeout)
        return json.loads(message.payload), getattr(message.properties, "CorrelationData", None)

    def call(self, name, method, *params):
        self.last += 1
        correlation = self.last.to_bytes(4, "big")
        self.send(name, {"jsonrpc": "2.0", "method": method, "params": params, "id": 1}, correlation)
        answer, came = self.answer()
        if came != correlation:
            raise ValueError(f"correlation data {came} in place of {correlation}")
        return answer["result"] if "result" in answer else answer["error"]["code"]

    def presence(self, seconds=SECONDS):
        """The next change of the presence of a device."""
        until = time.monotonic() + seconds
        while True:
            message = self.other.get(timeout=until - time.monotonic())
            if message.topic.endswith("/presence"):
                return message.topic.split("/")[1], message.payload

    def counts(self, name, number):
        """The counts of the next blinks of a device."""
        found = []
        while len(found) < number:
            message = self.other.get(timeout=SECONDS)
            if message.topic == f"net/{name}/state/blinked":
                found.append(json.loads(message.payload)["params"]["count"])
        return found

    def end(self):
        self.client.loop_stop()
        self.client.disconnect()


class Device(Paho):
    """Answers each call with 0."""

    def on_message(self, client, data, message):
        properties = Properties(PacketTypes.PUBLISH)
        properties.CorrelationData = message.properties.CorrelationData
        client.publish(message.properties.ResponseTopic, '{"jsonrpc":"2.0","result":0,"id":1}', properties=properties)


def chip_at(elf, broker, last):
    forward = f",guestfwd=tcp:10.0.2.100:1883-cmd:{sys.executable} {RELAY} {broker.port}"
    return Chip(elf, options=forward, model=f",mac=52:54:00:00:00:{last}")


def all_checks(chip, elf, broker, client):
    with chip_at(elf, broker, "b2") as other:
        online = sorted([client.presence(), client.presence()])
        check("mqtt: two chips are present", online, [("chip-a1", b"{}"), ("chip-b2", b"{}")])
        set_both = [client.call(name, "led.set", on) for name, on in [("chip-a1", True), ("chip-b2", False)]]
        check("mqtt: each has its LED", (set_both, [client.call(it, "led.get") for it in ("chip-a1", "chip-b2")]), ([False] * 2, [True, False]))
        check("mqtt: an unknown method", client.call("chip-a1", "reboot"), -32601)
        client.send("chip-a1", b"{", b"x")
        check("mqtt: broken JSON", client.answer()[0]["error"]["code"], -32700)
        call = {"jsonrpc": "2.0", "method": "add", "params": [1, 2], "id": "same"}
        client.send("chip-a1", call)
        check("mqtt: without correlation data", client.answer(), ({"jsonrpc": "2.0", "result": 3, "id": "same"}, None))
        old = Paho(broker, [("user_1/rpc", 1)], paho.MQTTv311)
        for source in ({}, {"src": "#"}, {"src": "user_1"}):
            old.client.publish("net/chip-a1/rpc", json.dumps(call | source))
        check("mqtt: 3.1.1, the caller names itself", json.loads(old.other.get(timeout=SECONDS).payload), {"jsonrpc": "2.0", "result": 3, "id": "same"})
        old.end()
        lit = {"jsonrpc": "2.0", "method": "led.set", "params": [False], "id": 1}
        for correlation in [b"again"] * 3 + [b"other"]:
            client.send("chip-a1", lit, correlation)
        was_lit = [(answer["result"], came) for answer, came in [client.answer() for _ in range(4)]]
        check("mqtt: a call that comes again is executed once", was_lit, [(True, b"again")] * 3 + [(False, b"other")])
        client.send("chip-a1", call, b"late", expiry=60)
        message = client.answers.get(timeout=SECONDS)
        check("mqtt: the answer expires with the call", within(1, message.properties.MessageExpiryInterval, 60))
        for at in range(50):
            client.send(("chip-a1", "chip-b2")[at % 2], {"jsonrpc": "2.0", "method": "add", "params": [at, 0], "id": at}, bytes([at]))
        answers = [client.answer() for _ in range(50)]
        right = all(answer == {"jsonrpc": "2.0", "result": came[0], "id": came[0]} for answer, came in answers)
        check("mqtt: 50 calls at once", (right, len({came for _, came in answers})), (True, 50))
        client.send("chip-a1", b"[" * 5000, b"long")
        check("mqtt: beside a packet too long", client.call("chip-b2", "add", 1, 1), 2)
        client.call("chip-b2", "blink", 50)
        check("mqtt: notifications", client.counts("chip-b2", 4), [1, 2, 3, 4])
    check("mqtt: the broker removes the presence of a chip that is gone", client.presence(60), ("chip-b2", b""))


def checks(chip, elf):
    yield all_checks, (chip, elf, chip.broker, chip.client)


def start(elf):
    """The chip, and with it the broker and its client."""
    broker = Broker()
    time.sleep(0.5)
    client = Paho(broker)
    chip = chip_at(elf, broker, "a1")
    chip.broker, chip.client = broker, client
    return chip


def end(chip):
    chip.client.end()
    chip.broker.stop()


class Client:
    """Calls one device."""

    def __init__(self, chip, name="chip-a1"):
        self.call = functools.partial(chip.client.call, name)

    def close(self):
        pass


class Echo(Client):
    """Calls a client of the broker that runs on this machine."""

    def __init__(self, chip):
        super().__init__(chip, "echo")
        self.device = Device(chip.broker, [("net/echo/rpc", 1)])

    def close(self):
        self.device.end()
