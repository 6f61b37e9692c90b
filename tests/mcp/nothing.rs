//! An object or nothing: null and `[]` in place of an object without members, as PHP, Lua and Perl write it.
#![cfg(feature = "mcp")]

use nanojsonrpc::mcp::client::{Client, Incoming};
use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::{PromptCall, Revision, Schema, Service, ToolCall};
use nanojsonrpc::{Dialect, Server, Writer};
use serde_json::{Value, json};

fn service() -> Service<(), impl Features<()>> {
    Service::new("lamp", "1")
        .tool("list_regions", "Lists.", Schema::NO_ARGUMENTS, |_: &mut (), call: ToolCall<'_>| {
            assert!(call.arguments().is_none_or(|arguments| arguments.members().next().is_none()));
            assert!(call.get("x").is_none());
            call.text("none")
        })
        .tool("bare", "Takes none.", Schema::NO_ARGUMENTS, |_: &mut ()| "none")
        .prompt("greet", "Greets.", &[], |_: &mut (), call: PromptCall<'_>| call.user("hello"))
}

/// The code and the message of the answer to a request; `None` for a result.
fn refusal(
    server: &mut Server<Service<(), impl Features<()>>>,
    method: &str,
    params: Option<&str>,
) -> Option<(i64, String)> {
    let params = params.map(|params| format!(",\"params\":{params}")).unwrap_or_default();
    let text = format!("{{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"{method}\"{params}}}");
    let mut output = [0; 1024];
    let answer = server.process(&mut (), text.as_bytes(), &mut output).answer().expect("an answer");
    let answer: Value = serde_json::from_slice(answer).expect("JSON");
    assert_eq!(answer["id"], 3);
    let error = answer.get("error")?;
    Some((error["code"].as_i64().expect("a code"), error["message"].as_str().expect("a message").into()))
}

const HELLO: &str = r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"0"}}"#;
const STATELESS: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Requests in which `{}` stands for the object `name`.
fn requests() -> Vec<(&'static str, &'static str, String)> {
    let with_arguments = |name: &str| format!(r#"{{"name":"{name}","arguments":{{}}}}"#);
    vec![
        ("initialize", "capabilities", HELLO.into()),
        (
            "initialize",
            "clientInfo",
            HELLO
                .replace(r#"{"name":"c","version":"0"}"#, "{}")
                .replace(r#""capabilities":{}"#, r#""capabilities":{"sampling":[]}"#),
        ),
        ("tools\\/call", "arguments", with_arguments("list_regions")),
        ("tools/call", "arguments", with_arguments("bare")),
        ("prompts/get", "arguments", with_arguments("greet")),
        ("tools/call", "_meta", r#"{"name":"list_regions","_meta":{}}"#.into()),
        ("tools/list", "_meta", r#"{"_meta":{}}"#.into()),
        ("tools/list", "clientCapabilities", format!("{{{STATELESS}}}")),
    ]
}

#[test]
fn nothing_counts_as_an_object_to_a_lenient_service_and_a_strict_one_names_the_member() {
    for (method, name, params) in requests() {
        let (mut lenient, mut strict) = (service().lenient().server(), service().server());
        for server in [&mut lenient, &mut strict] {
            assert_eq!(refusal(server, "initialize", Some(HELLO)), None);
            assert_eq!(refusal(server, method, Some(&params)), None, "{params}");
        }
        for nothing in ["null", "[]", "[ ]"] {
            let (before, behind) = params.rsplit_once("{}").unwrap();
            let params = format!("{before}{nothing}{behind}");
            assert_eq!(refusal(&mut lenient, method, Some(&params)), None, "{params}");
            if (name, nothing) == ("_meta", "null") {
                // other implementations write null for an absent member
                assert_eq!(refusal(&mut strict, method, Some(&params)), None, "{params}");
                continue;
            }
            let (code, message) = refusal(&mut strict, method, Some(&params)).expect(&params);
            assert!(code == -32602 && message.contains(name), "{params}: {message}");
        }
        for wrong in ["7", "\"\"", "[0]", "false"] {
            let (before, behind) = params.rsplit_once("{}").unwrap();
            let params = format!("{before}{wrong}{behind}");
            for server in [&mut lenient, &mut strict] {
                let (code, message) = refusal(server, method, Some(&params)).expect(&params);
                assert!(code == -32602 && message.contains(name), "{params}: {message}");
            }
        }
    }
    // the required members of `initialize` may be absent
    for params in ["{}", r#"{"protocolVersion":"2025-06-18"}"#, r#"{"capabilities":[]}"#] {
        assert_eq!(refusal(&mut service().lenient().server(), "initialize", Some(params)), None, "{params}");
        assert_eq!(refusal(&mut service().server(), "initialize", Some(params)).map(|(code, _)| code), Some(-32602));
    }
}

#[test]
fn params_that_are_nothing_are_absent_to_a_lenient_service() {
    let (mut lenient, mut strict) = (service().lenient().server(), service().server());
    for server in [&mut lenient, &mut strict] {
        assert_eq!(refusal(server, "initialize", Some(HELLO)), None);
    }
    for params in [None, Some("null"), Some("[]"), Some("{}")] {
        for method in ["ping", "tools/list"] {
            assert_eq!(refusal(&mut lenient, method, params), None, "{params:?}");
        }
        let code = refusal(&mut strict, "tools/list", params).map(|(code, _)| code);
        assert_eq!(code, params.filter(|params| *params != "{}").map(|_| -32600), "{params:?}");
    }
    for params in ["7", "[1]", "\"\""] {
        let (code, message) = refusal(&mut lenient, "tools/list", Some(params)).expect(params);
        assert!(code == -32602 && message.contains("params"), "{message}");
    }
    // a notification with wrong params is not answered, and the session is usable
    for params in ["[]", "null", "7"] {
        let text = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{params}}}");
        for server in [&mut lenient, &mut strict] {
            assert_eq!(server.process(&mut (), text.as_bytes(), &mut [0; 128]).answer(), None, "{params}");
            assert_eq!(refusal(server, "tools/list", None), None);
        }
    }
}

#[test]
fn a_lenient_client_reads_capabilities_and_params_that_are_nothing() {
    let (strict, lenient): (Client, Client) = (Client::new("me", "1"), Client::new("me", "1").lenient());
    for (mut client, is_lenient) in [(strict, false), (lenient, true)] {
        for capabilities in ["null", "[]", "{}"] {
            client = client.revision(Revision::V2025_11_25);
            let mut buffer = [0; 1024];
            let mut out = Writer::new(&mut buffer);
            client.connect(&mut out).unwrap();
            let sent: Value = serde_json::from_slice(out.written()).unwrap();
            let result = json!({"protocolVersion": "2025-11-25", "serverInfo": {}});
            let answer = json!({"jsonrpc": "2.0", "id": sent["id"], "result": result}).to_string();
            let answer =
                answer.replace("\"protocolVersion\"", &format!("\"capabilities\":{capabilities},\"protocolVersion\""));
            let Incoming::Connected(server) = client.receive(answer.as_bytes(), &mut out) else { panic!("{answer}") };
            let read = server.capabilities();
            assert_eq!(read.is_ok(), is_lenient || capabilities == "{}", "{answer}");
            assert!(read.is_ok_and(|capabilities| capabilities.tools.is_none()) || !is_lenient);
            let request = format!("{{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\",\"params\":{capabilities}}}");
            let is_read = matches!(client.receive(request.as_bytes(), &mut out), Incoming::ToSend);
            assert_eq!(is_read, is_lenient || capabilities == "{}", "{request}");
        }
    }
    assert_eq!(service().lenient().server().dialect(), Dialect::MCP.with_any_params());
}
