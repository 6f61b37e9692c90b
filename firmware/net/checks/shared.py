"""The checks that several images share."""

import contextlib
import multiprocessing
import shutil
import socket
import struct
import subprocess
import tempfile
import time

from chip import SECONDS, check, within

# A call takes 1 to 8 times as long as an echo. Waiting for a clock tick or for a delayed acknowledgement takes 10 ms or more.
SLOWER = 25


class Echo:
    """An echo server in another process, as the reference: a busy machine slows it down as much as the chip."""

    def __init__(self, _):
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.ours = socket.create_connection(server.getsockname(), SECONDS)
            theirs, _ = server.accept()
        for stream in (self.ours, theirs):
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.process = multiprocessing.Process(target=self.give_back, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    @staticmethod
    def give_back(stream):
        while data := stream.recv(4096):
            stream.sendall(data)

    def call(self, *_):
        self.ours.sendall(bytes(64))
        left = 64
        while left:
            left -= len(self.ours.recv(left))

    def close(self):
        self.process.kill()
        self.ours.close()


@contextlib.contextmanager
def chromium(url, *options):
    """Chromium with this page."""
    profile = tempfile.mkdtemp()
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={profile}"]
    command += ["--remote-debugging-port=0", *options, url]
    browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        browser.terminate()
        browser.wait()
        shutil.rmtree(profile, ignore_errors=True)


def reset(peer):
    """Closes the connection with a reset."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


def seconds(call, *arguments):
    begin = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - begin


def quantile(times, part):
    return sorted(times)[len(times) * part // 100]


def round_trip(image, chip, call, echo, count=500):
    """Microseconds: the median of so many calls of `add` by `call`. Checks the calls beside those of `echo` between them."""
    # retry if the machine was busy with other work
    for _ in range(3):
        chip.wire.segments()
        times = [(seconds(call, "add", at, 1), seconds(echo, "add", at, 1)) for at in range(count)]
        segments = chip.wire.segments()
        calls, echoes = zip(*times)
        # compare the fastest tenth: a busy machine interrupts the emulator in most calls, but the echo in few
        took, beside = quantile(calls, 10), quantile(echoes, 10)
        if took < SLOWER * beside:
            break
    check(f"{image}: a call takes as long as {took / beside:.1f} echoes", within(0, took / beside, SLOWER))
    # with more segments, the chip has waited for the peer in the middle of an answer
    check(f"{image}: an answer is one segment", within(count, segments, count * 1.05))
    return round(quantile(calls, 50) * 1e6)


def beside_slow_peers(image, chip, client, new_client, message, seconds=5):
    """Peers that send one byte of `message` a second, three more each second, beside `client` and new ones. Returns the peers."""
    peers = []
    for second in range(seconds):
        peers += [chip.connect() for _ in range(3)]
        for peer in peers:
            try:
                peer.send(message[second : second + 1])
            except OSError:
                pass
        other = new_client(chip)
        # the peers send nothing during this check; the chip closes an idle peer only after `is_open` would have timed out
        check(f"{image}: beside {len(peers)} slow peers", client.is_open() and other.is_open())
        other.close()
        time.sleep(1)
    return peers
