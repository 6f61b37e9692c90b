#!/usr/bin/env python3
"""Replaces the server: it negotiates a revision and then answers wrongly, which proves that each check can fail.
With `--http` first: over HTTP on loopback, on the port of the variable PORT, or a free one."""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

META_VERSION = "io.modelcontextprotocol/protocolVersion"


def result_of(method, params, is_stateless):
    """A wrong answer of the right shape."""
    about = {"capabilities": {"logging": {}}, "instructions": "wrong"}
    lists = {
        "tools/list": {"tools": [{"name": "wrong", "inputSchema": {"type": "object"}}]},
        "resources/list": {"resources": []},
        "resources/templates/list": {"resourceTemplates": []},
        "prompts/list": {"prompts": []},
        "resources/read": {"contents": []},
    }
    hints = {"ttlMs": 0, "cacheScope": "private"} if is_stateless else {}
    match method:
        case "initialize":
            return about | {"protocolVersion": params["protocolVersion"], "serverInfo": {"name": "wrong", "version": "0"}}
        case "server/discover":
            return about | hints | {"supportedVersions": [params["_meta"][META_VERSION]]}
        case "tools/call":
            return {"content": [{"type": "text", "text": "wrong"}]}
        case "prompts/get":
            return {"messages": []}
        case "completion/complete":
            return {"completion": {"values": ["wrong"]}}
        case _:
            return lists[method] | hints if method in lists else {}


def answers(line):
    try:
        message = json.loads(line)
        method, params = message["method"], message.get("params") or {}
        meta = params.get("_meta", {})
        id = message.get("id", 1)
    except Exception:
        yield {"result": {}, "id": 1}
        return
    is_stateless = META_VERSION in meta
    if method == "server/discover" and meta.get(META_VERSION) != "2026-07-28":
        yield {"error": {"code": -32601, "message": "wrong"}, "id": id}
        return
    if method == "ping" and not is_stateless:
        yield {"error": {"code": 1, "message": "wrong"}, "id": id}
        return
    if method == "tools/call":
        yield {"method": "notifications/progress", "params": {"progressToken": "wrong", "progress": 1}}
    result = result_of(method, params, is_stateless)
    yield {"result": result | {"resultType": "complete"} if is_stateless else result, "id": id}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        answer = json.dumps({"jsonrpc": "2.0"} | list(answers(body))[-1]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


if "--http" in sys.argv:
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 0))), Handler)
    print(f"listening on http://127.0.0.1:{server.server_port}/mcp", flush=True)
    server.serve_forever()
try:
    for line in sys.stdin:
        for answer in answers(line):
            print(json.dumps({"jsonrpc": "2.0"} | answer), flush=True)
except Exception:
    pass
sys.exit(1)
