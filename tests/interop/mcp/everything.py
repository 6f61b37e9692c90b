"""The example mcp_everything calls every tool of the reference server `@modelcontextprotocol/server-everything`.

everything.py [--http] COMMAND...: the command of the server. With `--http`, the server listens on the port of the variable PORT.
"""

import os
import socket
import subprocess
import sys
import time

from harness import EXAMPLES, check, equal, finish

IS_HTTP = sys.argv[1] == "--http"
COMMAND = sys.argv[1 + IS_HTTP :]
NAME = "mcp_everything over HTTP" if IS_HTTP else "mcp_everything"
# a task of the server takes four seconds
SECONDS = 60

# by the first word of its line: the rest of it, or the parts of that in order
LINES = {
    "connected": "2025-11-25",
    "tools": ["19 echo ", " simulate-research-query ", " trigger-elicitation-request-async"],
    "resources": ["7 demo://resource/static/document/architecture.md "],
    "templates": "2 demo://resource/dynamic/text/{resourceId} demo://resource/dynamic/blob/{resourceId}",
    "prompts": "4 simple-prompt args-prompt completable-prompt resource-prompt",
    "echo": 'Echo: \U0001f44b "echo"',
    "get-annotated-message": "Error: Operation failed | image image/png",
    "get-env": ['"EVERYTHING": "42"'],
    "get-resource-links": ["| link demo://resource/dynamic/blob/1 | link demo://resource/dynamic/text/2"],
    "get-resource-reference": ["| resource demo://resource/dynamic/blob/3 |"],
    "get-structured-content": '{"temperature":33,"conditions":"Cloudy","humidity":82}',
    "get-sum": "The sum of 40 and 2 is 42.",
    "get-tiny-image": "Here's the image you requested: | image image/png | The image above is the MCP logo.",
    "gzip-file-as-resource": "resource demo://resource/session/a.gz",
    "toggle-simulated-logging": ["Started simulated, random-leveled logging"],
    "toggle-subscriber-updates": ["Started simulated resource updated notifications"],
    "trigger-long-running-operation": "Long running operation completed. Duration: 0.4 seconds, Steps: 4.",
    "get-roots-list": ["Current MCP Roots (1 total)", "here", "file:///here"],
    "trigger-sampling-request": ["LLM sampling result", "Resource trigger-sampling-request context: Hi?"],
    "trigger-elicitation-request": ["User inputs: - Name: Ada", '"action": "accept"'],
    "trigger-url-elicitation": ["User completed the URL elicitation flow", "Elicitation ID: e1"],
    "trigger-sampling-request-async": ["[SYNC]", "Resource trigger-sampling-request-async context: Hi?"],
    "trigger-elicitation-request-async": ["[SYNC]", '"name": "Ada"'],
    "structured": 'Weather { temperature: 33, conditions: "Cloudy", humidity: 82 }',
    "task": "it worked at more than one poll: true",
    "simulate-research-query": ["# Research Report: rust", "Stage 4: Generating report"],
    "read": "1 of demo://resource/dynamic/text/1",
    "prompt": "What's weather in Paris?",
    "completed": "Sales Support",
    "no-such-tool": ["MCP error -32602: Tool no-such-tool not found"],
    "received": "logs true, progress 4, updates true, roots 1",
}


def has(name, expected):
    def looked_at():
        got = said[name]
        if isinstance(expected, str):
            return equal(got, expected)
        at = 0
        for part in expected:
            at = got.find(part, at)
            if at < 0:
                raise AssertionError(f"no {part!r} in {got!r:.200}")
            at += len(part)

    return looked_at


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def listening(port):
    """The server, once it listens."""
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment | {"PORT": str(port)}}
    process = subprocess.Popen(COMMAND, **options)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            time.sleep(0.1)
    return process


environment = {"PATH": os.environ["PATH"], "EVERYTHING": "42"}
server, target = None, COMMAND
if IS_HTTP:
    port = free_port()
    server, target = listening(port), [f"http://127.0.0.1:{port}/mcp"]
command = [EXAMPLES / "mcp_everything", *target]
try:
    ran = subprocess.run(command, capture_output=True, timeout=SECONDS, text=True, env=environment)
    said, status = dict(line.split(": ", 1) for line in ran.stdout.splitlines() if ": " in line), ran.returncode
except subprocess.TimeoutExpired:
    said, status = {}, None
if server:
    server.kill()
    server.wait()
check(f"{NAME}: it ends as it should", lambda: equal(status, 0))
for name, expected in LINES.items():
    check(f"{NAME}: {name}", has(name, expected))
finish()
