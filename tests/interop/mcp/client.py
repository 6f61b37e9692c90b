"""The example mcp_client calls a server of the Python SDK, in each mode: with `server/discover`, and in a session of
each revision.

client.py COMMAND...: the command of the server.
"""

import subprocess
import sys

from harness import EXAMPLES, SECONDS, check, equal, finish

COMMAND = sys.argv[1:]
LIST = ["add: Adds two numbers.", "climb: Reports progress.", "fall: Fails.", "ask: Sends a request to the client."]


def calls(ways, revision, tool, arguments, lines, status=0):
    def called():
        command = [EXAMPLES / "mcp_client", *ways, tool, arguments, *COMMAND]
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=SECONDS, text=True)
        got = ran.stdout.splitlines()
        equal((got, ran.returncode), ([f"sdk speaks {revision}", *LIST, *lines], status))

    return called


for way, options, revision in [
    ("probe", [], "2026-07-28"),
    *((revision, ["--revision", revision], revision) for revision in ["2025-11-25", "2025-06-18", "2024-11-05"]),
]:
    for name, tool, arguments, lines, status in [
        ("a tool is called", "add", '{"a":40,"b":2}', ["42"], 0),
        ("progress is heard while a call waits", "climb", '{"steps":3}', [*(f"progress: step {step} \u00b0" for step in range(3)), "up"], 0),
        (
            "elicitation, sampling and roots are answered",
            "ask",
            "{}",
            ["asked: Who is it?", "Ada | I am no model, so I need none of 7 tokens. | file:///tmp"],
            0,
        ),
        ("a tool that fails", "fall", "{}", ["Error executing tool fall"], 1),
        ("an unknown tool", "none", "{}", ["Unknown tool: none"], 1),
    ]:
        check(f"mcp_client, Python SDK, {way}: {name}", calls(options, revision, tool, arguments, lines, status))
finish()
