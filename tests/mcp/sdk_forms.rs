//! Messages in the forms of the official SDKs: the order of members, ids and tokens as numbers or texts, empty params, escapes. Those of
//! Rust and TypeScript are recorded; those of Go, C# and Java follow their serializers. `.ci/peers mcp` runs the SDKs of Python, Rust and TypeScript.
#![cfg(all(feature = "mcp", feature = "serde"))]

use nanojsonrpc::mcp::client::{Call, Client, Incoming, Outcome};
use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::types::{CallToolResult, Content, Number, Progress};
use nanojsonrpc::mcp::{Revision, Service, ToolCall, method, schema};
use nanojsonrpc::{Dialect, Router, Server, Writer};
use serde_json::{Value, json};

/// What each client sends: each serializer escapes other characters of it.
const TEXT: &str = "<\u{e9} \u{2028}&'\"+\u{1F600}>";

fn service() -> Service<(), impl Features<()>> {
    Service::new("forms", "1.0.0").tool(
        "echo",
        "Says what it is told.",
        schema!(r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}"#),
        |_: &mut (), mut call: ToolCall<'_>| {
            _ = call.progress(1, Some(1), None);
            match call.get("text").and_then(|text| text.as_str_raw()) {
                Some(text) => call.text(text),
                None => call.invalid("text: expected a string"),
            }
        },
    )
}

/// The results of a server to the messages of a client. Each request is answered with its id.
fn results(lines: &[&str]) -> Vec<Value> {
    let mut server = service().server();
    let mut results = Vec::new();
    for line in lines {
        let (asked, mut output) = (serde_json::from_str::<Value>(line).unwrap(), [0; 2048]);
        let answer = server.process(&mut (), line.as_bytes(), &mut output).answer();
        assert_eq!(answer.is_some(), asked.get("id").is_some(), "{line}");
        let Some(answer) = answer else { continue };
        let mut answer: Value = serde_json::from_slice(answer).unwrap();
        assert_eq!(answer["id"], asked["id"], "{line}");
        assert_eq!(answer["error"], Value::Null, "{line}");
        results.push(answer["result"].take());
    }
    results
}

/// The lines of a session of 2025-11-25: `initialize`, `initialized`, a ping, the list, a call, and its late cancellation.
const SESSIONS: &[(&str, &[&str])] = &[
    (
        "Rust",
        &[
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"elicitation":{},"roots":{},"sampling":{}},"clientInfo":{"name":"rmcp","version":"0"},"protocolVersion":"2025-11-25"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":0}}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"progressToken":1}}}"#,
            "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"_meta\":{\"progressToken\":2},\"arguments\":{\"text\":\"<\u{e9} \u{2028}&'\\\"+\u{1F600}>\"},\"name\":\"echo\"}}",
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#,
        ],
    ),
    (
        "TypeScript",
        &[
            r#"{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{},"roots":{}},"clientInfo":{"name":"typescript","version":"0"}},"jsonrpc":"2.0","id":0}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"method":"ping","jsonrpc":"2.0","id":1}"#,
            r#"{"method":"tools/list","params":{"_meta":{"progressToken":2}},"jsonrpc":"2.0","id":2}"#,
            "{\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\"<\u{e9} \u{2028}&'\\\"+\u{1F600}>\"},\"_meta\":{\"progressToken\":3}},\"jsonrpc\":\"2.0\",\"id\":3}",
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"TimeoutError: The operation was aborted due to timeout"}}"#,
        ],
    ),
    (
        // sorts nothing, escapes the line separators, and omits no empty params
        "Go",
        &[
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"go","version":"v1.0.0"},"protocolVersion":"2025-11-25"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"ping","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{}}"#,
            "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"_meta\":{\"progressToken\":\"p-1\"},\"name\":\"echo\",\"arguments\":{\"text\":\"<\u{e9} \\u2028&'\\\"+\u{1F600}>\"}}}",
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"context canceled","requestId":4}}"#,
        ],
    ),
    (
        // members of a base class come last; all but plain ASCII is escaped, quotes too
        "C#",
        &[
            r#"{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"\u0022C\u0023\u0022","version":"1.0.0.0"}},"id":1,"jsonrpc":"2.0"}"#,
            r#"{"method":"notifications/initialized","params":{},"jsonrpc":"2.0"}"#,
            r#"{"method":"ping","params":{},"id":2,"jsonrpc":"2.0"}"#,
            r#"{"method":"tools/list","params":{},"id":3,"jsonrpc":"2.0"}"#,
            r#"{"method":"tools/call","params":{"name":"echo","arguments":{"text":"\u003C\u00E9 \u2028\u0026\u0027\u0022\u002B\uD83D\uDE00\u003E"},"_meta":{"progressToken":"4b2c51f8a0de4b0f9d6e"}},"id":4,"jsonrpc":"2.0"}"#,
            r#"{"method":"notifications/cancelled","params":{"requestId":4,"reason":"The operation was canceled."},"jsonrpc":"2.0"}"#,
        ],
    ),
    (
        // ids are texts; the method stands before the id
        "Java",
        &[
            r#"{"jsonrpc":"2.0","method":"initialize","id":"5f3c1a7b-0","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true},"sampling":{},"elicitation":{}},"clientInfo":{"name":"Java SDK","version":"1"}}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","method":"ping","id":"5f3c1a7b-1"}"#,
            r#"{"jsonrpc":"2.0","method":"tools/list","id":"5f3c1a7b-2","params":{}}"#,
            "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"id\":\"5f3c1a7b-3\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\"<\u{e9} \u{2028}&'\\\"+\u{1F600}>\"},\"_meta\":{\"progressToken\":\"t\"}}}",
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"5f3c1a7b-3"}}"#,
        ],
    ),
];

#[test]
fn a_server_reads_the_session_of_each_sdk() {
    for (sdk, lines) in SESSIONS {
        let [initialized, pong, list, called] = results(lines).try_into().unwrap_or_else(|_| panic!("{sdk}"));
        assert_eq!(initialized["protocolVersion"], "2025-11-25", "{sdk}");
        assert_eq!(pong, json!({}), "{sdk}");
        assert_eq!(list["tools"][0]["name"], "echo", "{sdk}");
        assert_eq!(called["content"], json!([{"type": "text", "text": TEXT}]), "{sdk}");
    }
}

#[test]
fn a_server_reads_the_stateless_requests_of_each_sdk() {
    const STATELESS: &[(&str, &str)] = &[
        (
            "Rust",
            r#"{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"roots":{},"sampling":{}},"io.modelcontextprotocol/clientInfo":{"name":"rmcp","version":"0"},"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
        ),
        (
            "TypeScript",
            r#"{"jsonrpc":"2.0","id":"server-discover-probe-1","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"typescript","version":"0"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"sampling":{},"roots":{}}}}}"#,
        ),
        (
            "C#",
            r#"{"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"\u0022C\u0023\u0022","version":"1.0.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}},"id":1,"jsonrpc":"2.0"}"#,
        ),
    ];
    for (sdk, line) in STATELESS {
        let [discovered] = results(&[line]).try_into().unwrap_or_else(|_| panic!("{sdk}"));
        assert_eq!(discovered["supportedVersions"][0], "2026-07-28", "{sdk}");
    }
}

/// What a server sends in a session of 2025-11-25: the results of `initialize` and of a call, which is the second request and has the
/// progress token 2; before that result a request for the roots and progress; and an error for the third request.
struct ServerForms {
    sdk: &'static str,
    initialized: &'static str,
    roots: &'static str,
    progress: &'static str,
    called: &'static str,
    error: &'static str,
    code: i64,
}

const SERVERS: &[ServerForms] = &[
    ServerForms {
        sdk: "Rust",
        initialized: r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sdk","version":"0"}}}"#,
        roots: r#"{"jsonrpc":"2.0","id":2,"method":"roots/list","params":{"_meta":{"progressToken":2}}}"#,
        progress: r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"message":"half","progress":1.0,"progressToken":2,"total":2.0}}"#,
        called: "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"<\u{e9} \u{2028}&'\\\"+\u{1F600}>\"}],\"structuredContent\":{\"a\":1}}}",
        error: r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Unknown tool: none"}}"#,
        code: -32602,
    },
    ServerForms {
        sdk: "TypeScript",
        initialized: r#"{"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"sdk","version":"0"}},"jsonrpc":"2.0","id":1}"#,
        roots: r#"{"method":"roots/list","jsonrpc":"2.0","id":2}"#,
        progress: r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1,"total":2,"message":"half"}}"#,
        called: "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"<\u{e9} \u{2028}&'\\\"+\u{1F600}>\"}],\"structuredContent\":{\"a\":1}},\"jsonrpc\":\"2.0\",\"id\":2}",
        error: r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Tool none not found"}}"#,
        code: -32602,
    },
    ServerForms {
        sdk: "Go",
        initialized: r#"{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"logging":{},"tools":{"listChanged":true}},"protocolVersion":"2025-11-25","serverInfo":{"name":"go","version":"v1.0.0"}}}"#,
        roots: r#"{"jsonrpc":"2.0","id":1,"method":"roots/list","params":{}}"#,
        progress: r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"message":"half","progress":1,"total":2}}"#,
        // the contents have a serializer of their own, which escapes more than that of the message
        called: "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\\u003c\u{e9} \\u2028\\u0026'\\\"+\u{1F600}\\u003e\"}],\"structuredContent\":{\"a\":1}}}",
        // an error of the program that has no code
        error: r#"{"jsonrpc":"2.0","id":3,"error":{"code":0,"message":"unknown tool \"none\""}}"#,
        code: 0,
    },
    ServerForms {
        sdk: "C#",
        initialized: r#"{"result":{"protocolVersion":"2025-11-25","capabilities":{"logging":{},"tools":{"listChanged":true}},"serverInfo":{"name":"\u0022C\u0023\u0022","version":"1.0.0.0"}},"id":1,"jsonrpc":"2.0"}"#,
        roots: r#"{"method":"roots/list","params":{},"id":1,"jsonrpc":"2.0"}"#,
        progress: r#"{"method":"notifications/progress","params":{"progressToken":2,"progress":1,"total":2,"message":"half"},"jsonrpc":"2.0"}"#,
        called: r#"{"result":{"content":[{"type":"text","text":"\u003C\u00E9 \u2028\u0026\u0027\u0022\u002B\uD83D\uDE00\u003E"}],"structuredContent":{"a":1}},"id":2,"jsonrpc":"2.0"}"#,
        error: r#"{"error":{"code":-32602,"message":"Unknown tool: \u0027none\u0027"},"id":3,"jsonrpc":"2.0"}"#,
        code: -32602,
    },
    ServerForms {
        sdk: "Java",
        initialized: r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"logging":{},"tools":{"listChanged":true}},"serverInfo":{"name":"Java SDK","version":"1"}}}"#,
        roots: r#"{"jsonrpc":"2.0","method":"roots/list","id":"0b5a4f9e-2d1c-4a77-9a0e-3a4be1b7d8c2-0","params":{}}"#,
        progress: r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1.0,"total":2.0,"message":"half"}}"#,
        called: "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"<\u{e9} \u{2028}&'\\\"+\u{1F600}>\"}],\"isError\":false,\"structuredContent\":{\"a\":1}}}",
        error: r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Unknown tool: invalid_tool_name","data":"Tool not found: none"}}"#,
        code: -32602,
    },
];

#[test]
fn a_client_reads_the_session_of_each_sdk() {
    for forms in SERVERS {
        let sdk = forms.sdk;
        let mut client: Client<char, 2> = Client::new("forms", "1").roots().progress().revision(Revision::V2025_11_25);
        let mut buffer = [0; 1024];
        let mut out = Writer::new(&mut buffer);
        client.connect(&mut out).unwrap();
        let connected = client.receive(forms.initialized.as_bytes(), &mut out);
        let Incoming::Connected(server) = connected else { panic!("{sdk}: {connected:?}") };
        assert_eq!(server.revision, Revision::V2025_11_25, "{sdk}");
        let info = server.server_info().unwrap();
        assert_eq!(info.name == "sdk", matches!(sdk, "Rust" | "TypeScript"), "{sdk}");
        assert!(server.capabilities().unwrap().tools.is_some(), "{sdk}");
        out.clear();
        for tag in ['a', 'b'] {
            client.send(&Call::tool("echo", &()), tag, &mut out).unwrap();
        }

        let asked = client.receive(forms.roots.as_bytes(), &mut out);
        assert!(matches!(asked, Incoming::Request(_)), "{sdk}: {asked:?}");
        let router = Router::new().request(method::ROOTS_LIST, |_: &mut ()| Ok(json!({"roots": []})));
        let (mut server, mut output) = (Server::new(router).with_dialect(Dialect::MCP), [0; 256]);
        let answer = server.process(&mut (), forms.roots.as_bytes(), &mut output).answer().unwrap();
        let answer: Value = serde_json::from_slice(answer).unwrap();
        assert_eq!(answer["result"], json!({"roots": []}), "{sdk}");
        assert_eq!(answer["id"], serde_json::from_str::<Value>(forms.roots).unwrap()["id"], "{sdk}");

        let progress = client.receive(forms.progress.as_bytes(), &mut out);
        let Incoming::Progress(2, params) = progress else { panic!("{sdk}: {progress:?}") };
        let progress = Progress::read(params).unwrap();
        assert_eq!(progress.message.unwrap(), *"half", "{sdk}");
        let half = match progress.progress {
            Number::Integer(whole) => f64::from(i32::try_from(whole).unwrap()),
            Number::Decimal(raw) => raw.as_f64().unwrap(),
        };
        assert_eq!(half, 1.0, "{sdk}");

        let answered = client.receive(forms.called.as_bytes(), &mut out);
        let Incoming::Answer('a', Outcome::Result(result)) = answered else { panic!("{sdk}: {answered:?}") };
        let result = CallToolResult::read(result).unwrap();
        assert!(!result.is_error.unwrap_or(false), "{sdk}");
        assert_eq!(result.structured_content.unwrap().as_json(), r#"{"a":1}"#, "{sdk}");
        let content = result.content.iter().next();
        assert!(matches!(content, Some(Content::Text(content)) if content.text == *TEXT), "{sdk}: {content:?}");

        let refused = client.receive(forms.error.as_bytes(), &mut out);
        let Incoming::Answer('b', Outcome::Error(error)) = refused else { panic!("{sdk}: {refused:?}") };
        assert_eq!(error.code.0, forms.code, "{sdk}");
        assert!(error.message.to_string().to_lowercase().contains("tool"), "{sdk}");
    }
}
