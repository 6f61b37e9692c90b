#!/usr/bin/env python3
"""Replaces each of the examples and answers wrongly, which proves that each check can fail."""

import json
import socketserver
import sys
from pathlib import Path


def answer(text):
    """A wrong answer to every message."""
    try:
        id = json.loads(text).get("id", 1)
    except Exception:
        id = 1
    return json.dumps({"jsonrpc": "2.0", "result": "wrong", "id": id}).encode()


def talk(reader, writer, is_content_length):
    while line := reader.readline():
        if not is_content_length:
            writer.write(answer(line) + b"\n")
        elif line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
            while reader.readline().strip():
                pass
            message = answer(reader.read(length))
            writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(message), message))
        writer.flush()


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        try:
            talk(self.rfile, self.wfile, "--content-length" in sys.argv)
        except (OSError, ValueError):
            pass


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 100


name = Path(sys.argv[0]).name
if name == "stdio":
    try:
        talk(sys.stdin.buffer, sys.stdout.buffer, False)
    except OSError:
        pass
elif name in ("tcp", "websocket") and sys.argv[1:3] == ["--listen", "127.0.0.1:0"]:
    with Server(("127.0.0.1", 0), Handler) as server:
        print("listening on 127.0.0.1:%d" % server.server_address[1], flush=True)
        server.serve_forever()
else:
    print("wrong")
    sys.exit(42)
