"""The clients of the Rust SDK and of the TypeScript SDK call the examples, in each revision that they speak.

peers.py NAME CLIENT... -- KIND COMMAND...: the client is CLIENT, a program that sends each line of its input as a request; the server is COMMAND,
mcp_stdio (KIND stdio), mcp_service (declared), mcp_http (http) or mcp_conformance (asking). A server over HTTP says where it listens.
"""

import json
import subprocess
import sys
import threading

from harness import SECONDS, check, equal, finish
from schemas import STATELESS

SESSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
TEXTS = ["", 'smile \U0001f600, \u4e2d, \u0000, "quoted", \\, \u2028, \x7f', "e\u0301 \ufeff \U0010ffff", "</script>\r\n\t\\u0041"]
middle = sys.argv.index("--")
NAME, *CLIENT = sys.argv[1:middle]
KIND, *COMMAND = sys.argv[middle + 1 :]


class Client:
    """A connection of the client in one revision."""

    def __init__(self, way, target):
        self.way, self.is_stateless = way, way in (STATELESS, "probe")
        options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        self.process = subprocess.Popen([*CLIENT, way, *target], **options)
        # a client that does not answer in time ends
        self.watch = threading.Timer(3 * SECONDS, self.process.kill)
        self.watch.start()
        self.about = self.heard()

    def heard(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("the client has ended")
        return json.loads(line)

    def send(self, method, params=None, **options):
        self.process.stdin.write(json.dumps({"method": method, "params": params or {}} | options) + "\n")
        self.process.stdin.flush()
        return self.heard()

    def call(self, name, arguments, **options):
        return self.send("tools/call", {"name": name, "arguments": arguments}, **options)

    def text(self, name, arguments):
        return text_of(self.call(name, arguments))

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(SECONDS)
        self.watch.cancel()
        equal(status, 0)


def result(answer):
    equal(answer.get("error"), None)
    return answer["result"]


def text_of(answer):
    got = result(answer)
    equal((got.get("isError", False), [block["type"] for block in got["content"]]), (False, ["text"]))
    return got["content"][0]["text"]


def code(answer):
    equal("error" in answer, True)
    return answer["error"].get("code")


def connects(client):
    server, capabilities = {
        "stdio": ("nanojsonrpc-example", ["completions", "prompts", "resources", "tools"]),
        "declared": ("room", ["tools"]),
        "http": ("nanojsonrpc-http", ["tools"]),
        "asking": ("nanojsonrpc-conformance", ["completions", "extensions", "logging", "prompts", "resources", "tools"]),
    }[KIND]
    about = client.about
    revision = STATELESS if client.is_stateless else client.way
    # a capability of 2025-11-25 alone, which the SDK of Rust does not show
    has_tasks = (KIND, revision, NAME) == ("asking", "2025-11-25", "typescript")
    capabilities = sorted(capabilities + ["tasks"] * has_tasks)
    equal((about.get("revision"), about.get("server"), about.get("capabilities")), (revision, server, capabilities))


def lists(client):
    names = lambda method, member: [item["name"] for item in result(client.send(method))[member]]
    equal(names("tools/list", "tools"), ["add", "echo", "count"])
    equal(names("resources/list", "resources"), ["greeting", "pixel"])
    equal(names("resources/templates/list", "resourceTemplates"), ["greetings"])
    equal(names("prompts/list", "prompts"), ["greet"])


def calls(client):
    equal(client.text("add", {"a": -7, "b": 2**53 - 1}), str(2**53 - 8))
    for text in [*TEXTS, "\u4e2d" + "x" * 10_000]:
        equal(client.text("echo", {"text": text}), text)


def at_once(client):
    requests = [{"method": "tools/call", "params": {"name": "add", "arguments": {"a": number, "b": 0}}} for number in range(50)]
    client.process.stdin.write(json.dumps(requests) + "\n")
    client.process.stdin.flush()
    equal([text_of(answer) for answer in client.heard()], [str(number) for number in range(50)])


def progress(client):
    answer = client.call("count", {"steps": 3})
    equal(text_of(answer), "counted to 3")
    heard = [[1, 3], [2, 3], [3, 3]]
    # this SDK drops a notification that arrives together with the answer
    may_lack = NAME == "typescript"
    equal(answer["progress"] in ([heard, heard[:2]] if may_lack else [heard]), True)


def cancels(client):
    answer = client.call("count", {"steps": 3}, cancel_ms=50)
    equal(("error" in answer, "result" in answer), (True, False))
    name, arguments, text = ("count", {"steps": 1}, "counted to 1") if KIND == "http" else ("echo", {"text": "next"}, "next")
    equal(client.text(name, arguments), text)


def reads(client):
    (greeting,) = result(client.send("resources/read", {"uri": "note:///greeting"}))["contents"]
    equal((greeting["mimeType"], greeting["text"]), ("text/plain", "Hello, world! \U0001f44b"))
    (pixel,) = result(client.send("resources/read", {"uri": "note:///pixel"}))["contents"]
    equal(pixel["blob"].startswith("iVBORw0KGgo"), True)
    (hello,) = result(client.send("resources/read", {"uri": "greeting:///Ada"}))["contents"]
    equal(hello["text"], "Hello, Ada!")
    (message,) = result(client.send("prompts/get", {"name": "greet", "arguments": {"name": "Ada"}}))["messages"]
    equal(message["content"]["text"], "Write a greeting for Ada.")
    params = {"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "name", "value": "A"}}
    equal(result(client.send("completion/complete", params))["completion"]["values"], ["Ada", "Alan"])


def errors(client):
    equal(code(client.call("nothing", {})), -32602)
    wrong = client.call("add", {"a": "1"})
    if client.way in SESSIONS[:3]:
        equal(code(wrong), -32602)
    else:
        # since 2025-11-25 a model must see the error of the arguments
        equal((result(wrong)["isError"], result(wrong)["content"][0]["type"]), (True, "text"))
    equal(code(client.send("prompts/get", {"name": "nothing"})), -32602)
    # the TypeScript SDK shows the code of 2026-07-28 in every revision
    not_found = -32602 if client.is_stateless or NAME == "typescript" else -32002
    equal(code(client.send("resources/read", {"uri": "note:///nothing"})), not_found)


def pings(client):
    answer = client.send("ping")
    if client.is_stateless:
        # the revision has none
        equal(code(answer), -32601)
    else:
        equal(result(answer), {})


def structured(client):
    scene = lambda scene: result(client.call("set_scene", {"scene": scene}))["structuredContent"]
    # the client holds the results to the schemas, which it has to know
    (tool,) = [tool for tool in result(client.send("tools/list"))["tools"] if tool["name"] == "set_scene"]
    equal(tool["outputSchema"]["required"], ["level"])
    equal(scene({"level": 40, "colour": "warm"}), {"level": 0, "colour": None})
    equal(scene({"level": 50}), {"level": 40, "colour": "warm"})
    equal(result(client.call("level", {}))["structuredContent"], {"result": 50})


def counts_at_once(client):
    requests = [{"method": "tools/call", "params": {"name": "count", "arguments": {"steps": number % 3 + 1}}} for number in range(8)]
    client.process.stdin.write(json.dumps(requests) + "\n")
    client.process.stdin.flush()
    equal([text_of(answer) for answer in client.heard()], [f"counted to {number % 3 + 1}" for number in range(8)])


def http_errors(client):
    equal(code(client.call("gr\u00f6\u00dfe", {})), -32602)
    equal(code(client.send("tools/list", {"cursor": "?"})), -32602)


def asks(client):
    if client.is_stateless:
        for tool, text in [
            ("elicitation", "Hello, Ada!"),
            ("sampling", "Thank you!"),
            ("list_roots", "Thank you!"),
            ("request_state", "state-ok"),
            ("multiple_inputs", "state-ok"),
            ("multi_round", "Thank you!"),
        ]:
            equal(client.text(f"test_input_required_result_{tool}", {}), text)
    else:
        elicited = client.text("test_elicitation", {"message": "Who is it?"})
        equal(elicited, 'User response: action="accept", content={"name":"Ada"}')
        equal(client.text("test_sampling", {"prompt": "Hm?"}), 'LLM response: "Paris"')


def logs(client):
    if client.is_stateless:
        # the revision has no `logging/setLevel`
        params = {"name": "test_tool_with_logging", "arguments": {}, "_meta": {"io.modelcontextprotocol/logLevel": "info"}}
        answer = client.send("tools/call", params)
    else:
        equal(result(client.send("logging/setLevel", {"level": "info"})), {})
        answer = client.call("test_tool_with_logging", {})
    equal(text_of(answer), "Tool with logging executed successfully")
    heard = ["Tool execution started", "Tool processing data", "Tool execution completed"]
    equal(answer["logs"], heard)


def resumes(client):
    """In 2025-11-25, the server closes the stream before the answer."""
    answer = client.call("test_reconnection", {})
    equal(text_of(answer), "Reconnection test completed successfully")
    equal(answer["progress"], [[1, 2], [2, 2]] if client.way == "2025-11-25" else [])


STEPS = {
    "stdio": [connects, lists, calls, at_once, progress, cancels, reads, errors, pings],
    "declared": [connects, structured],
    "http": [connects, progress, counts_at_once, cancels, http_errors, pings],
    "asking": [connects, asks, logs, resumes],
}[KIND]
WAYS = {
    "stdio": [*SESSIONS, STATELESS, "probe"],
    "declared": ["2025-06-18", "2025-11-25", STATELESS],
    "http": [*SESSIONS[1:], STATELESS, "probe"],
    "asking": ["2025-06-18", "2025-11-25", STATELESS],
}[KIND]

target, server = COMMAND, None
if KIND in ("http", "asking"):
    server = subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    target = [server.stdout.readline().removeprefix("listening on ").strip()]
for way in WAYS:
    name = f"{NAME} SDK as client, {KIND}, {way}"
    clients = []
    check(f"{name}: connects", lambda: (clients.append(Client(way, target)), connects(clients[0])))
    for step in STEPS[1:]:
        if step is pings and NAME == "typescript" and way in (STATELESS, "probe"):
            # this SDK does not send it
            continue
        check(f"{name}: {step.__name__.replace('_', ' ')}", lambda: step(*clients))
    check(f"{name}: ends", lambda: (clients[0].end(), connects(clients[0])))
if server:
    server.kill()
    server.wait()
finish()
