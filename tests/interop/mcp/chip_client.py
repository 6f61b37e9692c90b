"""The firmware mcp_client on an emulated chip calls a server of the Python SDK: the UART of the one is the standard input and output
of the other. What comes of it stands in the chip's log.

chip_client.py CHIP... -- SERVER...: the two commands.
"""

import subprocess
import sys

from harness import check, finish

SECONDS = 60
SPLIT = sys.argv.index("--")
CHIP, SERVER = sys.argv[1:SPLIT], sys.argv[SPLIT + 1 :]


def talk():
    """The lines of the chip's log, without their prefix."""
    server = subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    chip = subprocess.Popen(CHIP, stdin=server.stdout, stdout=server.stdin, stderr=subprocess.PIPE, text=True)
    # only the two hold the pipes
    server.stdin.close()
    server.stdout.close()
    try:
        return chip.communicate(timeout=SECONDS)[1].splitlines()
    except subprocess.TimeoutExpired:
        chip.kill()
        return []
    finally:
        server.kill()
        server.wait()


LOG = talk()


def logged(line):
    def found():
        if not any(said.rstrip().endswith(line) or f"{line} " in said for said in LOG):
            raise AssertionError(f"no {line!r} in {LOG!r:.300}")

    return found


for name, line in [
    ("it finds out what the server speaks", "connected: 2026-07-28"),
    ("it lists the tools", "tool: climb"),
    ("structured content is read into a type", "sum: 42"),
    ("what a tool asks is answered", "ask: chip | warm | file:///flash false"),
    ("in handlers of the chip", "asked: 3"),
    ("a tool that fails", "fall: Error executing tool fall true"),
    ("an error of the server", "refused: -32603"),
    ("to the end", "done"),
]:
    check(f"chip, Python SDK: {name}", logged(line))
finish()
