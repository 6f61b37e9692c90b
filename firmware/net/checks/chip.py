"""The emulated chip on a network of this machine, and the results of checks."""

import json
import os
import pathlib
import socket
import subprocess
import sys
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
    """Whether `value` is between the two, or a text that says what it is."""
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


# a panic of the firmware resets the chip, which ends the emulator
QEMU = ["qemu-system-arm", "-no-reboot", "-display", "none", "-monitor", "none"]
BOARD = ["-M", "lm3s6965evb", "-cpu", "cortex-m3"]


class Chip:
    """An image on the emulator. `port` of 127.0.0.1 leads to port 80 of the chip."""

    def __init__(self, elf, nic=None, options="", model=""):
        self.port = free_port()
        self.user = f"user,restrict=on,hostfwd=tcp:127.0.0.1:{self.port}-:80{options}"
        self.helpers = []
        nic = ["-nic", f"{self.user},model=stellaris{model}"] if nic is None else nic(self)
        self.process = self.run([*BOARD, "-kernel", str(elf), *nic])
        self.started = time.monotonic()
        # before DHCP is done, the emulator would wait six seconds for another try
        time.sleep(1)

    @staticmethod
    def run(arguments):
        return subprocess.Popen([*QEMU, *arguments], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def connect(self, timeout=SECONDS):
        """A connection to the chip. One at a time: the emulator takes one, and the next waits a second for another try."""
        stream = socket.create_connection(("127.0.0.1", self.port), timeout)
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
