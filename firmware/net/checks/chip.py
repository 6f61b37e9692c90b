"""The emulated chip on a network of this machine, and the results of checks."""

import collections
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
FIRMWARE = HERE.parents[1]
TARGET = "thumbv7m-none-eabi"
SECONDS = 20

passed = []
failed = []


def check(name, got, expected=True):
    """Prints `ok` if `got` is `expected`."""
    if got == expected:
        passed.append(name)
        print(f"ok {name}", flush=True)
    else:
        failed.append(name)
        print(f"FAILED {name}: got {got!r}, expected {expected!r}", flush=True)
    return got == expected


def run_check(name, function, *arguments):
    """A check that raises has failed."""
    try:
        function(*arguments)
    except Exception as error:
        check(name, f"{type(error).__name__}: {error}", "no exception")


def within(low, value, high):
    """True if `value` is from `low` to `high`; otherwise the reason, as a text."""
    return True if low <= value <= high else f"{value} is not from {low} to {high}"


def build(binary):
    """Builds the firmware and returns its path."""
    command = ["cargo", "build", "--quiet", "--release", "--package=net", f"--bin={binary}"]
    command += ["--message-format=json-render-diagnostics"]
    built = subprocess.run(command, cwd=FIRMWARE, stdout=subprocess.PIPE, text=True)
    if built.returncode:
        sys.exit(f"check: {binary} does not build")
    return next(elf for line in built.stdout.splitlines() if (elf := json.loads(line).get("executable")))


def sizes(elf):
    """Bytes of flash and of static RAM."""
    libdir = subprocess.run(["rustc", "--print", "target-libdir"], cwd=FIRMWARE, check=True, stdout=subprocess.PIPE, text=True)
    tool = pathlib.Path(libdir.stdout.strip()).parent / "bin" / "llvm-size"
    text = subprocess.run([tool, elf], check=True, stdout=subprocess.PIPE, text=True).stdout
    code, data, zeros = map(int, text.splitlines()[1].split()[:3])
    return code + data, data + zeros


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


# -no-reboot: a panic of the firmware resets the chip, which then ends the emulator
QEMU = ["qemu-system-arm", "-no-reboot", "-display", "none", "-monitor", "none"]
BOARD = ["-M", "lm3s6965evb", "-cpu", "cortex-m3"]


class Wire:
    """The frames that a chip sends: the emulator dumps the network `wire`."""

    CHIP = socket.inet_aton("10.0.2.15")

    def __init__(self):
        self.dump = tempfile.NamedTemporaryFile(suffix=".pcap")
        self.options = ["-object", f"filter-dump,id=dump,netdev=wire,file={self.dump.name}"]
        self.read = 24

    def segments(self):
        """The number of TCP segments with data since the last call, on the connection that has most. A repeated one is none.

        Not on all: the emulator may deliver the calls of a closed peer seconds later, and the chip answers them.
        """
        self.dump.seek(self.read)
        rest, found = memoryview(self.dump.read()), collections.defaultdict(set)
        while len(rest) >= 16 and len(rest) >= (end := 16 + int.from_bytes(rest[8:12], sys.byteorder)):
            frame, rest = rest[16:end], rest[end:]
            self.read += end
            if frame[12:14] == b"\x08\x00" and frame[23] == 6 and frame[26:30] == self.CHIP:
                len_of_data = int.from_bytes(frame[16:18], "big") - 20 - (frame[46] >> 4) * 4
                if len_of_data:
                    found[bytes(frame[34:38])].add(bytes(frame[38:42]))
        return max(map(len, found.values()), default=0)


class Chip:
    """An image on the emulator. `port` of 127.0.0.1 leads to port 80 of the chip."""

    def __init__(self, elf, nic=None, options="", model=""):
        self.port = free_port()
        self.user = f"user,restrict=on,hostfwd=tcp:127.0.0.1:{self.port}-:80{options}"
        self.helpers = []
        self.wire = Wire()
        user = self.user.replace("user,", "user,id=wire,", 1)
        nic = ["-nic", f"{user},model=stellaris{model}", *self.wire.options] if nic is None else nic(self)
        self.process = self.run([*BOARD, "-kernel", str(elf), *nic])
        while not self.is_listening() and self.process.poll() is None:
            time.sleep(0.05)
        # connect only after DHCP: the emulator retries a failed connection after six seconds
        time.sleep(1)

    @staticmethod
    def run(arguments):
        return subprocess.Popen([*QEMU, *arguments], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def is_listening(self):
        """Whether the emulator has opened the port. A connection would come too early."""
        return f"0100007F:{self.port:04X} 00000000:0000 0A" in pathlib.Path("/proc/net/tcp").read_text()

    def connect(self, room=None):
        """A connection to the chip, with a receive buffer of `room` bytes.

        One at a time: the emulator accepts one, and retries the next after a second.
        """
        stream = socket.socket()
        if room:
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        stream.settimeout(SECONDS)
        stream.connect(("127.0.0.1", self.port))
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        time.sleep(0.01)
        return stream

    def cpu_seconds(self):
        stat = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        for process in [self.process, *self.helpers]:
            process.kill()
            process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
