"""Streamable HTTP on loopback, in front of a server on standard input and output.

bridge.py COMMAND...: says where it listens, and then is there until it is ended. A session of the revisions that have one
is one process; each stateless request has a process of its own, which therefore knows nothing of another. The server
answers in the order in which it is asked, so what it says meanwhile belongs to the request that has waited longest.
"""

import asyncio
import json
import socket
import sys
import uuid

import uvicorn
from schemas import META_VERSION, REVISIONS
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

HEADER_MISMATCH = -32020
# 2026-07-28, Streamable HTTP
STATUS = {-32601: 404} | dict.fromkeys([-32700, -32600, -32602, HEADER_MISMATCH, -32021, -32022], 400)
# which parameter stands in a header, too
NAMES = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

sessions = {}


class Server:
    """A process, and the requests that wait for it."""

    async def start(self):
        self.process = await asyncio.create_subprocess_exec(
            *sys.argv[1:], stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 20
        )
        self.waiting = {}
        self.reader = asyncio.create_task(self.read())
        return self

    async def read(self):
        async for line in self.process.stdout:
            message = json.loads(line)
            if "method" in message:
                if self.waiting:
                    next(iter(self.waiting.values())).put_nowait(message)
            elif answered := self.waiting.pop(message.get("id"), None):
                answered.put_nowait(message)
        for waiting in self.waiting.values():
            waiting.put_nowait(None)

    async def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        await self.process.stdin.drain()

    async def ask(self, message):
        """What the server says to a request, the answer last."""
        self.waiting[message["id"]] = queue = asyncio.Queue()
        await self.send(message)
        while (said := await queue.get()) is not None:
            yield said
            if "method" not in said:
                return

    async def end(self):
        self.process.stdin.close()
        await self.reader
        await self.process.wait()


def is_elsewhere(request):
    """Whether a page of somebody else sent it, by a name that it has given to this machine."""
    here = ["localhost", "127.0.0.1"]
    origin = request.headers.get("origin")
    hosts = [request.headers.get("host", "")] + ([origin.split("://")[-1]] if origin else [])
    return any(host.rsplit(":", 1)[0] not in here for host in hosts)


def mismatch(message, headers):
    """What a header of a stateless request says otherwise than its body."""
    params = message.get("params") or {}
    version = params.get("_meta", {}).get(META_VERSION)
    if version is not None and headers.get("mcp-protocol-version") != version:
        return "MCP-Protocol-Version"
    if headers.get("mcp-method") != message.get("method"):
        return "Mcp-Method"
    name = NAMES.get(message.get("method"))
    if name and headers.get("mcp-name") != params.get(name):
        return "Mcp-Name"
    return None


async def answer(server, message, headers, is_session):
    """The answer alone as JSON; if something comes before it, all of it as events."""
    said = server.ask(message)
    first = await anext(said, None)

    async def events():
        yield f"event: message\ndata: {json.dumps(first)}\n\n"
        async for following in said:
            yield f"event: message\ndata: {json.dumps(following)}\n\n"
        if not is_session:
            await server.end()

    if first is None:
        return Response("the server has ended", 502)
    if "method" in first:
        return StreamingResponse(events(), media_type="text/event-stream", headers=headers)
    if not is_session:
        await server.end()
    code = first.get("error", {}).get("code")
    return JSONResponse(first, 200 if is_session else STATUS.get(code, 200), headers)


async def post(request: Request):
    if is_elsewhere(request):
        return Response("not from here", 403)
    message = json.loads(await request.body())
    params = message.get("params")
    meta = params.get("_meta", {}) if isinstance(params, dict) else {}
    id = request.headers.get("mcp-session-id")
    if message.get("method") == "initialize" and META_VERSION not in meta:
        id = str(uuid.uuid4())
        sessions[id] = await Server().start()
        return await answer(sessions[id], message, {"Mcp-Session-Id": id}, True)
    if id is not None:
        if id not in sessions:
            return Response("no such session", 404)
        if "method" in message and "id" in message:
            return await answer(sessions[id], message, {}, True)
        await sessions[id].send(message)
        return Response(status_code=202)
    if META_VERSION not in meta and request.headers.get("mcp-protocol-version") in [None, *REVISIONS[:2]]:
        return Response("a session is missing", 400)
    if "id" not in message:
        return Response(status_code=202)
    if header := mismatch(message, request.headers):
        error = {"code": HEADER_MISMATCH, "message": f"{header} does not match"}
        return JSONResponse({"jsonrpc": "2.0", "error": error, "id": message["id"]}, 400)
    return await answer(await Server().start(), message, {}, False)


async def delete(request: Request):
    server = sessions.pop(request.headers.get("mcp-session-id"), None)
    if server is None:
        return Response("no such session", 404)
    await server.end()
    return Response()


app = Starlette(routes=[Route("/mcp", post, methods=["POST"]), Route("/mcp", delete, methods=["DELETE"])])
listener = socket.create_server(("127.0.0.1", 0))
print("listening on http://127.0.0.1:%d/mcp" % listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error")).run([listener])
