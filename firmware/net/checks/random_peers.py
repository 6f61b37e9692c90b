"""Peers that connect, send, read and end by a random sequence of steps, beside a client."""

import random
import socket
import time

import shared
from chip import SECONDS, check

STEPS = 3000


class Peers:
    """Up to five peers, each with its messages: a list of bytes, which a peer repeats, cuts or mixes."""

    def __init__(self, chip, messages, seed):
        self.chip, self.messages, self.dice, self.peers = chip, messages, random.Random(seed), []

    def connect(self):
        if len(self.peers) < 5:
            peer = self.chip.connect(room=self.dice.choice([None, 4096]))
            peer.settimeout(0.02)
            self.peers.append(peer)

    def send(self, peer):
        text = self.dice.choice(self.messages) * self.dice.choice([1, 1, 3, 30, 300])
        if self.dice.random() < 0.2:
            text = text[: self.dice.randrange(len(text))]
        peer.sendall(text)

    def receive(self, peer):
        peer.recv(self.dice.choice([10, 1000, 100_000]))

    def end(self, peer):
        how = self.dice.choice(["reset", "reset", "close", "end of sent", "end of received"])
        if how.startswith("end"):
            # this peer stays, and goes on with its other direction
            peer.shutdown(socket.SHUT_WR if how == "end of sent" else socket.SHUT_RD)
            return
        self.peers.remove(peer)
        shared.reset(peer) if how == "reset" else peer.close()

    def step(self):
        """One step of one peer. A connection that the chip has closed stays until its peer ends it."""
        step = self.dice.choices([self.connect, self.send, self.receive, self.end], [35, 45, 10, 10])[0]
        try:
            if step == self.connect:
                step()
            elif self.peers:
                step(self.dice.choice(self.peers))
        except OSError:
            pass


def check_beside(image, chip, new_client, messages):
    """Each 20 steps, a client calls. The chip may have closed it to make room for a peer: it then connects again, up to four times.

    Run it last: the emulator may deliver the calls of a closed peer seconds later.
    """
    peers, client = Peers(chip, messages, seed=11), new_client(chip)
    # notifications for all peers
    client.call("blink", 10)
    for _ in range(STEPS // 20):
        for _ in range(20):
            peers.step()
        for _ in range(5):
            if is_open := client.is_open():
                break
            client.close()
            client = new_client(chip)
        if not is_open:
            break
    check(f"{image}: beside random steps of peers", is_open)
    for peer in peers.peers:
        peer.close()
    client.call("blink", 0)
    deadline, alone = time.monotonic() + 6 * SECONDS, 0
    while alone < 5 and time.monotonic() < deadline:
        time.sleep(0.1)
        alone = alone + 1 if client.call("status")["connections"] == 1 else 0
    client.close()
