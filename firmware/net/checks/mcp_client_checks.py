"""The image mcp_client calls the tools of the Python SDK's server over Streamable HTTP, in both generations of the protocol.

The server prints a line for each response and each report. The chip reports the outcome of its calls by a call.
"""

import json
import pathlib
import queue
import socket
import subprocess
import sys
import threading
import time

from chip import SECONDS, Chip, check, free_port

CHECKS = pathlib.Path(__file__).resolve().parent
# the address of the server as the chip sees it
ADDRESS = "10.0.2.100:8000"
STATELESS, SESSION = "2026-07-28", "2025-11-25"


class Server:
    """The server, and the lines that it prints."""

    def __init__(self):
        self.port, self.lines = free_port(), queue.Queue()
        self.process = None

    def refuse_once(self):
        """Accepts a connection in place of the server, and closes it without a response."""
        with socket.create_server(("127.0.0.1", self.port)) as listener:
            listener.settimeout(SECONDS)
            listener.accept()[0].close()

    def start(self):
        command = [sys.executable, CHECKS / "sdk_server.py", str(self.port), ADDRESS]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        threading.Thread(target=lambda: [self.lines.put(line) for line in self.process.stdout], daemon=True).start()

    def read_to(self, last):
        """The next lines, up to one of which `last` holds."""
        found, until = [], time.monotonic() + 6 * SECONDS
        while not found or not last(found[-1]):
            found.append(json.loads(self.lines.get(timeout=max(until - time.monotonic(), 0))))
        return found


def reported(revision, lines, chip):
    """Checks the outcome of the calls that both generations have."""
    [report] = [line["report"] for line in lines if "report" in line]
    chip.report, name = report, f"mcp_client, {revision}"
    check(f"{name}: it finds the revision", report["revision"], revision)
    check(f"{name}: it lists the tools", report["tools"], 6)
    check(f"{name}: it reads structured content into a type", report["sum"], 42)
    check(f"{name}: it answers elicitation, sampling and roots", (report["asked"], report["said"]), (3, "chip | warm | file:///flash"))
    check(f"{name}: it receives progress", report["progress"], 3)
    check(f"{name}: a tool that fails", report["has_failed"])
    # the SDK has no code for an unknown prompt
    check(f"{name}: an error of the server", report["code"], {STATELESS: -32603, SESSION: 0}[revision])
    check(f"{name}: a late call is cancelled", (report["is_late"], lines.count({"cancelled": "sleep"})), (True, 1))
    return report


def stateless(chip):
    """2026-07-28: each request is complete."""
    chip.server.refuse_once()
    chip.server.start()
    lines = chip.server.read_to(lambda line: line.get("headers", {}).get("mcp-name") == "report")
    name = f"mcp_client, {STATELESS}"
    report = reported(STATELESS, lines, chip)
    check(f"{name}: it begins again until the server is there", report["failures"] > 0)
    requests = [line for line in lines if "method" in line]
    check(f"{name}: only requests that succeed", {(it["method"], it["status"]) for it in requests}, {("POST", 200)})
    methods = [it["headers"].get("mcp-method") for it in requests]
    expected = ["server/discover", "tools/list", *["tools/call"] * 5, "prompts/get", "tools/call"]
    check(f"{name}: the methods in the heads", methods, expected)
    called = [it["headers"]["mcp-name"] for it in requests if "mcp-name" in it["headers"]]
    check(f"{name}: the names in the heads", called, ["add", "ask", "ask", "climb", "fall", "none", "report"])
    check(f"{name}: the revision in the heads", {it["headers"].get("mcp-protocol-version") for it in requests}, {STATELESS})


def session(chip):
    """2025-11-25: a session, which the chip ends. Its answers take a second connection while a call is open."""
    lines = chip.server.read_to(lambda line: line.get("method") == "DELETE")
    name = f"mcp_client, {SESSION}"
    report = reported(SESSION, lines, chip)
    check(f"{name}: it does not begin again", report["failures"], 0)
    first, *requests = [line for line in lines if "method" in line]
    check(f"{name}: initialize belongs to no session", first, {"method": "POST", "status": 200, "headers": {}})
    check(f"{name}: one session", len({it["headers"].get("mcp-session-id", "") for it in requests} - {""}), 1)
    check(f"{name}: the revision in the heads", {it["headers"].get("mcp-protocol-version") for it in requests}, {SESSION})
    statuses = [it["status"] for it in requests]
    # 202: a notification, three answers, a cancellation
    check(f"{name}: only requests that succeed", sorted(statuses), [200] * 9 + [202] * 5)
    check(f"{name}: it ends the session", (requests[-1]["method"], statuses[-1]), ("DELETE", 200))


def checks(chip, elf):
    yield stateless, (chip,)
    yield session, (chip,)


def measured(name, module, chip):
    """Peak stack and the memory for the stack, by the last report. The image answers no calls."""
    return chip.report["stack"], chip.report["stack_room"], None


def start(elf):
    """The chip, and with it the server, which starts in the first check."""
    server = Server()
    relay = f"{sys.executable} {CHECKS / 'relay.py'} {server.port}"
    chip = Chip(elf, options=f",guestfwd=tcp:{ADDRESS}-cmd:{relay}")
    chip.server = server
    return chip


def end(chip):
    if chip.server.process:
        chip.server.process.kill()
        chip.server.process.wait()
