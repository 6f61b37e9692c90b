"""A server of the Python SDK, to be called by the example mcp_client: on standard input and output, or over HTTP on loopback.

server.py [--http [json_response | stateless_http]]: over HTTP, the first line of the output is its URL.
"""

import socket
import sys
from typing import Annotated

import uvicorn

from mcp.server.mcpserver import Context, Elicit, ListRoots, MCPServer, Resolve, Sample
from mcp_types import CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel

server = MCPServer("sdk")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool(structured_output=False)
async def climb(steps: int, context: Context) -> str:
    """Reports progress."""
    for step in range(steps):
        await context.report_progress(step, steps, f"step {step} \u00b0")
    return "up"


@server.tool()
def fall() -> str:
    """Fails."""
    raise ValueError("as asked")


class Named(BaseModel):
    name: str


def who() -> Elicit[Named]:
    return Elicit("Who is it?", Named)


def thought() -> Sample:
    return Sample([SamplingMessage(role="user", content=TextContent(type="text", text="Hm?"))], max_tokens=7)


def places() -> ListRoots:
    return ListRoots()


@server.tool(structured_output=False)
def ask(
    person: Annotated[Named, Resolve(who)],
    answer: Annotated[CreateMessageResult, Resolve(thought)],
    roots: Annotated[ListRootsResult, Resolve(places)],
) -> str:
    """Sends a request to the client."""
    return f"{person.name} | {answer.content.text} | {roots.roots[0].uri}"


if __name__ == "__main__":
    if "--http" not in sys.argv:
        server.run()
    else:
        modes = {name: True for name in ["json_response", "stateless_http"] if name in sys.argv}
        listener = socket.create_server(("127.0.0.1", 0))
        print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
        config = uvicorn.Config(server.streamable_http_app(**modes), log_level="error")
        uvicorn.Server(config).run(sockets=[listener])
