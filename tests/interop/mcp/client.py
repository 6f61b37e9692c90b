"""The example mcp_client calls a server of an SDK, in each mode: with `server/discover`, and in a session of each revision.

client.py python|rust|typescript [--http] COMMAND...: the command of the server. With `--http`, the server says where it listens, and the last word
names its mode.
"""

import subprocess
import sys

from harness import EXAMPLES, SECONDS, check, equal, finish

# the name, the lines of an unknown tool, and in each mode those of a tool that sends a request although it cannot
SDKS = {
    "python": ("Python SDK", ["Unknown tool: none"], {}),
    # the answer to the request reaches no session
    "rust": ("Rust SDK", [], {"stateless_http": ["asked: Who is it?"]}),
    "typescript": (
        "TypeScript SDK",
        [],
        {"json_response": ["Request timed out"], "stateless_http": ["asked: Who is it?", "Request timed out"]},
    ),
}
NAME, UNKNOWN, REFUSED = SDKS[sys.argv[1]]
IS_HTTP = sys.argv[2] == "--http"
COMMAND = sys.argv[2 + IS_HTTP :]
SERVER, mode = COMMAND, None
if IS_HTTP:
    mode = COMMAND[-1]
    process = subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    NAME, SERVER = f"{NAME} over HTTP, {mode}", [process.stdout.readline().removeprefix("listening on ").strip()]
# responses without a stream have no messages before the answer, and the SDK then sends no request either
HAS_STREAM = not IS_HTTP or mode != "json_response"
HAS_REQUESTS = not IS_HTTP or mode == "events"
LIST = ["add: Adds two numbers.", "climb: Reports progress.", "fall: Fails.", "ask: Sends a request to the client."]


def calls(ways, revision, tool, arguments, lines, status=0):
    def called():
        command = [EXAMPLES / "mcp_client", *ways, tool, arguments, *SERVER]
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=SECONDS, text=True)
        got = ran.stdout.splitlines()
        equal((got, ran.returncode), ([f"sdk speaks {revision}", *LIST, *lines], status))

    return called


for way, options, revision in [
    ("probe", [], "2026-07-28"),
    *((revision, ["--revision", revision], revision) for revision in ["2025-11-25", "2025-06-18", "2025-03-26" if IS_HTTP else "2024-11-05"]),
]:
    steps = [f"progress: step {step} \u00b0" for step in range(3 if HAS_STREAM else 0)]
    # since 2026-07-28, a request is part of a result
    may_ask = HAS_REQUESTS or way == "probe"
    answered = ["asked: Who is it?", "Ada | I am no model, so I need none of 7 tokens. | file:///tmp"]
    asked = answered if may_ask else REFUSED.get(mode, [])
    for name, tool, arguments, lines, status in [
        ("a tool is called", "add", '{"a":40,"b":2}', ["42", 'structured: {"result":42}'], 0),
        ("progress is heard while a call waits" if steps else "a call without progress", "climb", '{"steps":3}', [*steps, "up"], 0),
        ("elicitation, sampling and roots are answered" if may_ask else "a tool that may not ask", "ask", "{}", asked, 0 if may_ask else 1),
        ("a tool that fails", "fall", "{}", ["Error executing tool fall"], 1),
        ("an unknown tool", "none", "{}", UNKNOWN, 1),
    ]:
        check(f"mcp_client, {NAME}, {way}: {name}", calls(options, revision, tool, arguments, lines, status))
if IS_HTTP:
    process.kill()
    process.wait()
finish()
