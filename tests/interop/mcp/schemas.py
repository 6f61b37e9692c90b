"""Validates the messages of a server by the JSON Schema of the revision of the Model Context Protocol that is in use."""

import base64
import json
import os
from pathlib import Path
from urllib.parse import urlsplit

import jsonschema
from harness import equal

SCHEMAS = Path(os.environ["NANOJSONRPC_CORPORA"]) / "mcp-schema"
STATELESS = "2026-07-28"
REVISIONS = ["2025-06-18", "2025-11-25", STATELESS]

META_VERSION = "io.modelcontextprotocol/protocolVersion"

# the definition of the result of each method
RESULTS = {
    "completion/complete": "CompleteResult",
    "initialize": "InitializeResult",
    "ping": "Result",
    "prompts/get": "GetPromptResult",
    "prompts/list": "ListPromptsResult",
    "resources/list": "ListResourcesResult",
    "resources/read": "ReadResourceResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "server/discover": "DiscoverResult",
    "tools/call": "CallToolResult",
    "tools/list": "ListToolsResult",
}
NOTIFICATIONS = {
    "notifications/progress": "ProgressNotification",
    "notifications/message": "LoggingMessageNotification",
}
# the rules of the stateless revision for single codes; -32002 is never sent there
STATELESS_ERRORS = {
    -32700: "ParseError",
    -32600: "InvalidRequestError",
    -32601: "MethodNotFoundError",
    -32602: "InvalidParamsError",
    -32603: "InternalError",
    -32020: "HeaderMismatchError",
    -32021: "MissingRequiredClientCapabilityError",
    -32022: "UnsupportedProtocolVersionError",
}

formats = jsonschema.FormatChecker(formats=())


@formats.checks("byte", raises=ValueError)
def is_base64(value):
    return base64.b64encode(base64.b64decode(value, validate=True)).decode() == value


@formats.checks("uri")
def is_uri(value):
    return bool(urlsplit(value).scheme)


class Schema:
    """The definitions of one revision."""

    def __init__(self, revision):
        self.whole = json.loads((SCHEMAS / f"{revision}.json").read_text())
        self.section = "definitions" if "definitions" in self.whole else "$defs"
        self.definitions = self.whole[self.section]
        self.kind = jsonschema.validators.validator_for(self.whole)
        self.validators = {}

    def check(self, name, value):
        """`value` matches the definition, and has no other members."""
        if name not in self.validators:
            schema = {"$schema": self.whole["$schema"], "$ref": f"#/{self.section}/{name}"}
            schema[self.section] = self.definitions
            self.validators[name] = self.kind(schema, format_checker=formats)
        self.validators[name].validate(value)
        if others := set(value) - set(self.members(name)) - {"jsonrpc"}:
            raise AssertionError(f"{name} has no {sorted(others)}")

    def members(self, name):
        return self.definitions[name]["properties"]


schemas = {revision: Schema(revision) for revision in REVISIONS}


class Conversation:
    """The messages of one connection; each message of the server is checked when it arrives."""

    def __init__(self):
        self.handshake = None
        self.open = {}
        self.latest = None
        self.cancelled = set()
        self.checked = 0

    def revision_of(self, request):
        params = request.get("params")
        meta = params.get("_meta") if isinstance(params, dict) else None
        if isinstance(meta, dict) and META_VERSION in meta or request.get("method") == "server/discover":
            return STATELESS
        return self.handshake

    def hear_client(self, line):
        self.latest = None
        try:
            message = json.loads(line)
        except ValueError:
            return
        if not isinstance(message, dict) or "result" in message or "error" in message:
            return
        if isinstance(message.get("id"), (str, int)) and not isinstance(message["id"], bool):
            self.open.setdefault(message["id"], []).append(message)
            self.latest = message["id"]
        elif message.get("method") == "notifications/cancelled":
            self.cancelled.add(message["params"]["requestId"])

    def hear_server(self, line):
        if not line.endswith("\n"):
            raise AssertionError(f"half a line: {line!r:.200}")
        # no byte that is not UTF-8
        line.encode()
        message = json.loads(line)
        if "method" in message:
            self.hear_notification(message)
        else:
            self.hear_answer(message)
        self.checked += 1

    def hear_notification(self, message):
        """It belongs to an open request, and to the revision of that request."""
        if "id" in message:
            raise AssertionError(f"a request of the server: {message!r:.200}")
        owner = None
        if message["method"] == "notifications/progress":
            token = message["params"]["progressToken"]
            owners = [request for request in sum(self.open.values(), []) if token_of(request) == token]
            equal(len(owners), 1)
            owner = owners[0]
        revision = self.revision_of(owner) if owner else self.handshake
        schemas[revision].check(NOTIFICATIONS[message["method"]], message)

    def hear_answer(self, message):
        if "id" not in message:
            # the answer to a text without a readable id; 2025-06-18 has no form for that
            for revision in REVISIONS[1:]:
                schemas[revision].check("JSONRPCErrorResponse", message)
            # this reader may accept more than the server: half a surrogate pair, many brackets
            if self.latest in self.open:
                self.close(self.latest)
            return
        if message["id"] not in self.open:
            raise AssertionError(f"nobody asked: {message!r:.200}")
        request = self.close(message["id"])
        method = request.get("method")
        revision = self.revision_of(request)
        if method == "initialize" and revision is None:
            revision = message.get("result", {}).get("protocolVersion", REVISIONS[1])
            self.handshake = revision
        # before any handshake
        schema = schemas[revision or REVISIONS[1]]
        if "error" in message:
            schema.check("JSONRPCError" if revision == REVISIONS[0] else "JSONRPCErrorResponse", message)
            if revision == STATELESS:
                code = message["error"]["code"]
                if code == -32002:
                    raise AssertionError("-32002 is of the revisions before")
                if name := STATELESS_ERRORS.get(code):
                    schema.check(name, message if "error" in schema.members(name) else message["error"])
            return
        schema.check("JSONRPCResponse" if revision == REVISIONS[0] else "JSONRPCResultResponse", message)
        result = message["result"]
        if result.get("resultType") == "input_required" and revision == STATELESS:
            schema.check("InputRequiredResult", result)
        else:
            schema.check(RESULTS[method], result)

    def close(self, id):
        """The answered request; of several with one id the first."""
        requests = self.open[id]
        request = requests.pop(0)
        if not requests:
            del self.open[id]
        return request

    def end(self):
        """Every request has been answered, except cancelled ones."""
        lost = [id for id in self.open if id not in self.cancelled]
        equal(lost, [])


def token_of(request):
    return request.get("params", {}).get("_meta", {}).get("progressToken")


def check_records(folder):
    """Checks every recorded connection in `folder`; returns the number of messages of servers."""
    records = sorted(folder.glob("*.jsonl"))
    checked = 0
    for record in records:
        conversation = Conversation()
        try:
            for entry in map(json.loads, record.read_text().splitlines()):
                if entry.get("from") == "client":
                    conversation.hear_client(entry["line"])
                elif entry.get("from") == "server":
                    conversation.hear_server(entry["line"])
            conversation.end()
        except Exception as error:
            text = str(error).splitlines()[0] if str(error) else ""
            place = f"{record.name}, message {conversation.checked + 1}"
            raise AssertionError(f"{place}: {type(error).__name__}: {text}") from error
        checked += conversation.checked
    return checked
