// Texts to start from.

const minified = (value) => JSON.stringify(value);
const call = (id, method, params) => minified({ jsonrpc: "2.0", id, method, params });
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "page", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/// JSON-RPC 2.0, section 7: the texts of the client, and their purpose.
const SECTION_7 = [
  ["Params by position", '{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}', "The server answers 19: by position, the first is the minuend."],
  ["The other way round", '{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}', "By position the order counts: the answer is -19."],
  ["Params by name", '{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}', "By name the order does not matter."],
  ["Names in another order", '{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}', "The same call, and the same answer."],
  ["A notification", '{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}', "Without an id there is no answer, not even to a fault."],
  ["A notification without params", '{"jsonrpc": "2.0", "method": "foobar"}', "The sender does not learn whether the method exists."],
  ["A method that does not exist", '{"jsonrpc": "2.0", "method": "foobar", "id": "1"}', "A valid request. A server without the method answers -32601."],
  ["Invalid JSON", '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', "A quotation mark is missing. The answer has the id null, because no id could be read."],
  ["An invalid request", '{"jsonrpc": "2.0", "method": 1, "params": "bar"}', "Valid JSON, but not a message: a method is a string."],
  ["A batch that is not JSON", '[\n  {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},\n  {"jsonrpc": "2.0", "method"\n]', "One fault makes the whole batch unreadable: one answer, which is not an array."],
  ["An empty batch", "[]", "The answer is one error, not an array."],
  ["A batch of one invalid message", "[1]", "The answer is an array with one error."],
  ["A batch of invalid messages", "[1,2,3]", "Each element has its own verdict."],
  ["A batch", `[
  {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
  {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
  {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
  {"foo": "boo"},
  {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
  {"jsonrpc": "2.0", "method": "get_data", "id": "9"}
]`, "Requests, a notification and an object that is not a message."],
  ["A batch of notifications", `[
  {"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},
  {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}
]`, "No answer at all, not even an empty array."],
];

/// The lifecycle of the Model Context Protocol.
const MCP = [
  ["Initialize", call(0, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "page", version: "1" } }), "The client names its revision; the server answers with the common one."],
  ["Initialized", minified({ jsonrpc: "2.0", method: "notifications/initialized" }), "Now both sides may send requests."],
  ["List the tools", call(1, "tools/list"), "Each tool has a name, a description and the schema of its arguments."],
  ["Call a tool", call(2, "tools/call", { name: "add", arguments: { a: 20, b: 22 } }), "The result is a list of contents."],
  ["Call a slow tool", call(3, "tools/call", { name: "count", arguments: { steps: 3 }, _meta: { progressToken: "t" } }), "With a progress token, notifications come before the answer."],
  ["Read a resource", call(4, "resources/read", { uri: "note:///greeting" }), "A resource is text or, in base64, bytes."],
  ["Get a prompt", call(5, "prompts/get", { name: "greet", arguments: { name: "Ada" } }), "A prompt is a template of messages."],
  ["Complete an argument", call(6, "completion/complete", { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "name", value: "A" } }), "Values that begin with what was typed."],
  ["Ping", call(7, "ping"), "Either side may check that the other responds."],
  ["Discover, without a session", call(8, "server/discover", { _meta: meta }), "Revision 2026-07-28 has no sessions: each request has its revision."],
];

/// Ten instructive mistakes.
const MISTAKES = [
  ["A comma too many", '{"jsonrpc":"2.0","method":"sum","params":[1,2,3,],"id":1}', "JavaScript allows it, JSON does not.", {}],
  ["Single quotation marks", "{'jsonrpc':'2.0','method':'ping','id':1}", "Python prints a dictionary like this. It looks like JSON, but is not.", {}],
  ["A version that is a number", '{"jsonrpc":2.0,"method":"ping","id":1}', "The version is a string. A number could be returned as 2.", {}],
  ["Two ids", '{"jsonrpc":"2.0","method":"transfer","id":1,"id":2}', "JSON.parse keeps the last, other readers the first, so the answer may have either.", {}],
  ["A line break in a string", '{"jsonrpc":"2.0","method":"log","params":["first line\nsecond line"]}', "A control character is escaped in a string. In a stream of lines it would also end the message.", {}],
  ["Half an emoji", '{"jsonrpc":"2.0","method":"say","params":["\\ud83d"],"id":1}', "A text was cut between the halves of a surrogate pair. JSON.parse accepts it, most other readers do not.", {}],
  ["An id that grew too large", '{"jsonrpc":"2.0","method":"ping","id":12345678901234567890}', "Valid, and read exactly here. JSON.parse reads 12345678901234567000, so the answer matches no call.", {}],
  ["Null as an id", '{"jsonrpc":"2.0","method":"ping","id":null}', "Valid but discouraged in JSON-RPC. MCP refuses it: switch the dialect.", { dialect: 1 }],
  ["A result beside an error", '{"jsonrpc":"2.0","result":null,"error":{"code":-32000,"message":"busy"},"id":1}', "JSON-RPC 1.0 has both members. In 2.0 one excludes the other, and a response gets no answer.", {}],
  ["Params that are a string", '{"jsonrpc":"2.0","method":"say","params":"hello","id":1}', "Params are an array or an object: [\"hello\"]. Cauce is a dialect that allows any value.", {}],
];

const MORE = [
  ["An answer under another id", '{"jsonrpc":"2.0","result":19,"id":"1"}', "The call had the number 1, and this is a string. A lenient client accepts it.", {}],
  ["A byte that is not UTF-8", '{"jsonrpc":"2.0","method":"say","params":["caf\\xE9"]}', "Latin-1 instead of UTF-8. The switch turns \\xE9 into a byte.", { bytes: true }],
  ["A deep value", `{"jsonrpc":"2.0","method":"deep","params":${"[".repeat(12)}${"]".repeat(12)},"id":1}`, "Thirteen brackets are open; the limit of depth is set to eight.", { depth: 8 }],
  ["A rich request", `{
  "jsonrpc": "2.0",
  "id": "req-7",
  "method": "sensor.report",
  "params": {
    "sensor": "t1",
    "readings": [{"at": 1764000000, "celsius": 21.5}, {"at": 1764000060, "celsius": 21.625}],
    "total": 9007199254740993,
    "units/pressure": "hPa",
    "note": "caf\\u00e9 \\ud83d\\ude00"
  },
  "trace": "8f14e45f"
}`, "See the tree: each node has its JSON Pointer. JSON.parse cannot represent the total exactly.", {}],
];

const lines = (...texts) => `${texts.join("\n")}\n`;
const framed = (text) => `Content-Length: ${new TextEncoder().encode(text).length}\r\n\r\n${text}`.replaceAll("\r\n", "\n");
const [first, second] = [call(1, "ping"), call(2, "textDocument/hover", { line: 3 })];

const STREAMS = [
  ["Lines", lines(call(1, "subtract", [42, 23]), '{"jsonrpc":"2.0","method":"update"}', "this is no message", '[{"jsonrpc":"2.0","method":"get_data","id":2},1]'), "One message in each line. An invalid line does not affect the next.", { frame: "0" }],
  ["A line that is cut off", `${lines(first)}{"jsonrpc":"2.0","method":"pi`, "The stream ends inside a message.", { frame: "0" }],
  ["Content-Length", framed(first) + framed(second), "The frame of editors and language servers.", { frame: "1" }],
  ["A wrong Content-Length", `Content-Length: many\n\n${first}${framed(second)}`, "The end of the first message is unknown. Reading resumes at the next header.", { frame: "1" }],
  ["Server-sent events", `id: 7\nevent: message\ndata: ${first}\n\n: a comment\n\ndata: {"jsonrpc":"2.0",\ndata: "method":"tick"}\n\n`, "The frame of MCP over HTTP. The second message is in two lines of data.", { frame: "2" }],
  ["Bare values", `${first}${second}\n{"jsonrpc":"2.0" "method":"bad"}\n${call(3, "ping")}`, "A value shows its own end. After a fault, reading resumes at the next line that begins with a bracket.", { frame: "3" }],
  ["A message too long", lines(first, call(2, "echo", ["x".repeat(200)]), call(3, "ping")), "The buffer has 128 bytes. A longer message is one error, and the next message is read.", { frame: "0", buffer: 128 }],
];

const CALLS = {
  0: ["subtract [42,23]", "sum [1,2,4]", "get_data", 'echo {"any":["thing",1.50]}', "fail [7]", "large [60]", "--notify update [1]", "updates", "--batch sum [1,2] get_data [] nope [3]"],
  1: ['initialize {"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"page","version":"1"}}', "tools/list", 'tools/call {"name":"add","arguments":{"a":20,"b":22}}', "resources/list", 'resources/read {"uri":"greeting:///Ada"}', "prompts/list", "ping"],
};

/// `[group, [[name, text, why, settings], …]]` for each view.
export const EXAMPLES = {
  message: [
    ["Ten instructive mistakes", MISTAKES],
    ["JSON-RPC 2.0, section 7", SECTION_7.map((example) => [...example, {}])],
    ["MCP's lifecycle", MCP.map((example) => [...example, { dialect: 1 }])],
    ["More", MORE],
  ],
  stream: [["Streams", STREAMS]],
  serve: [
    ["JSON-RPC 2.0, section 7", SECTION_7.map((example) => [...example, { server: "0" }])],
    ["MCP's lifecycle", MCP.map((example) => [...example, { server: "1" }])],
  ],
};
export const CONSOLE = CALLS;
export const START = MORE[3];
