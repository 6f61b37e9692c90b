"""jsonrpcclient and pjrpc call the examples stdio and tcp."""

import json

import jsonrpcclient
import pjrpc.client
from harness import all_ways, check, equal, finish
from pjrpc.client.exceptions import JsonRpcError

TEXT = 'smile \U0001f600, \u00e9, \u4e2d, \u0000, "quoted", \\, \u2028'


def with_jsonrpcclient(wire, request):
    """Sends a request of jsonrpcclient, and lets it read the answer."""
    return jsonrpcclient.parse_json(wire.ask(json.dumps(request)))


class Pjrpc(pjrpc.client.AbstractClient):
    """pjrpc over a wire."""

    def __init__(self, wire, **options):
        super().__init__(**options)
        self.wire = wire

    def _request(self, request_text, is_notification, request_kwargs):
        self.wire.send(request_text)
        return None if is_notification else self.wire.receive()


def jsonrpcclient_checks(way):
    def by_position():
        with way.connect() as wire:
            got = with_jsonrpcclient(wire, jsonrpcclient.request("subtract", params=[42, 23], id=7))
            equal(got, jsonrpcclient.Ok(19, 7))

    def by_name():
        with way.connect() as wire:
            params = {"subtrahend": 2**62, "minuend": -1}
            got = with_jsonrpcclient(wire, jsonrpcclient.request("subtract", params=params, id="a"))
            equal(got, jsonrpcclient.Ok(-1 - 2**62, "a"))

    def ids():
        with way.connect() as wire:
            for request in [
                jsonrpcclient.request_uuid("get_data"),
                jsonrpcclient.request_random("get_data"),
                jsonrpcclient.request_hex("get_data"),
                jsonrpcclient.request("get_data", id=2**53 - 1),
                jsonrpcclient.request("get_data", id="\U0001f600" * 16),
            ]:
                equal(with_jsonrpcclient(wire, request), jsonrpcclient.Ok(["hello", 5], request["id"]))

    def errors():
        with way.connect() as wire:
            got = with_jsonrpcclient(wire, jsonrpcclient.request("fail", params={"why": ["\U0001f600"]}, id=1))
            equal(got, jsonrpcclient.Error(1, "Failed, as asked", {"why": ["\U0001f600"]}, 1))
            got = with_jsonrpcclient(wire, jsonrpcclient.request("foobar", id=2))
            equal((got.code, got.message, got.id), (-32601, "Method not found", 2))
            got = with_jsonrpcclient(wire, jsonrpcclient.request("subtract", params=["42", 23], id=3))
            equal((got.code, got.id), (-32602, 3))

    def notifications():
        with way.connect() as wire:
            for method in ["update", "foobar", "update"]:
                wire.send(json.dumps(jsonrpcclient.notification(method, params=[1, 2, 3])))
            # an answer to a notification would arrive first
            equal(with_jsonrpcclient(wire, jsonrpcclient.request("updates", id=1)), jsonrpcclient.Ok(2, 1))

    def batch():
        with way.connect() as wire:
            requests = [
                jsonrpcclient.request("sum", params=[1, 2, 4], id="1"),
                jsonrpcclient.notification("update", params=[7]),
                jsonrpcclient.request("sum", params=["x"], id=2),
                {"foo": "boo"},
                jsonrpcclient.request("foo.get", params={"name": "myself"}, id="5"),
                1,
                jsonrpcclient.request("updates", id="9"),
            ]
            got = list(with_jsonrpcclient(wire, requests))
            equal([getattr(answer, "code", 0) for answer in got], [0, -32602, -32600, -32601, -32600, 0])
            equal([answer.id for answer in got], ["1", 2, None, "5", None, "9"])
            equal((got[0].result, got[5].result), (7, 1))

    def unicode():
        with way.connect() as wire:
            for is_escaped in [True, False]:
                request = json.dumps(jsonrpcclient.request("echo", params=[TEXT, {TEXT: 1}], id=TEXT[:9]), ensure_ascii=is_escaped)
                equal("\\ud83d\\ude00" in request, is_escaped)
                got = jsonrpcclient.parse_json(wire.ask(request))
                equal(got, jsonrpcclient.Ok([TEXT, {TEXT: 1}], TEXT[:9]))

    def pretty_printed():
        if not way.is_content_length:
            # a line cannot contain LF, but CR is allowed as white space
            request = '{"jsonrpc":"2.0","method":"echo","params":[1,\r2],"id":1}'
        else:
            request = json.dumps(jsonrpcclient.request("echo", params=[1, 2], id=1), indent=4)
        with way.connect() as wire:
            answer = wire.ask(request)
            equal(jsonrpcclient.parse_json(answer), jsonrpcclient.Ok([1, 2], 1))
            equal(way.is_content_length or "\r" not in answer, True)

    for name, function in [
        ("calls by position", by_position),
        ("calls by name", by_name),
        ("ids come back as they were", ids),
        ("errors with code, message and data", errors),
        ("notifications are heard and not answered", notifications),
        ("a batch with mixed failures", batch),
        ("emoji and other text, escaped and raw", unicode),
        ("white space within a message", pretty_printed),
    ]:
        check(f"jsonrpcclient, {way.name}: {name}", function)


def pjrpc_checks(way):
    def by_position():
        with way.connect() as wire:
            client = Pjrpc(wire)
            equal((client("subtract", 42, 23), client.proxy.sum(1, 2, 3)), (19, 6))

    def by_name():
        with way.connect() as wire:
            equal(Pjrpc(wire).call("subtract", minuend=23, subtrahend=42), -19)

    def notifications():
        with way.connect() as wire:
            client = Pjrpc(wire)
            client.notify("update", value=1)
            client.notify("foobar")
            client.notify("update")
            equal(client.call("updates"), 2)

    def errors():
        with way.connect() as wire:
            client = Pjrpc(wire)
            for method, params, code, data in [
                ("fail", [{"a": None}], 1, [{"a": None}]),
                ("foobar", [], -32601, pjrpc.common.UNSET),
                ("sum", [1.5], -32602, pjrpc.common.UNSET),
                ("large", [140_000], -32603, pjrpc.common.UNSET),
            ]:
                try:
                    got = client.call(method, *params)
                except JsonRpcError as error:
                    equal((error.code, error.data), (code, data))
                else:
                    raise AssertionError(f"{method}: no error but {got!r:.200}")

    def batch():
        with way.connect() as wire:
            client = Pjrpc(wire)
            with client.batch() as batch:
                batch("sum", 2, 2)
                batch.notify("update")
                batch("subtract", minuend=1, subtrahend=2)
                batch("updates")
            equal(batch.get_results(), [4, -1, 1])
            with client.batch() as batch:
                batch("sum", 2, 2)
                batch("foobar")
                batch("fail", 5)
            got = [(answer.id, answer.is_error) for answer in batch.get_response()]
            equal(got, [(1, False), (2, True), (3, True)])
            with client.batch() as batch:
                batch.notify("update")
                batch.notify("update")
            equal(batch.get_response(), None)
            # had that been answered, this would get it
            equal(client.call("updates"), 3)

    def unicode():
        with way.connect() as wire:
            for is_escaped in [True, False]:
                client = Pjrpc(wire, json_dumper=lambda *of, **how: json.dumps(*of, ensure_ascii=is_escaped, **how))
                equal(client.call("echo", TEXT), [TEXT])

    for name, function in [
        ("calls by position", by_position),
        ("calls by name", by_name),
        ("notifications are heard and not answered", notifications),
        ("errors with code and data", errors),
        ("batches, also with failures, also of notifications", batch),
        ("emoji and other text, escaped and raw", unicode),
    ]:
        check(f"pjrpc, {way.name}: {name}", function)


for way in all_ways():
    jsonrpcclient_checks(way)
    pjrpc_checks(way)
finish()
