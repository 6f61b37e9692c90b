//! The side of the server.

use nanojsonrpc::mcp::authorization::{Access, Challenge, Decision, Protected, ProtectedResource};
use nanojsonrpc::mcp::http::Head;
use nanojsonrpc::{Dialect, Envelope, EnvelopeKind, Writer};

const URL: &str = "https://lamp.example.com/mcp";
const LAMP: Protected<'_> = Protected::new(URL, &["https://auth.example.com"]).with_scopes(&["read", "list"]);

/// What the function of the program sees of each message, with `decision` as its answer.
fn seen(authorization: Option<&str>, body: &str, decision: Decision<'_>) -> (Vec<String>, Option<(u16, String)>) {
    let mut calls = Vec::new();
    let decide = |access: &Access<'_>| {
        let text = |text: Option<String>| text.unwrap_or("-".into());
        calls.push(format!(
            "{} {} {} {}",
            access.head.method,
            text(access.token.map(|token| token.expose().to_string())),
            text(access.method.map(|method| method.to_string())),
            text(access.name.map(|name| name.to_string())),
        ));
        decision
    };
    let mut out = [0; 256];
    let refusal = LAMP.check(&Head::new("POST"), authorization.map(str::as_bytes), body.as_bytes(), decide, &mut out);
    let refusal = refusal.map(|refusal| {
        let [(name, value)] = refusal.headers() else { panic!("one header") };
        assert_eq!(*name, "www-authenticate");
        (refusal.status(), value.to_string())
    });
    (calls, refusal)
}

fn call(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

#[test]
fn the_metadata_is_that_of_the_server_for_a_client() {
    let mut buffer = [0; 512];
    let mut out = Writer::new(&mut buffer);
    out.value(&LAMP.with_name("Lamp \"1\"")).expect("room");
    let metadata = ProtectedResource::read(out.written()).expect("metadata");
    assert_eq!(metadata.check(URL), Ok(()));
    assert!(metadata.scopes_supported().expect("scopes").eq(["read", "list"]));
    out.clear();
    out.value(&Protected::new(URL, &["https://auth.example.com"])).expect("room");
    assert!(ProtectedResource::read(out.written()).expect("metadata").scopes_supported().is_none());
}

#[test]
fn the_metadata_has_one_path() {
    assert!(LAMP.is_metadata("/.well-known/oauth-protected-resource/mcp"));
    for target in [
        "",
        "/",
        "/mcp",
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp/",
        "/.well-known/oauth-protected-resource/mcp?a",
    ] {
        assert!(!LAMP.is_metadata(target), "{target}");
    }
    let root = Protected::new("https://lamp.example.com", &[]);
    assert!(root.is_metadata("/.well-known/oauth-protected-resource"));
    assert!(!Protected::new("lamp", &[]).is_metadata("/.well-known/oauth-protected-resource"));
    assert!(Protected::new("lamp", &[]).metadata_url().is_err());
}

#[test]
fn the_function_sees_the_token_and_the_call() {
    let switch = call("tools/call", r#"{"name":"switch","uri":"x"}"#);
    for (authorization, token) in [
        (Some("Bearer abc"), "abc"),
        (Some("bearer   a-._~+/b=="), "a-._~+/b=="),
        (Some("BEARER abc "), "abc"),
        (None, "-"),
        (Some(""), "-"),
        (Some("Bearer"), "-"),
        (Some("Bearer "), "-"),
        (Some("Bearer ="), "-"),
        (Some("Bearer a b"), "-"),
        (Some("Bearer a=b"), "-"),
        (Some("Bearer a,b"), "-"),
        (Some("Bearer caf\u{e9}"), "-"),
        (Some("Bearerabc def"), "-"),
        (Some("Basic YTpi"), "-"),
    ] {
        let (calls, _) = seen(authorization, &switch, Decision::Allow);
        assert_eq!(calls, [format!("POST {token} tools/call switch")], "{authorization:?}");
    }
    for (body, expected) in [
        (call("prompts/get", r#"{"name":"a"}"#), "prompts/get a"),
        (call("resources/read", r#"{"uri":"file:///a","name":"b"}"#), "resources/read file:///a"),
        (call("resources/subscribe", r#"{"uri":"u"}"#), "resources/subscribe u"),
        (call("resources/unsubscribe", r#"{"uri":"u"}"#), "resources/unsubscribe u"),
        (call("skills/get", r#"{"uri":"u"}"#), "skills/get u"),
        (call("resources/directory/read", r#"{"uri":"u"}"#), "resources/directory/read u"),
        (call("resources/unsubscribe", r#"{"uri":"u"}"#), "resources/unsubscribe u"),
        (call("tools\\/call", r#"{"name":"s\u0077itch"}"#), "tools/call switch"),
        (call("tools/list", r#"{"name":"a"}"#), "tools/list -"),
        (call("tools/call", r#"{"name":1}"#), "tools/call -"),
        (call("tools/call", "null"), "tools/call -"),
        (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.into(), "notifications/initialized -"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.into(), "- -"),
        (String::new(), "- -"),
        ("{".into(), "- -"),
        ("[]".into(), "- -"),
    ] {
        let (calls, refusal) = seen(Some("Bearer t"), &body, Decision::Allow);
        assert_eq!((calls, refusal), (vec![format!("POST t {expected}")], None), "{body}");
    }
}

#[test]
fn each_message_of_a_batch_is_decided() {
    let body = format!("[{},{},1]", call("tools/call", r#"{"name":"a"}"#), call("tools/call", r#"{"name":"b"}"#));
    let (calls, refusal) = seen(None, &body, Decision::Allow);
    assert_eq!(calls, ["POST - tools/call a", "POST - tools/call b", "POST - - -"]);
    assert_eq!(refusal, None);
    let (calls, refusal) = seen(None, &body, Decision::Unauthorized);
    assert_eq!((calls.len(), refusal.map(|(status, _)| status)), (1, Some(401)));
}

#[test]
fn whatever_a_server_reads_the_function_has_seen() {
    let method = r#""method":"tools/call""#;
    let params = r#""params":{"name":"a"}"#;
    for body in [
        format!(r#"{{"jsonrpc":"2.0","id":1,{method},{params}}}"#),
        format!(r#"{{{method},{params},"id":1}}"#),
        format!(r#"{{"jsonrpc":"1.0","id":null,{method},{params}}}"#),
        format!(r#"{{"jsonrpc":2,"id":"a",{method},{params}}}"#),
        format!(r#"{{"id":1.5,{method},"params":["name","a"]}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":true,{method},{params}}}"#),
        format!(r#"{{"jsonrpc":"2.0",{method},"params":"a"}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,{method},{method},{params}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,{method},"result":1}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,{method},"result":null,"error":null}}"#),
    ] {
        let (calls, _) = seen(None, &body, Decision::Allow);
        for dialect in
            [Dialect::JSON_RPC, Dialect::CAUCE, Dialect::MCP, Dialect::MCP.with_any_params(), Dialect::LENIENT]
        {
            let read = Envelope::parse_as(body.as_bytes(), dialect);
            let is_call =
                read.is_ok_and(|read| matches!(read.kind(), EnvelopeKind::Request | EnvelopeKind::Notification));
            assert!(
                !is_call || calls.iter().all(|call| call.contains("tools/call")),
                "{body} as {dialect:?}: {calls:?}"
            );
        }
    }
}

#[test]
fn a_refusal_has_the_challenge_that_a_client_reads() {
    let body = call("tools/list", "{}");
    let metadata = "https://lamp.example.com/.well-known/oauth-protected-resource/mcp";
    for (authorization, decision, status, scope, error) in [
        (None, Decision::Unauthorized, 401, "read list", None),
        (Some("Basic YTpi"), Decision::Unauthorized, 401, "read list", None),
        (Some("Bearer t"), Decision::Unauthorized, 401, "read list", Some("invalid_token")),
        (
            Some("Bearer t"),
            Decision::InsufficientScope("write read write"),
            403,
            "write read",
            Some("insufficient_scope"),
        ),
    ] {
        let (_, refusal) = seen(authorization, &body, decision);
        let (found, value) = refusal.expect("a refusal");
        let challenge = Challenge::read(value.as_bytes()).expect("a challenge");
        assert_eq!(found, status);
        assert_eq!(challenge.resource_metadata, Some(metadata));
        assert_eq!((challenge.scope, challenge.error), (Some(scope), error));
        assert_eq!(challenge.is_insufficient_scope(), status == 403);
    }
}

#[test]
fn a_challenge_without_scopes_has_no_such_parameter() {
    let lamp = Protected::new(URL, &["https://auth.example.com"]);
    let mut out = [0; 256];
    let refusal = lamp.refuse(Decision::Unauthorized, false, &mut out).expect("a refusal");
    let [(_, value)] = refusal.headers() else { panic!("one header") };
    assert!(!value.contains("scope") && value.ends_with("/mcp\""), "{value}");
    assert_eq!(lamp.refuse(Decision::Allow, true, &mut out), None);
}

#[test]
fn a_challenge_that_cannot_be_written_is_bearer_alone() {
    let value = |server: Protected<'static>, decision, room: usize| {
        let mut out = vec![0; room];
        let refusal = server.refuse(decision, true, &mut out).expect("a refusal");
        let [(_, value)] = refusal.headers() else { panic!("one header") };
        value.to_string()
    };
    let whole = value(LAMP, Decision::Unauthorized, 256);
    for room in (0..whole.len()).step_by(if cfg!(miri) { 61 } else { 1 }) {
        assert_eq!(value(LAMP, Decision::Unauthorized, room), "Bearer", "{room}");
    }
    assert_eq!(value(LAMP, Decision::Unauthorized, whole.len()), whole);
    assert_eq!(value(Protected::new("lamp", &[]), Decision::Unauthorized, 256), "Bearer");
    assert_eq!(value(LAMP, Decision::InsufficientScope("a\"b"), 256), "Bearer");
}

#[test]
fn a_request_without_a_message_is_decided_once() {
    for body in ["", " ", "[]"] {
        let (calls, refusal) = seen(Some("Bearer abc"), body, Decision::Unauthorized);
        assert_eq!(
            (calls, refusal.map(|(status, _)| status)),
            (vec!["POST abc - -".to_owned()], Some(401)),
            "{body:?}"
        );
    }
}

#[test]
fn scopes_are_set_again() {
    let mut out = [0; 256];
    let refusal = LAMP.with_scopes(&["write"]).refuse(Decision::Unauthorized, false, &mut out).expect("a refusal");
    assert!(refusal.headers()[0].1.ends_with(r#", scope="write""#));
}
