"""The official Python SDK calls the example mcp_http, or axum, over HTTP, in each of its modes, and always the same server.

http_client.py COMMAND...: the server is COMMAND, which says where it listens.
"""

import asyncio
import contextlib
import json
import logging
import os
import pathlib
import queue
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from unittest.mock import patch

import anyio
import mcp_types
from harness import SECONDS, check, equal, finish
from mcp import Client, MCPError
from schemas import REVISIONS, STATELESS

LATER = "2099-01-01"


class Server:
    """The process, and its output."""

    def __init__(self):
        self.process = subprocess.Popen(COMMAND, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().removeprefix("listening on ").strip()
        self.lines = queue.Queue()
        threading.Thread(target=lambda: [self.lines.put(line) for line in self.process.stdout], daemon=True).start()

    def end(self):
        self.process.kill()
        self.process.wait()


class Checks:
    """Each is a separate check, with a separate client."""

    def __init__(self, server, name, mode, revision, replaced=None):
        self.server, self.name, self.mode, self.revision = server, name, mode, revision
        # of the SDK: the revision that it proposes
        self.replaced = replaced or {}

    @contextlib.asynccontextmanager
    async def connect(self):
        with contextlib.ExitStack() as stack:
            for name, value in self.replaced.items():
                stack.enter_context(patch(name, value))
            async with Client(self.server.url, mode=self.mode, read_timeout_seconds=SECONDS, cache=None) as client:
                yield client

    async def connects(self):
        async with self.connect() as client:
            equal(client.protocol_version, self.revision)
            if self.mode == STATELESS:
                # it has sent no request yet
                result = await client.session.send_discover(STATELESS)
                client.session.adopt(mcp_types.DiscoverResult.model_validate(result))
            equal(client.session.server_info.name, "nanojsonrpc-http")

    async def lists(self):
        async with self.connect() as client:
            (tool,) = (await client.list_tools()).tools
            equal((tool.name, tool.input_schema["type"]), ("count", "object"))

    async def calls(self):
        async with self.connect() as client:
            for steps in [1, 2]:
                equal(await count(client, steps), f"counted to {steps}")

    async def progress(self):
        heard = []

        async def hear(done, total, _):
            heard.append((done, total))

        async with self.connect() as client:
            equal(await count(client, 3, progress_callback=hear), "counted to 3")
        equal(heard, [(1, 3), (2, 3), (3, 3)])

    async def at_once(self):
        async with self.connect() as client:
            numbers = range(1, 9)
            equal(await asyncio.gather(*[count(client, steps) for steps in numbers]), [f"counted to {n}" for n in numbers])

    async def unknown(self):
        async with self.connect() as client:
            for call, code in [
                (lambda: client.call_tool("größe", {}), -32602),
                (lambda: client.list_tools(cursor="?"), -32602),
                (lambda: client.list_prompts(), -32601),
            ]:
                equal(await refused(call()), code)
            equal(await count(client, 1), "counted to 1")

    async def gives_up(self):
        """Closing the stream is cancellation in 2026-07-28. Before, the SDK sends a notification, which `mcp_axum` obeys."""
        async with self.connect() as client:
            await count(client, 1)
            code = await refused(client.call_tool("count", {"steps": 5}, read_timeout_seconds=0.25))
            equal(code, mcp_types.REQUEST_TIMEOUT)
            equal(await count(client, 1), "counted to 1")
        with contextlib.suppress(queue.Empty):
            said = self.server.lines.get(timeout=1)
            equal((said.startswith("cancelled at "), self.revision == STATELESS or SERVER == "mcp_axum"), (True, True))
            return
        equal((self.revision in REVISIONS[:2], SERVER), (True, "mcp_http"))

    def run(self):
        for name, function in [
            ("connects", self.connects),
            ("lists the tool", self.lists),
            ("calls it", self.calls),
            ("hears of progress", self.progress),
            ("eight calls at once", self.at_once),
            ("unknown tools, cursors and methods", self.unknown),
            ("gives up a call", self.gives_up),
        ]:
            check(f"mcp over http, {SERVER}, {self.name}: {name}", lambda: run(function))


async def count(client, steps, **options):
    result = await client.call_tool("count", {"steps": steps}, **options)
    equal((result.is_error or False, [block.type for block in result.content]), (False, ["text"]))
    return result.content[0].text


async def refused(awaitable):
    """The code of the error that the server answers with."""
    try:
        got = await awaitable
    except MCPError as error:
        return error.code
    raise AssertionError(f"no error but {got!r:.200}")


def run(function):
    """Runs `function`, and raises a single error of a group as itself."""
    try:
        anyio.run(function)
    except BaseExceptionGroup as group:
        while isinstance(group, BaseExceptionGroup):
            group = group.exceptions[0]
        raise group from None


def post(body, *headers):
    lines = ["POST /mcp HTTP/1.1", "host: localhost", "content-type: application/json", f"content-length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", body]).encode()


def initialize(url):
    """The status of a new session, by a client that never uses it."""
    params = {"protocolVersion": REVISIONS[1], "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).encode()
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=SECONDS) as response:
        return response.status


def hostile():
    """Clients that send a part of a request, or leave, end within seconds; sessions without end lock nobody out."""
    other = Server()
    try:
        address = urllib.parse.urlsplit(other.url)
        files = lambda: len(os.listdir(f"/proc/{other.process.pid}/fd"))
        equal(initialize(other.url), 200)
        # the server has closed the connection of this client
        time.sleep(0.5)
        start = files()
        call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "count", "arguments": {"steps": 9 * 10**15}}})
        texts = [b"", post("{}")[:30], post(call)[:-5], post(call, f"mcp-protocol-version: {REVISIONS[1]}")]
        clients = []
        for text in texts * 10:
            clients.append(socket.create_connection((address.hostname, address.port), SECONDS))
            clients[-1].sendall(text)
        late = time.monotonic() + SECONDS
        while files() > start:
            equal(time.monotonic() < late, True)
            time.sleep(0.1)
        for _ in range(1100):
            equal(initialize(other.url), 200)
    finally:
        other.end()


def arguments():
    ran = lambda *words: subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=SECONDS)
    helped, refused = ran("--help"), ran("--listen", "nowhere")
    equal((helped.returncode, helped.stderr, "Usage: " in helped.stdout), (0, "", True))
    equal((refused.returncode, refused.stdout, refused.stderr.count("\n"), "{" in refused.stderr), (2, "", 1, False))


logging.disable()
COMMAND = sys.argv[1:]
SERVER = pathlib.Path(COMMAND[0]).stem
server = Server()
for way in [
    ("handshake 2025-06-18", "legacy", REVISIONS[0], {"mcp.client.session.LATEST_HANDSHAKE_VERSION": REVISIONS[0]}),
    ("handshake 2025-11-25", "legacy", REVISIONS[1]),
    ("stateless 2026-07-28", STATELESS, STATELESS),
    ("probe", "auto", STATELESS),
    (
        "probe and fall back",
        "auto",
        REVISIONS[1],
        {"mcp.client._probe.LATEST_MODERN_VERSION": LATER, "mcp.client._probe.MODERN_PROTOCOL_VERSIONS": (LATER,)},
    ),
]:
    Checks(server, *way).run()
server.end()
check(f"mcp over http, {SERVER}: hostile clients", hostile)
check(f"mcp over http, {SERVER}: --help and a wrong argument", arguments)
finish()
