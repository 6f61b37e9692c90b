"""Sends lines to the example mcp_stdio that no client of the Python SDK sends: invalid messages, and both
generations on one connection.

wire.py FOLDER COMMAND...: as clients.py.
"""

import json
import random
import socket
import subprocess
import sys
from pathlib import Path

from harness import Wire, check, equal, finish
from schemas import META_VERSION, REVISIONS, STATELESS, check_records

META = {
    META_VERSION: STATELESS,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "wire", "version": "1"},
}


def request(method, params=None, id=1, is_stateless=False):
    message = {"jsonrpc": "2.0", "id": id, "method": method}
    if params is not None or is_stateless:
        message["params"] = (params or {}) | ({"_meta": META} if is_stateless else {})
    return message


class Server(Wire):
    """A new process."""

    def __init__(self):
        ours, theirs = socket.socketpair()
        with theirs:
            tee = [sys.executable, Path(__file__).with_name("tee.py"), FOLDER]
            super().__init__(ours, False, subprocess.Popen([*tee, *COMMAND], stdin=theirs, stdout=theirs))

    def ask(self, message):
        self.send(message if isinstance(message, (str, bytes)) else json.dumps(message))
        return json.loads(self.receive())

    def initialize(self, revision):
        params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "wire", "version": "1"}}
        result = self.ask(request("initialize", params, id="initialize"))["result"]
        self.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return result

    def is_alive(self):
        """The next valid call of either generation gets its answer."""
        for is_stateless in [False, True]:
            call = request("tools/call", {"name": "echo", "arguments": {"text": "alive"}}, "alive", is_stateless)
            answer = self.ask(call)
            equal((answer["id"], answer["result"]["content"]), ("alive", [{"type": "text", "text": "alive"}]))
            equal("resultType" in answer["result"], is_stateless)


def is_refused(answer, code, **members):
    """An error with that code, and no other members than these."""
    equal(answer["error"]["code"], code)
    equal(bool(answer["error"]["message"]), True)
    equal({name: value for name, value in answer.items() if name not in ["jsonrpc", "error"]}, members)


def unreadable():
    """These have no readable id, and null is not an id."""
    deep = b"[" * 64 + b"]" * 64
    with Server() as server:
        server.initialize(REVISIONS[1])
        for text in [
            b'{"jsonrpc":"2.0","id":1,"method":"tools/list"',
            b"\xff\xfe\x00",
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\xc0\xaf"}}',
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\\ud800"}}',
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":' + deep + b"}}",
            b"NaN",
            b'{"jsonrpc":"2.0","id":1,\xef\xbb\xbf"method":"tools/list"}',
        ]:
            is_refused(server.ask(text), -32700)
            server.is_alive()


def no_id():
    with Server() as server:
        server.initialize(REVISIONS[1])
        for message in ['{"jsonrpc":"2.0","id":%s,"method":"tools/list"}' % id for id in ["null", "true", "[]", "{}"]] + [
            "1",
            "null",
            '"tools/list"',
            "{}",
        ]:
            is_refused(server.ask(message), -32600)
            server.is_alive()


def wrong_members():
    with Server() as server:
        server.initialize(REVISIONS[1])
        for text in [
            '{"jsonrpc":"1.0","id":7,"method":"tools/list"}',
            '{"id":7,"method":"tools/list"}',
            '{"jsonrpc":"2.0","id":7,"METHOD":"tools/list"}',
            '{"jsonrpc":"2.0","id":7,"method":1}',
            '{"jsonrpc":"2.0","id":7,"method":"tools/list","method":"tools/list"}',
        ]:
            is_refused(server.ask(text), -32600, id=7)
            server.is_alive()


def params_no_object():
    with Server() as server:
        server.initialize(REVISIONS[1])
        for params in ["[]", '["add"]', "1", '"add"', "true"]:
            is_refused(server.ask('{"jsonrpc":"2.0","id":"p","method":"tools/list","params":%s}' % params), -32600, id="p")
            server.is_alive()


def batches():
    with Server() as server:
        server.initialize(REVISIONS[1])
        for batch in [[], [1], [request("tools/list")], [request("tools/list", id=id) for id in range(20)]]:
            is_refused(server.ask(json.dumps(batch)), -32600)
            server.is_alive()


def not_answered():
    with Server() as server:
        server.initialize(REVISIONS[1])
        for text in [
            '{"jsonrpc":"2.0","method":"nothing"}',
            '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"text":"unheard"}}}',
            '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
            '{"jsonrpc":"2.0","id":1,"result":{}}',
            '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}',
            "",
            " \r",
        ]:
            server.send(text)
            server.is_alive()


def wrong_params():
    """Params that the schemas do not allow."""
    with Server() as server:
        server.initialize(REVISIONS[1])
        for is_stateless in [False, True]:
            for method, params in [
                ("tools/call", {}),
                ("tools/call", {"name": 1}),
                ("tools/call", {"name": "add", "arguments": [1, 2]}),
                ("resources/read", {}),
                ("resources/read", {"uri": 1}),
                ("prompts/get", {"name": None}),
                ("prompts/get", {"name": "greet", "arguments": []}),
                ("prompts/get", {"name": "greet", "arguments": {"name": 1}}),
                ("completion/complete", {}),
                ("completion/complete", {"ref": {"type": "ref/nothing"}, "argument": {"name": "name", "value": ""}}),
                ("completion/complete", {"ref": {"type": "ref/prompt", "name": "greet"}}),
                ("tools/list", {"cursor": 1}),
            ]:
                is_refused(server.ask(request(method, params, "w", is_stateless)), -32602, id="w")
        server.is_alive()


def too_long():
    with Server() as server:
        server.initialize(REVISIONS[1])
        for size in [100_000, 1_000_000]:
            is_refused(server.ask('{"jsonrpc":"2.0","id":1,"method":"' + "x" * size + '"}'), -32600)
            server.is_alive()


def random_bytes():
    chance = random.Random(5)
    with Server() as server:
        server.initialize(REVISIONS[1])
        for _ in range(100):
            noise = bytes(chance.randbytes(chance.randrange(1, 300))).replace(b"\n", b"").replace(b"\r", b"") + b"!"
            is_refused(server.ask(noise), -32700)
        server.is_alive()


def negotiates():
    for asked, agreed in [
        (REVISIONS[0], REVISIONS[0]),
        (REVISIONS[1], REVISIONS[1]),
        ("1900-01-01", REVISIONS[1]),
        ("2099-01-01", REVISIONS[1]),
        # a handshake for the revision without one
        (STATELESS, REVISIONS[1]),
    ]:
        with Server() as server:
            result = server.initialize(asked)
            equal((asked, result["protocolVersion"]), (asked, agreed))
            equal((result["serverInfo"]["name"], "resultType" in result), ("nanojsonrpc-example", False))


def initialize_without():
    """An incomplete handshake does not change the server."""
    with Server() as server:
        for params in [None, {}, {"protocolVersion": REVISIONS[1]}, {"protocolVersion": 1, "capabilities": {}}]:
            is_refused(server.ask(request("initialize", params)), -32602, id=1)
        equal(server.initialize(REVISIONS[1])["protocolVersion"], REVISIONS[1])


def unknown_revision():
    with Server() as server:
        server.initialize(REVISIONS[1])
        for method in ["server/discover", "tools/list", "tools/call"]:
            for version in ["2099-01-01", REVISIONS[1], ""]:
                message = request(method, {"_meta": META | {META_VERSION: version}})
                answer = server.ask(message)
                is_refused(answer, -32022, id=1)
                equal(answer["error"]["data"]["requested"], version)
                equal(STATELESS in answer["error"]["data"]["supported"], True)
        server.is_alive()


def meta_that_lacks():
    capabilities = "io.modelcontextprotocol/clientCapabilities"
    lacking = [{META_VERSION: STATELESS}, {META_VERSION: 1, capabilities: {}}, {META_VERSION: STATELESS, capabilities: []}]
    with Server() as server:
        server.initialize(REVISIONS[1])
        for meta in lacking:
            for method in ["server/discover", "tools/list", "resources/list"]:
                is_refused(server.ask(request(method, {"_meta": meta})), -32602, id=1)
        for params in [None, {}, {"_meta": {}}, {"_meta": {capabilities: {}}}, {"_meta": []}]:
            is_refused(server.ask(request("server/discover", params)), -32602, id=1)
        # the name of the client is optional
        answer = server.ask(request("server/discover", {"_meta": {META_VERSION: STATELESS, capabilities: {}}}))
        equal(answer["result"]["supportedVersions"], [*REVISIONS[::-1], "2025-03-26", "2024-11-05"])
        server.is_alive()


def gone_methods():
    """Methods that the stateless revision has removed still work in a session."""
    with Server() as server:
        server.initialize(REVISIONS[1])
        for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"]:
            is_refused(server.ask(request(method, {}, "gone", True)), -32601, id="gone")
        is_refused(server.ask(request("subscriptions/listen", {"notifications": {}}, "gone", True)), -32601, id="gone")
        equal(server.ask(request("ping"))["result"], {})
        is_refused(server.ask(request("server/discover")), -32602, id=1)


def generations_mixed():
    """A stateless request uses no state of a session, and changes none."""
    with Server() as server:
        for revision in REVISIONS[:2]:
            before = server.ask(request("tools/list", {}, "before", True))["result"]
            server.initialize(revision)
            of_session = server.ask(request("tools/list", {}, 1))["result"]
            after = server.ask(request("tools/list", {}, "after", True))["result"]
            equal(after, before)
            equal(sorted(set(before) - set(of_session)), ["_meta", "cacheScope", "resultType", "ttlMs"])
            equal(before["tools"], of_session["tools"])
            code = server.ask(request("resources/read", {"uri": "note://nothing"}))["error"]["code"]
            equal(code, -32002)
            code = server.ask(request("resources/read", {"uri": "note://nothing"}, 1, True))["error"]["code"]
            equal(code, -32602)


def stateless_is_complete():
    """Each result has its type and its server, and cacheable results have their time."""
    with Server() as server:
        for method, params, is_kept in [
            ("server/discover", {}, True),
            ("tools/list", {}, True),
            ("tools/call", {"name": "add", "arguments": {"a": 1, "b": 2}}, False),
            ("tools/call", {"name": "add", "arguments": {"a": 1}}, False),
            ("resources/list", {}, True),
            ("resources/templates/list", {}, True),
            ("resources/read", {"uri": "greeting:///Ada"}, True),
            ("prompts/list", {}, True),
            ("prompts/get", {"name": "greet", "arguments": {"name": "x"}}, False),
            (
                "completion/complete",
                {"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "name", "value": ""}},
                False,
            ),
        ]:
            result = server.ask(request(method, params, 1, True))["result"]
            equal(result["resultType"], "complete")
            equal(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "nanojsonrpc-example")
            equal((method, {"ttlMs", "cacheScope"} <= set(result)), (method, is_kept))


def progress_tokens():
    """A token is returned unchanged, string or integer."""
    with Server() as server:
        server.initialize(REVISIONS[1])
        for token in [0, -1, 2**53, "", "\U0001f600", "7"]:
            for is_stateless in [False, True]:
                meta = (META if is_stateless else {}) | {"progressToken": token}
                server.send(json.dumps(request("tools/call", {"name": "count", "arguments": {"steps": 2}, "_meta": meta})))
                for step in [1, 2]:
                    params = json.loads(server.receive())["params"]
                    equal((params["progressToken"], params["progress"], params["total"]), (token, step, 2))
                equal(json.loads(server.receive())["id"], 1)


def ids():
    with Server() as server:
        server.initialize(REVISIONS[1])
        for id in ["", "a" * 64, "\U0001f600", "1", 0, -1, 2**63 - 1, -(2**63)]:
            for is_stateless in [False, True]:
                equal(server.ask(request("tools/list", {}, id, is_stateless))["id"], id)


def ends_with_calls_open():
    """At the end of input, all earlier requests are answered."""
    with Server() as server:
        server.initialize(REVISIONS[1])
        for id in range(20):
            server.send(json.dumps(request("tools/call", {"name": "echo", "arguments": {"text": "x"}}, id)))
        server.end()
        equal([json.loads(server.receive())["id"] for _ in range(20)], list(range(20)))
        equal(server.receive(), None)


def split_lines():
    """The chunks of a line do not matter."""
    with Server() as server:
        server.initialize(REVISIONS[1])
        call = server.framed(json.dumps(request("tools/call", {"name": "echo", "arguments": {"text": "\u4e2d"}})))
        for cut in range(1, len(call)):
            server.sock.sendall(call[:cut])
            server.sock.sendall(call[cut:])
            equal(json.loads(server.receive())["result"]["content"][0]["text"], "\u4e2d")


def is_valid():
    equal(check_records(FOLDER) > 500, True)


FOLDER = Path(sys.argv[1]) / "wire"
COMMAND = sys.argv[2:]
for name, function in [
    ("what cannot be read", unreadable),
    ("what has no id that may be", no_id),
    ("wrong members of requests", wrong_members),
    ("params that are no object", params_no_object),
    ("batches", batches),
    ("what is not answered", not_answered),
    ("params that a method does not have", wrong_params),
    ("messages that are too long", too_long),
    ("random bytes, then good calls", random_bytes),
    ("the revision of a session", negotiates),
    ("handshakes that lack something", initialize_without),
    ("unknown revisions", unknown_revision),
    ("metadata that lacks something", meta_that_lacks),
    ("methods that are gone", gone_methods),
    ("both generations on one connection", generations_mixed),
    ("stateless results are complete", stateless_is_complete),
    ("tokens of progress", progress_tokens),
    ("ids come back as they were", ids),
    ("the end with calls open", ends_with_calls_open),
    ("lines in two pieces", split_lines),
    ("every message is valid", is_valid),
]:
    check(f"mcp, lines: {name}", function)
finish()
