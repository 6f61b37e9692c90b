//! A service of the Model Context Protocol as a value of a program: copied, shown, and driven with and without waiting.
#![cfg(feature = "mcp")]

use core::pin::pin;
use core::task::{Context, Poll, Waker};

use crate::peer::{Client, REVISIONS, SESSIONS, STATELESS, hello, stateless};
use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::types::PromptArgument;
use nanojsonrpc::mcp::{CompletionCall, PromptCall, ReadCall, Schema, Service, ToolCall};
use serde_json::{Value, json};

/// Counts the calls in the context and in the handler.
fn service() -> Service<usize, impl Features<usize> + Clone + core::fmt::Debug> {
    const ARGUMENTS: &[PromptArgument<'_>] = &[PromptArgument::optional("who", "")];
    let mut calls = 0;
    Service::new("desk", "1.0.0")
        .tool("count", "Counts.", Schema::NO_ARGUMENTS, move |all: &mut usize, call: ToolCall<'_>| {
            calls += 1;
            *all += 1;
            call.text((calls, " of ", *all))
        })
        .tool("show", "Shows its call.", Schema::NO_ARGUMENTS, |_: &mut usize, call: ToolCall<'_>| {
            let meta = call.meta().and_then(|meta| meta.get("mine"));
            let said = format!("{} {meta:?} {call:?}", call.revision().as_str());
            call.text(&*said)
        })
        .resource("a:b", "b", "", |_: &mut usize, call: ReadCall<'_>| call.text("b"))
        .prompt("greet", "", ARGUMENTS, |_: &mut usize, call: PromptCall<'_>| call.user("Greet."))
        .completion("greet", "who", |_: &mut usize, call: CompletionCall<'_>| call.among(&["Ada"]))
}

fn request(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

/// The requests that the service answers, with a part of the answer.
fn questions() -> [(&'static str, Value, &'static str, Value); 9] {
    let who = json!({"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "who", "value": "A"}});
    [
        ("tools/list", json!({}), "/tools/0/name", json!("count")),
        ("tools/call", json!({"name": "count"}), "/content/0/text", json!("1 of 1")),
        ("tools/call", json!({"name": "count"}), "/content/0/text", json!("2 of 2")),
        ("resources/list", json!({}), "/resources/0/uri", json!("a:b")),
        ("resources/templates/list", json!({}), "/resourceTemplates", json!([])),
        ("resources/read", json!({"uri": "a:b"}), "/contents/0/text", json!("b")),
        ("prompts/list", json!({}), "/prompts/0/name", json!("greet")),
        ("prompts/get", json!({"name": "greet"}), "/messages/0/role", json!("user")),
        ("completion/complete", who, "/completion/values", json!(["Ada"])),
    ]
}

#[test]
fn one_service_answers_every_method_in_every_revision() {
    for &revision in REVISIONS {
        let mut client = Client::new(service(), 0, revision);
        for (method, params, place, expected) in questions() {
            let result = client.result(method, params);
            assert_eq!(result.pointer(place), Some(&expected), "{method} in {revision}: {result}");
        }
        // malformed, not registered, or of the other generation
        assert_eq!(client.error("tools/call", json!({})).0, -32602);
        assert_eq!(client.error("tools/call", json!({"name": "nope"})).0, -32602);
        assert_eq!(client.error("prompts/list", json!({"cursor": "x"})).0, -32602);
        assert_eq!(client.error("tools/run", json!({})).0, -32601);
        let gone = if revision == STATELESS { ("ping", -32601) } else { ("server/discover", -32602) };
        assert_eq!(client.error(gone.0, json!({})).0, gone.1);
        assert_eq!(client.context, 2);
    }
    // neither in a session nor stateless
    let mut stranger = Client::new(service(), 0, STATELESS);
    assert_eq!(stranger.send(&request("tools/list", &json!({}))).unwrap()["error"]["code"], -32602);
    assert!(stranger.result("server/discover", json!({}))["capabilities"]["completions"].is_object());
    assert_eq!(stranger.send(&request("ping", &json!({}))).unwrap()["result"], json!({}));
}

#[test]
fn a_clone_has_a_session_and_handlers_of_its_own() {
    let mut one = service().server();
    let (mut context, mut output, mut others) = (0, [0; 1024], [0; 1024]);
    let open = request("initialize", &hello(SESSIONS[1])).to_string();
    assert!(one.process(&mut context, open.as_bytes(), &mut output).answer().is_some());
    let mut other = one.clone();
    let said = |answer: Option<&[u8]>| -> Value {
        let answer: Value = serde_json::from_slice(answer.unwrap()).unwrap();
        answer["result"]["content"][0]["text"].clone()
    };
    let count = request("tools/call", &json!({"name": "count"})).to_string();
    assert_eq!(said(one.process(&mut context, count.as_bytes(), &mut output).answer()), "1 of 1");
    assert_eq!(said(one.process(&mut context, count.as_bytes(), &mut output).answer()), "2 of 2");
    // it was copied after its session was opened
    assert_eq!(said(other.process(&mut context, count.as_bytes(), &mut others).answer()), "1 of 3");
    let again = request("initialize", &hello(SESSIONS[0])).to_string();
    assert!(other.process(&mut context, again.as_bytes(), &mut others).answer().is_some());
    let show = request("tools/call", &json!({"name": "show"})).to_string();
    assert!(
        said(one.process(&mut context, show.as_bytes(), &mut output).answer())
            .as_str()
            .unwrap()
            .starts_with(SESSIONS[1])
    );
    assert!(
        said(other.process(&mut context, show.as_bytes(), &mut others).answer())
            .as_str()
            .unwrap()
            .starts_with(SESSIONS[0])
    );
}

#[test]
fn on_a_stream_the_last_initialize_counts() {
    let mut client = Client::new(service(), 0, SESSIONS[0]);
    for revision in [SESSIONS[1], SESSIONS[2], SESSIONS[0]] {
        let opened = client.send(&request("initialize", &hello(revision))).unwrap();
        assert_eq!(opened["result"]["protocolVersion"], revision);
        // a refused one changes nothing
        assert_eq!(client.send(&request("initialize", &json!({}))).unwrap()["error"]["code"], -32602);
        let shown = client.send(&request("tools/call", &json!({"name": "show"}))).unwrap();
        assert!(shown["result"]["content"][0]["text"].as_str().unwrap().starts_with(revision), "{shown}");
    }
}

#[test]
fn a_call_tells_its_revision_its_metadata_and_what_it_is() {
    for &revision in REVISIONS {
        let mut client = Client::new(service(), 0, revision);
        let result = client.result("tools/call", json!({"name": "show", "_meta": {"mine": [1]}}));
        let said = result["content"][0]["text"].as_str().unwrap();
        let expected = format!("{revision} Some([1]) Tool show: ");
        assert!(said.starts_with(&expected) && said.contains(r#""name":"show""#), "{said}");
        let plain = client.result("tools/call", json!({"name": "show"}));
        assert!(plain["content"][0]["text"].as_str().unwrap().starts_with(&format!("{revision} None ")));
    }
}

#[test]
fn a_service_is_shown_with_its_name_and_what_is_registered() {
    let shown = format!("{:?}", service());
    for part in ["desk 1.0.0", "Tool count", "Tool show", "Resource a:b", "Prompt greet", "Completion greet"] {
        assert_eq!(shown.matches(part).count(), 1, "{part} in {shown}");
    }
}

#[test]
fn a_service_answers_the_same_where_handlers_may_wait() {
    fn run<F: Future>(future: F) -> F::Output {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(output) => output,
            Poll::Pending => panic!("a service does not wait"),
        }
    }
    let (mut plain, mut waiting) = (service().server(), service().server());
    let (mut context, mut output, mut others) = ((0, 0), [0; 1024], [0; 1024]);
    let meta = stateless();
    let texts = questions().map(|(method, mut params, ..)| {
        params["_meta"] = meta.clone();
        request(method, &params).to_string()
    });
    let wrong = [request("nope", &json!({})).to_string(), String::from("{"), String::from("[]")];
    for text in texts.iter().chain(&wrong) {
        let expected = plain.process(&mut context.0, text.as_bytes(), &mut output).answer();
        let answer = run(waiting.process_async(&mut context.1, text.as_bytes(), &mut others)).answer();
        assert!(expected.is_some(), "{text}");
        assert_eq!(answer, expected, "{text}");
    }
    assert_eq!(context, (2, 2));
}
