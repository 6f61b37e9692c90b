"""A short conversation with the server on a chip; docs/mcp.md shows it.

session.py COMMAND...: the server is COMMAND.
"""

import sys

import anyio
from mcp import Client, StdioServerParameters


async def hear(progress, total, message):
    print(f"{message}: {progress:.0f} of {total:.0f}")


async def main():
    chip = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with Client(chip) as client:
        print(client.protocol_version, client.server_info.name)
        print(*[tool.name for tool in (await client.list_tools()).tools])

        async def call(tool, arguments):
            print((await client.call_tool(tool, arguments, progress_callback=hear)).content[0].text)

        await call("add", {"a": 2, "b": 40})
        await call("echo", {"text": "\U0001f44b"})
        await call("led", {"on": True})
        await call("count", {"steps": 3})
        await call("temperature", {})
        print((await client.read_resource("greeting:///Ada")).contents[0].text)
        print((await client.get_prompt("greet", {"name": "Ada"})).messages[0].content.text)


anyio.run(main)
