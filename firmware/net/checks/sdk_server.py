"""The server of the Python SDK over Streamable HTTP that the image mcp_client calls: sdk_server.py PORT HOST. HOST is the header `host`
of its requests. Prints a line for each response, for each report of the chip, and for each cancelled call.
"""

import json
import pathlib
import sys

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests" / "interop" / "mcp"))

from server import server

HEADERS = ["mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"]


def say(**what):
    print(json.dumps(what), flush=True)


@server.tool()
async def sleep() -> str:
    """Takes too long."""
    try:
        await anyio.sleep(60)
    except anyio.get_cancelled_exc_class():
        say(cancelled="sleep")
        raise
    return "awake"


@server.tool()
def report(
    failures: int, revision: str, tools: int, sum: int, asked: int, said: str, progress: int, has_failed: bool, code: int, is_late: bool,
    stack: int, stack_room: int,
) -> str:
    """Takes the outcome of all other calls."""
    say(report=locals())
    return "thanks"


def logged(app):
    """The application, and a line for each of its responses."""

    async def answer(scope, receive, send):
        async def logged_send(message):
            if message["type"] == "http.response.start":
                headers = {name.decode(): value.decode() for name, value in scope["headers"]}
                found = {name: headers[name] for name in HEADERS if name in headers}
                say(method=scope["method"], status=message["status"], headers=found)
            await send(message)

        await app(scope, receive, logged_send if scope["type"] == "http" else send)

    return answer


if __name__ == "__main__":
    port, host = int(sys.argv[1]), sys.argv[2]
    security = TransportSecuritySettings(enable_dns_rebinding_protection=True, allowed_hosts=[host])
    app = server.streamable_http_app(transport_security=security)
    uvicorn.run(logged(app), host="127.0.0.1", port=port, log_level="error")
