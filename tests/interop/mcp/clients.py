"""The official Python SDK calls the example mcp_stdio, in each of its modes.

clients.py FOLDER COMMAND...: the server is COMMAND; what is said is kept in FOLDER and then held against the schemas.
`--on-chip` first: the server of the firmware, which has tools of its own.
"""

import contextlib
import json
import logging
import re
import subprocess
import sys
from base64 import b64decode
from pathlib import Path
from unittest.mock import patch

import anyio
import mcp_types
from harness import SECONDS, check, equal, finish
from mcp import Client, MCPError, StdioServerParameters
from schemas import REVISIONS, STATELESS, check_records

TEXTS = [
    "",
    "plain",
    'smile \U0001f600, \u00e9, \u4e2d, \u0000, "quoted", \\, \u2028, \x7f, \x1f',
    "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 e\u0301 \ufeff \U0010ffff \ufffd \ue000",
    "line\nbreaks\r\nand\ttabs",
    "</script> ${x} %s {} \\u0041 \\ud83d",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 40,
]


class Way:
    """How the client connects."""

    def __init__(self, name, mode, revision, replaced=None):
        self.name = name
        self.mode = mode
        self.revision = revision
        self.is_stateless = revision == STATELESS
        # of the SDK: the revision that it proposes
        self.replaced = replaced or {}
        self.records = FOLDER / name.replace(" ", "-")

    @contextlib.asynccontextmanager
    async def connect(self, **options):
        server = StdioServerParameters(
            command=sys.executable, args=[str(Path(__file__).with_name("tee.py")), str(self.records), *COMMAND]
        )
        with contextlib.ExitStack() as stack:
            for name, value in self.replaced.items():
                stack.enter_context(patch(name, value))
            # each answer must come from the server, not from a cache
            async with Client(server, mode=self.mode, read_timeout_seconds=SECONDS, cache=None, **options) as client:
                yield client

    def last_record(self):
        return [json.loads(line) for line in max(self.records.glob("*.jsonl")).read_text().splitlines()]


async def everything(page, member):
    """All pages of a list."""
    found, cursor = [], None
    while True:
        result = await page(cursor=cursor)
        found += getattr(result, member)
        cursor = result.next_cursor
        if cursor is None:
            return found


def text_of(result):
    equal((result.is_error or False, [block.type for block in result.content]), (False, ["text"]))
    return result.content[0].text


async def refusal(awaitable):
    """The error that the server answers with."""
    try:
        got = await awaitable
    except MCPError as error:
        return error
    raise AssertionError(f"no error but {got!r:.200}")


class Checks:
    """Each is a separate check, on a separate connection."""

    def __init__(self, way):
        self.way = way

    async def connects(self):
        async with self.way.connect() as client:
            equal(client.protocol_version, self.way.revision)
            equal(client.session.discover_result is not None, self.way.is_stateless)
            session = client.session
            if self.way.mode == STATELESS:
                # it has sent no request yet
                result = await session.send_discover(STATELESS)
                session.adopt(mcp_types.DiscoverResult.model_validate(result))
            if self.way.is_stateless:
                equal(session.discover_result.supported_versions[0], STATELESS)
            equal(session.server_info.name, "nanojsonrpc-chip" if ON_CHIP else "nanojsonrpc-example")
            equal(bool(session.server_info.version), True)
            equal(bool(session.instructions), True)
            declared = session.server_capabilities.model_dump(exclude_none=True)
            equal(sorted(declared), ["completions", "prompts", "resources", "tools"])
            equal([name for name, how in declared.items() if any(how.values())], [])

    async def lists_tools(self):
        async with self.way.connect() as client:
            tools = {tool.name: tool for tool in await everything(client.list_tools, "tools")}
            equal(sorted(tools), sorted(["add", "echo", "count"] + (["temperature", "led"] if ON_CHIP else [])))
            for tool in tools.values():
                equal((bool(tool.description), tool.input_schema["type"]), (True, "object"))
            properties = tools["add"].input_schema["properties"]
            equal({name: kind["type"] for name, kind in properties.items()}, {"a": "integer", "b": "integer"})
            equal(sorted(tools["add"].input_schema["required"]), ["a", "b"])
            equal(tools["echo"].input_schema["properties"]["text"]["type"], "string")

    async def adds(self):
        async with self.way.connect() as client:
            for a, b in [(2, 3), (-7, 4), (0, 0), (2**53, 1), (-(2**62), 2**62 - 1), (2**63 - 1, -(2**63 - 1))]:
                equal(text_of(await client.call_tool("add", {"a": a, "b": b})), str(a + b))

    async def overflow(self):
        async with self.way.connect() as client:
            result = await client.call_tool("add", {"a": 2**63 - 1, "b": 1})
            equal((result.is_error, result.content[0].type, bool(result.content[0].text)), (True, "text", True))

    async def echoes(self):
        async with self.way.connect() as client:
            for text in TEXTS:
                equal(text_of(await client.call_tool("echo", {"text": text})), text)

    async def echoes_long(self):
        async with self.way.connect() as client:
            for size in [1_000, 4_096, 7_000 if ON_CHIP else 10_000]:
                text = "\u4e2d" + "x" * size
                equal(text_of(await client.call_tool("echo", {"text": text})), text)

    async def progress(self):
        async with self.way.connect() as client:
            heard = []

            async def hear(progress, total, message):
                heard.append((progress, total))

            text_of(await client.call_tool("count", {"steps": 5}, progress_callback=hear))
            equal(heard, [(step, 5) for step in range(1, 6)])
        equal(["progress" in line for line in self.heard_of_call()], [True] * 5 + [False])

    async def no_progress_unasked(self):
        async with self.way.connect() as client:
            text_of(await client.call_tool("count", {"steps": 3}))
        equal(["progress" in line for line in self.heard_of_call()], [False])

    def heard_of_call(self):
        """The messages of the server for a call of a tool: notifications and the result, in order."""
        lines = [entry["line"] for entry in self.way.last_record() if entry.get("from") == "server"]
        return [line for line in lines if "notifications/" in line or '"content"' in line]

    async def reads_resources(self):
        async with self.way.connect() as client:
            resources = {resource.uri: resource for resource in await everything(client.list_resources, "resources")}
            equal(len(resources), 2)
            kinds = []
            for uri, resource in resources.items():
                equal(bool(resource.name), True)
                (content,) = (await client.read_resource(uri)).contents
                equal((content.uri, content.mime_type), (uri, resource.mime_type))
                if isinstance(content, mcp_types.TextResourceContents):
                    equal(bool(content.text), True)
                    kinds.append("text")
                else:
                    equal(b64decode(content.blob, validate=True)[:8], b"\x89PNG\r\n\x1a\n")
                    kinds.append("blob")
            equal(sorted(kinds), ["blob", "text"])

    async def reads_template(self):
        async with self.way.connect() as client:
            (template,) = await everything(client.list_resource_templates, "resource_templates")
            equal(template.uri_template, "greeting:///{name}")
            for name in ["Ada", "b-1"]:
                (content,) = (await client.read_resource(f"greeting:///{name}")).contents
                equal((content.uri, name in content.text), (f"greeting:///{name}", True))

    async def gets_prompts(self):
        async with self.way.connect() as client:
            (prompt,) = await everything(client.list_prompts, "prompts")
            equal(prompt.name, "greet")
            equal([(argument.name, argument.required) for argument in prompt.arguments], [("name", True)])
            for name in ["Ada", TEXTS[2]]:
                (message,) = (await client.get_prompt("greet", {"name": name})).messages
                equal((message.role, message.content.type, name in message.content.text), ("user", "text", True))

    async def completes(self):
        async with self.way.connect() as client:
            for reference in [
                mcp_types.PromptReference(name="greet"),
                mcp_types.ResourceTemplateReference(uri="greeting:///{name}"),
            ]:

                async def values(start):
                    return (await client.complete(reference, {"name": "name", "value": start})).completion.values

                every = await values("")
                equal(len(every) > 1, True)
                for value in every:
                    got = await values(value[:1])
                    equal(got, [other for other in every if other.startswith(value[:1])])
                equal(await values("\u4e2d"), [])

    async def pings(self):
        async with self.way.connect() as client:
            if self.way.is_stateless:
                # the revision has none
                equal((await refusal(client.send_ping())).code, -32601)
            else:
                await client.send_ping()

    async def at_once(self):
        async with self.way.connect() as client:
            answers = {}

            async def call(number):
                if number % 2:
                    answers[number] = text_of(await client.call_tool("echo", {"text": str(number)}))
                else:
                    answers[number] = text_of(await client.call_tool("add", {"a": number, "b": 0}))

            async with anyio.create_task_group() as group:
                for number in range(50):
                    group.start_soon(call, number)
            equal(answers, {number: str(number) for number in range(50)})

    async def gives_up(self):
        """The client cancels a call; its next call is answered."""
        async with self.way.connect() as client:
            call = client.call_tool("count", {"steps": 5}, read_timeout_seconds=0.05)
            equal((await refusal(call)).code, mcp_types.REQUEST_TIMEOUT)
            equal(text_of(await client.call_tool("echo", {"text": "next"})), "next")

    async def unknown_tool(self):
        async with self.way.connect() as client:
            for name in ["nothing", "", "ADD", "\U0001f600" * 30]:
                equal((await refusal(client.call_tool(name, {}))).code, -32602)

    async def wrong_arguments(self):
        async with self.way.connect() as client:
            for arguments in [{"a": 1}, {"a": "1", "b": 2}, {"a": 1.5, "b": 2}, {"a": None, "b": 1}, {}, None]:
                await self.is_refused_by_tool(client.call_tool("add", arguments))
            for arguments in [{"text": 1}, {"texts": ""}]:
                await self.is_refused_by_tool(client.call_tool("echo", arguments))

    async def is_refused_by_tool(self, call):
        """Since 2025-11-25 a model must see the error of the arguments."""
        if self.way.revision == "2025-06-18":
            equal((await refusal(call)).code, -32602)
        else:
            result = await call
            equal((result.is_error, bool(result.content[0].text)), (True, True))

    async def unknown_resource(self):
        async with self.way.connect() as client:
            for uri in ["note://nothing", "greeting:", "nothing", "file:///etc/passwd"]:
                error = await refusal(client.read_resource(uri))
                equal((error.code, error.data), (-32602 if self.way.is_stateless else -32002, {"uri": uri}))

    async def wrong_cursor(self):
        async with self.way.connect() as client:
            for page in [client.list_tools, client.list_resources, client.list_resource_templates, client.list_prompts]:
                equal((await refusal(page(cursor="not one of ours"))).code, -32602)

    async def unknown_prompt(self):
        async with self.way.connect() as client:
            equal((await refusal(client.get_prompt("nothing"))).code, -32602)
            equal((await refusal(client.get_prompt("greet"))).code, -32602)
            equal((await refusal(client.get_prompt("greet", {"names": "x"}))).code, -32602)
            reference = mcp_types.PromptReference(name="nothing")
            equal((await refusal(client.complete(reference, {"name": "name", "value": ""}))).code, -32602)

    async def unknown_method(self):
        async with self.way.connect() as client:
            for method in ["nothing/list", "tools/List", "resources/subscribe", "logging/setLevel", "\U0001f600", "x" * 200]:
                request = mcp_types.Request(method=method, params=mcp_types.RequestParams())
                equal((await refusal(client.session.send_request(request, mcp_types.EmptyResult))).code, -32601)
            equal(text_of(await client.call_tool("echo", {"text": "next"})), "next")

    async def unknown_notification(self):
        async with self.way.connect() as client:
            for method in ["notifications/nothing", "notifications/roots/list_changed", "x"]:
                await client.session.send_notification(mcp_types.Notification(method=method, params=None))
            equal(text_of(await client.call_tool("echo", {"text": "next"})), "next")

    async def board(self):
        """The tools that only a chip has."""
        async with self.way.connect() as client:
            for is_on in [True, False]:
                equal(text_of(await client.call_tool("led", {"on": is_on})), "on" if is_on else "off")
            # it is measured once in a while, first after 20 ms
            await anyio.sleep(0.2)
            millicelsius = int(text_of(await client.call_tool("temperature")).split()[0])
            equal(-40_000 < millicelsius < 125_000, True)

    async def ends(self):
        async with self.way.connect() as client:
            equal(text_of(await client.call_tool("echo", {"text": "last"})), "last")
        end = self.way.last_record()[-1]
        equal((end["status"], end["seconds"] < 1), (0, True))

    async def is_valid(self):
        """Every message that the server has sent in the previous checks."""
        checked = check_records(self.way.records)
        equal(checked > 150, True)

    def run(self):
        for name, function in [
            ("connects and sees what is served", self.connects),
            ("lists the tools", self.lists_tools),
            ("adds", self.adds),
            ("a sum that overflows is an error that a model sees", self.overflow),
            ("any text comes back", self.echoes),
            ("long texts come back", self.echoes_long),
            ("hears of progress", self.progress),
            ("hears of no progress unasked", self.no_progress_unasked),
            ("reads the text and the blob", self.reads_resources),
            ("reads through the template", self.reads_template),
            ("gets the prompt", self.gets_prompts),
            ("completes an argument", self.completes),
            ("pings", self.pings),
            ("50 calls at once", self.at_once),
            ("gives up a call", self.gives_up),
            ("unknown tools", self.unknown_tool),
            ("wrong arguments", self.wrong_arguments),
            ("unknown resources", self.unknown_resource),
            ("wrong cursors", self.wrong_cursor),
            ("unknown prompts and missing arguments", self.unknown_prompt),
            ("unknown methods", self.unknown_method),
            ("unknown notifications", self.unknown_notification),
            ("switches the LED and reads the temperature", self.board),
            ("the server ends with its input", self.ends),
            ("every message is valid", self.is_valid),
        ]:
            if ON_CHIP or function != self.board:
                check(f"mcp{' on chip' * ON_CHIP}, {self.way.name}: {name}", lambda: run(function))


def run(function):
    """Runs `function`, and raises a single error of a group as itself."""
    try:
        anyio.run(function)
    except BaseExceptionGroup as group:
        while isinstance(group, BaseExceptionGroup):
            group = group.exceptions[0]
        raise group from None


def transcript():
    """The page shows the real transcript, except for the temperature."""
    page = Path(__file__).parents[3] / "docs" / "mcp.md"
    shown = page.read_text().split("/session.py ")[1].split("```")[0].splitlines()[1:]
    command = [sys.executable, Path(__file__).with_name("session.py"), *COMMAND]
    heard = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=60).stdout
    equal(re.sub(r"\d{5}", "N", heard).splitlines(), re.sub(r"\d{5}", "N", "\n".join(shown)).splitlines())


logging.disable()
arguments = sys.argv[1:]
ON_CHIP = arguments[0] == "--on-chip"
FOLDER, *COMMAND = arguments[1:] if ON_CHIP else arguments
FOLDER = Path(FOLDER)
LATER = "2099-01-01"
for way in [
    Way("handshake 2025-06-18", "legacy", REVISIONS[0], {"mcp.client.session.LATEST_HANDSHAKE_VERSION": REVISIONS[0]}),
    Way("handshake 2025-11-25", "legacy", REVISIONS[1]),
    Way("stateless 2026-07-28", STATELESS, STATELESS),
    Way("probe", "auto", STATELESS),
    # it prefers an unknown revision, and supports no other stateless one
    Way(
        "probe and fall back",
        "auto",
        REVISIONS[1],
        {"mcp.client._probe.LATEST_MODERN_VERSION": LATER, "mcp.client._probe.MODERN_PROTOCOL_VERSIONS": (LATER,)},
    ),
]:
    Checks(way).run()
if ON_CHIP:
    check("mcp on chip: the transcript in docs/mcp.md", transcript)
finish()
