"""JSON-RPC in lines: the methods, six connections, and peers that are slow or hostile."""

import json
import random
import threading
import time

import random_peers
import shared
from chip import SECONDS, check, within
from stranger import Switch


class Client:
    """A client of the image `lines`."""

    def __init__(self, chip):
        self.stream = chip.connect()
        self.lines = self.stream.makefile("rb")
        self.id = 0
        self.heard = []

    def receive(self):
        line = self.lines.readline()
        if not line:
            raise ConnectionError("the chip has closed the connection")
        return json.loads(line)

    def call(self, method, *params):
        """The result, or the code of the error. Notifications before it are in `heard`."""
        self.id += 1
        request = {"jsonrpc": "2.0", "method": method, "id": self.id} | ({"params": params} if params else {})
        self.stream.sendall(json.dumps(request).encode() + b"\n")
        self.heard = []
        while "id" not in (answer := self.receive()):
            self.heard.append(answer)
        if answer["id"] != self.id:
            raise ValueError(f"an answer to {answer['id']} in place of {self.id}")
        return answer["result"] if "result" in answer else answer["error"]["code"]

    def is_open(self):
        try:
            return self.call("add", 20, 22) == 42
        except OSError:
            return False

    def close(self):
        self.lines.close()
        self.stream.close()


def methods(chip):
    client = Client(chip)
    check("lines: the LED is off", client.call("led.get"), False)
    check("lines: the LED was off", client.call("led.set", True), False)
    check("lines: the LED is on", client.call("led.get"), True)
    check("lines: a sum", client.call("add", 2**62, -1), 2**62 - 1)
    check("lines: a sum that does not fit", client.call("add", 2**63 - 1, 1), -32602)
    check("lines: an unknown method", client.call("reboot"), -32601)
    check("lines: a period too short", client.call("blink", 9), -32001)
    client.stream.sendall(b'{"jsonrpc":"2.0"\n')
    check("lines: broken JSON", client.receive()["error"]["code"], -32700)
    client.stream.sendall(b'{"jsonrpc":"2.0","method":"add","params":["%s"],"id":1}\n' % (b"x" * 3000))
    check("lines: a line too long", client.receive()["error"]["code"], -32600)
    client.call("led.set", False)
    check("lines: it did not blink", client.call("blink", 20), 0)
    heard = [client.receive() for _ in range(4)]
    blinked = [{"count": count, "led": count % 2 == 1} for count in range(1, 5)]
    check("lines: notifications of blinks", heard, [{"jsonrpc": "2.0", "method": "blinked", "params": it} for it in blinked])
    check("lines: blinks are counted", client.call("blink", 0) >= 4)
    text = b"".join(b'{"jsonrpc":"2.0","method":"add","params":[%d,1],"id":%d}\n' % (id, id) for id in range(500))
    chip.wire.segments()
    client.stream.sendall(text)
    answers = [client.receive() for _ in range(500)]
    check("lines: 500 calls at once", answers, [{"jsonrpc": "2.0", "result": id + 1, "id": id} for id in range(500)])
    check("lines: several answers in a segment", within(1, chip.wire.segments(), 250))
    client.close()


def six(chip):
    """Six connections, then a seventh: the one whose last message is oldest leaves."""
    clients = [Client(chip) for _ in range(6)]
    check("lines: six connections", [client.is_open() for client in clients], [True] * 6)
    evicted = clients[0].call("status")["evicted"]
    seventh = Client(chip)
    # the first client has called most recently
    check("lines: a seventh connection", seventh.is_open())
    check("lines: only the idlest leaves", [client.is_open() for client in clients], [True, False, True, True, True, True])
    check("lines: it is counted", seventh.call("status")["evicted"], evicted + 1)
    check("lines: six are open", seventh.call("status")["connections"], 6)
    for client in [seventh, *clients]:
        client.close()


def slow(chip):
    """Peers that send one byte a second, more than there are connections; two clients among them."""
    client = Client(chip)
    peers = shared.beside_slow_peers("lines", chip, client, Client, b'{"jsonrpc":"2.0"', seconds=6)
    for peer in peers:
        peer.close()
    client.close()


def half_open(elf):
    """1,000 half-open connections one after another, as frames of another machine, beside five clients."""
    with Switch(elf) as switch:
        chip = switch.chip
        clients = [Client(chip) for _ in range(5)]
        check("lines: five clients", [client.is_open() for client in clients], [True] * 5)
        before = clients[0].call("status")
        check("lines: the stranger finds the chip", switch.find())
        calls, late = 0, 0
        for at in range(1000):
            switch.syn(20_000 + at)
            if at % 20 == 10:
                calls += clients[at // 20 % 5].is_open()
            if at % 200 == 100:
                late += Client(chip).is_open()
            time.sleep(0.002)
        time.sleep(0.3)
        after = clients[0].call("status")
        check("lines: 1,000 handshakes are answered", within(990, len(switch.answered), 1000))
        check("lines: half-open ones leave for others", within(980, after["half_open"] - before["half_open"], 1010))
        check("lines: beside 1,000 half-open connections", (calls, [it.is_open() for it in clients]), (50, [True] * 5))
        check("lines: new clients between them", late, 5)


def silent(chip):
    """1,000 connections that say nothing, one after another."""
    client = Client(chip)
    peers, served = [], 0
    for at in range(1000):
        try:
            peers.append(chip.connect())
        except OSError:
            pass
        if at % 50 == 0:
            served += client.is_open()
    check("lines: beside 1,000 silent connections", (served, client.is_open(), Client(chip).is_open()), (20, True, True))
    for peer in peers:
        peer.close()
    client.close()


def garbage(chip):
    dice = random.Random(5)
    client, peer = Client(chip), chip.connect()
    peer.settimeout(0.05)
    served, received = 0, 0
    for _ in range(50):
        peer.sendall(dice.randbytes(4096))
        try:
            received += len(peer.recv(65536))
        except TimeoutError:
            pass
        served += client.is_open()
    check("lines: beside 200 KB of garbage", served, 50)
    check("lines: garbage is answered", received > 1000)
    peer.close()
    # send an endless line
    peer = chip.connect()
    for _ in range(256):
        peer.sendall(b"[" * 4096)
    check("lines: beside a line of 1 MB", client.is_open())
    peer.sendall(b"\n")
    peer.settimeout(SECONDS)
    check("lines: one error for it", json.loads(peer.makefile("rb").readline())["error"]["code"], -32600)
    peer.close()
    client.close()


MESSAGES = [
    b'{"jsonrpc":"2.0","method":"status","id":1}\n', b'{"jsonrpc":"2.0","method":"led.set","params":[true],"id":1}\n', b"{\n",
    b"[" + b",".join([b'{"jsonrpc":"2.0","method":"led.get","id":1}'] * 9) + b"]\n", b"[" * 700 + b"\n",
]


def peers(chip):
    random_peers.check_beside("lines", chip, Client, MESSAGES)


def reset(chip):
    """A peer that calls, never reads, and resets the connection while answers wait for room."""
    client = Client(chip)
    for _ in range(3):
        peer = chip.connect(room=4096)
        peer.settimeout(0.5)
        try:
            while True:
                peer.sendall(b'{"jsonrpc":"2.0","method":"status","id":1}\n' * 100)
        except TimeoutError:
            pass
        shared.reset(peer)
    check("lines: beside resets in the middle of answers", client.is_open())
    client.close()


def deaf(chip, peer):
    """`peer` calls and never reads: it is closed once the buffers between it and the chip are full."""
    peer.settimeout(1)
    begin, is_closed = time.monotonic(), False
    call = b'{"jsonrpc":"2.0","method":"status","id":1}\n' * 2000
    # this deadline matters only if the chip never closes the connection
    while time.monotonic() - begin < 300 and not is_closed:
        try:
            peer.sendall(call)
        except TimeoutError:
            pass
        except OSError:
            is_closed = True
    check("a peer that does not read is closed", is_closed)


def last(chip):
    """At once: a silent connection, a peer that does not read, and a client that stays served."""
    client, silent_peer, deaf_peer = Client(chip), chip.connect(), chip.connect(room=4096)
    begin = client.call("status")["uptime"]
    threads = [threading.Thread(target=idle, args=(silent_peer,)), threading.Thread(target=deaf, args=(chip, deaf_peer))]
    for thread in threads:
        thread.start()
    served, turns = 0, 0
    while any(thread.is_alive() for thread in threads):
        served += client.is_open()
        turns += 1
        if threads[0].is_alive():
            # measure by the clock of the chip, which a busy machine slows down
            closed = client.call("status")["uptime"]
        time.sleep(0.2)
    check("beside these two, a client is served", (served, turns > 10), (turns, True))
    check("an idle connection is closed after 30 seconds", within(29_000, closed - begin, 40_000))
    client.close()


def idle(peer):
    """The connection `peer`, which says nothing, is closed."""
    peer.settimeout(100)
    check("an idle connection is closed", peer.recv(100), b"")


def rest(chip):
    before, begin = chip.cpu_seconds(), time.monotonic()
    time.sleep(1)
    check("it sleeps", within(0, (chip.cpu_seconds() - before) / (time.monotonic() - begin), 0.3))


def checks(chip, elf):
    yield from ((part, (chip,)) for part in (methods, six, slow, silent, garbage, reset))
    yield half_open, (elf,)
    yield last, (chip,)
    yield peers, (chip,)
