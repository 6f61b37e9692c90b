"""Shared by the checks in Python: the examples as peers, three ways to reach them, and a line for each check.

A check is a function that raises if it does not hold. It has a few seconds for each answer.
"""

import contextlib
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

EXAMPLES = Path(os.environ["NANOJSONRPC_EXAMPLES"])
SECONDS = 10
# for what takes its time to begin
PATIENCE = 60

failures = 0


def check(name, function):
    """Runs a check and prints its line."""
    global failures
    try:
        function()
    except Exception as error:
        failures += 1
        print(f"FAILED {name}: {type(error).__name__}: {str(error)[:300]}", flush=True)
    else:
        print(f"ok {name}", flush=True)


def finish():
    sys.exit(1 if failures else 0)


def equal(got, expected):
    if got != expected:
        raise AssertionError(f"got {got!r:.200}, expected {expected!r:.200}")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def until(function):
    """The result of a function that may fail at first."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return function()
        except Exception:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


@contextlib.contextmanager
def program(*command, **options):
    process = subprocess.Popen([str(word) for word in command], stderr=subprocess.DEVNULL, **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


class Wire:
    """A connection that sends and receives whole messages."""

    def __init__(self, sock, is_content_length, process=None):
        self.sock = sock
        self.process = process
        self.sock.settimeout(SECONDS)
        self.file = sock.makefile("rb")
        self.is_content_length = is_content_length

    def __enter__(self):
        return self

    def __exit__(self, problem, *_):
        self.file.close()
        self.sock.close()
        if self.process:
            status = self.process.wait(SECONDS)
            if problem is None:
                equal(status, 0)

    def framed(self, text):
        """A message in its frame."""
        message = text if isinstance(text, bytes) else text.encode()
        if self.is_content_length:
            return b"Content-Length: %d\r\n\r\n%s" % (len(message), message)
        return message + b"\n"

    def send(self, text):
        self.sock.sendall(self.framed(text))

    def receive(self):
        """The next message; None at the end of the stream."""
        if not self.is_content_length:
            line = self.file.readline()
            if line and not line.endswith(b"\n"):
                raise AssertionError(f"half a line: {line!r:.200}")
            return line.decode().removesuffix("\n") if line else None
        length = None
        while line := self.file.readline():
            if line == b"\r\n":
                message = self.file.read(length)
                equal(len(message), length)
                return message.decode()
            name, value = line.split(b":")
            equal(name, b"Content-Length")
            length = int(value)
        return None

    def ask(self, text):
        self.send(text)
        return self.receive()

    def end(self):
        """Ends the output."""
        self.sock.shutdown(socket.SHUT_WR)


class Stdio:
    """A new process for each connection."""

    name = "stdio"
    is_content_length = False

    def connect(self):
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen([EXAMPLES / "stdio"], stdin=theirs, stdout=theirs)
        return Wire(ours, False, process)


class Tcp:
    """One server for all connections."""

    def __init__(self, is_content_length):
        self.is_content_length = is_content_length
        self.name = "tcp --content-length" if is_content_length else "tcp"
        options = ["--content-length"] if is_content_length else []
        self.server = subprocess.Popen(
            [EXAMPLES / "tcp", "--listen", "127.0.0.1:0", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        host, port = self.server.stdout.readline().removeprefix("listening on ").strip().rsplit(":", 1)
        self.address = (host, int(port))

    def connect(self):
        return Wire(socket.create_connection(self.address, SECONDS), self.is_content_length)


def all_ways():
    """The ways to reach a server; all servers end with the program."""
    import atexit

    ways = [Stdio(), Tcp(False), Tcp(True)]
    for way in ways[1:]:
        atexit.register(way.server.wait)
        atexit.register(way.server.kill)
    return ways
