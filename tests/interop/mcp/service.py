"""The official Python SDK lists and calls the tools of the example mcp_service, which are declared as methods.

service.py COMMAND...: the server is COMMAND, on standard streams. `--chip` first: in the firmware `room`, whose tools are the same file;
`--http` first: over HTTP, and COMMAND says where it listens. The SDK holds each structured result against the schema of the tool's output.
"""

import contextlib
import subprocess
import sys

import anyio
from harness import SECONDS, check, equal, finish
from mcp import Client, StdioServerParameters
from schemas import STATELESS


class Checks:
    def __init__(self, name, mode):
        self.name, self.mode = name, mode

    @contextlib.asynccontextmanager
    async def connect(self):
        with contextlib.ExitStack() as stack:
            server = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:])
            if PLACE == "--http":
                # the scene is that of a new process
                process = stack.enter_context(subprocess.Popen(COMMAND, stdout=subprocess.PIPE, text=True))
                stack.callback(process.kill)
                server = process.stdout.readline().removeprefix("listening on ").strip()
            async with Client(server, mode=self.mode, read_timeout_seconds=SECONDS, cache=None) as client:
                yield client

    async def lists(self):
        async with self.connect() as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        equal(sorted(tools), ["level", "set_scene"])
        tool = tools["set_scene"]
        equal(tool.description, "Sets the scene, and returns the one before.")
        equal((tool.annotations.destructive_hint, tool.annotations.idempotent_hint), (False, True))
        scene = tool.input_schema["properties"]["scene"]
        equal(scene["description"], "A scene of the room.")
        equal(scene["properties"]["level"]["maximum"], 100)
        equal(scene["properties"]["colour"]["anyOf"][0], {"type": "string", "enum": ["warm", "cold"]})
        equal((scene["required"], tool.output_schema["required"]), (["level"], ["level"]))
        equal(tools["level"].annotations.read_only_hint, True)

    async def calls(self):
        async with self.connect() as client:
            before = await client.call_tool("set_scene", {"scene": {"level": 40, "colour": "warm"}})
            equal(before.structured_content, {"level": 0, "colour": None})
            before = await client.call_tool("set_scene", {"scene": {"level": 50}})
            equal(before.structured_content, {"level": 40, "colour": "warm"})
            equal((await client.call_tool("level", {})).structured_content, {"result": 50})

    async def fails(self):
        # a device has no text of the path below the argument, and of the value
        rest = "" if PLACE == "--chip" else ".level, found 101"
        async with self.connect() as client:
            for scene, words in [({"level": 101}, f"expected maximum 100, in arguments.scene{rest}"), ({"level": 300}, "u8"), ({}, "level")]:
                failed = await client.call_tool("set_scene", {"scene": scene})
                equal((failed.is_error, words in failed.content[0].text), (True, True))
            equal((await client.call_tool("level", {})).structured_content, {"result": 0})

    def run(self):
        check(f"a declared service, {self.name}: tools with schemas and hints", lambda: anyio.run(self.lists))
        check(f"a declared service, {self.name}: structured results, as their schema says", lambda: anyio.run(self.calls))
        check(f"a declared service, {self.name}: failures in words", lambda: anyio.run(self.fails))


arguments = sys.argv[1:]
PLACE = arguments.pop(0) if arguments[0].startswith("--") else ""
COMMAND = arguments
where = {"": "", "--chip": " on the chip", "--http": " over HTTP"}[PLACE]
for name, mode in [("in a session", "legacy"), ("stateless", STATELESS)]:
    Checks(name + where, mode).run()
finish()
