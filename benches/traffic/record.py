#!/usr/bin/env python3
"""Records the messages to and from language servers and MCP servers, for benchmarks on real traffic.

    npm install --prefix PLACE typescript typescript-language-server pyright vscode-langservers-extracted \
        @modelcontextprotocol/server-everything @modelcontextprotocol/server-filesystem
    benches/traffic/record.py PLACE FOLDER

Each program works on the sources of the installed packages; FOLDER gets NAME.jsonl with one message a line, as it went over the wire.
"""

import json
import queue
import subprocess
import sys
import threading
from pathlib import Path

place, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
binaries = place / "node_modules/.bin"
SECONDS = 60


class Peer:
    """A server on its standard streams, and the messages in both directions."""

    def __init__(self, command, frames):
        self.frames, self.sent, self.heard, self.ids = frames, [], [], 0
        self.answers = queue.Queue()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=place
        )
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        stream = self.process.stdout
        while line := stream.readline():
            if self.frames:
                length = int(line.split(b":")[1])
                while stream.readline().strip():
                    pass
                line = stream.read(length)
            self.heard.append(line.strip())
            message = json.loads(line)
            if "method" not in message:
                self.answers.put(message["id"])
            elif "id" in message:
                result = [None] * len(message["params"].get("items", [])) if isinstance(message.get("params"), dict) else None
                self.tell({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def tell(self, message):
        text = json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode()
        self.sent.append(text)
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text) if self.frames else text + b"\n")
        self.process.stdin.flush()

    def notify(self, method, params):
        self.tell({"jsonrpc": "2.0", "method": method, "params": params})

    def call(self, method, params):
        self.ids += 1
        self.tell({"jsonrpc": "2.0", "id": self.ids, "method": method, "params": params})
        while self.answers.get(timeout=SECONDS) != self.ids:
            pass
        return next(m for m in map(json.loads, reversed(self.heard)) if m.get("id") == self.ids and "method" not in m)

    def keep(self, name):
        """Writes the traffic, sorted by receiver."""
        self.process.kill()
        parts = {"requests": [], "notifications": [], "responses": []}
        for text in self.sent + self.heard:
            message = json.loads(text)
            kind = "responses" if "method" not in message else "requests" if "id" in message else "notifications"
            parts[kind].append(text)
        for kind, texts in parts.items():
            if len(texts) >= 8:
                (folder / f"{name}-{kind}.jsonl").write_bytes(b"\n".join(texts) + b"\n")
            print(f"{name} {kind}: {len(texts)} messages, {sum(map(len, texts))} bytes")


def language_server(name, command, language, files):
    peer = Peer(command, frames=True)
    documents = {"hover": {"contentFormat": ["markdown"]}, "documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}
    peer.call(
        "initialize",
        {"processId": None, "rootUri": place.as_uri(), "capabilities": {"textDocument": documents}, "workspaceFolders": None},
    )
    peer.notify("initialized", {})
    for file in files:
        text = file.read_text()[:40_000]
        document = {"uri": file.as_uri()}
        peer.notify("textDocument/didOpen", {"textDocument": {**document, "languageId": language, "version": 1, "text": text}})
        lines = text.split("\n")
        for line in range(2, len(lines), max(1, len(lines) // 12)):
            position = {"line": line, "character": len(lines[line]) // 2}
            change = {"range": {"start": position, "end": position}, "text": " "}
            peer.notify("textDocument/didChange", {"textDocument": {**document, "version": line}, "contentChanges": [change]})
            for method in ["hover", "completion", "documentHighlight", "definition"]:
                peer.call(f"textDocument/{method}", {"textDocument": document, "position": position})
        for method in ["documentSymbol", "foldingRange"]:
            peer.call(f"textDocument/{method}", {"textDocument": document})
    peer.keep(name)


def mcp_server(name, command, calls):
    peer = Peer(command, frames=False)
    client = {"name": "recorder", "version": "1"}
    peer.call("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
    peer.notify("notifications/initialized", {})
    for method, params in calls:
        peer.call(method, params)
    peer.keep(name)


def tool(name, **arguments):
    return "tools/call", {"name": name, "arguments": arguments}


folder.mkdir(parents=True, exist_ok=True)
sources = sorted(place.glob("node_modules/@modelcontextprotocol/sdk/dist/esm/**/*.d.ts"))[:12]
language_server("typescript", [binaries / "typescript-language-server", "--stdio"], "typescript", sources)
stubs = sorted(place.glob("node_modules/pyright/dist/typeshed-fallback/stdlib/c*.pyi"))[:10]
language_server("pyright", [binaries / "pyright-langserver", "--stdio"], "python", stubs)
packages = sorted(place.glob("node_modules/*/package.json"))[:12]
language_server("json", [binaries / "vscode-json-language-server", "--stdio"], "json", packages)
lists = [("tools/list", {}), ("resources/list", {}), ("prompts/list", {}), ("resources/templates/list", {})]
sums = [tool("echo", message=f"number {n} \u2013 {chr(0x4E2D + n)}") for n in range(40)]
mcp_server("mcp-everything", [binaries / "mcp-server-everything", "stdio"], lists * 4 + sums)
reads = [tool("read_text_file", path=str(file)) for file in packages + sources]
folders = [tool("list_directory", path=str(file.parent)) for file in packages]
mcp_server("mcp-filesystem", [binaries / "mcp-server-filesystem", str(place)], [("tools/list", {})] * 8 + reads + folders)
