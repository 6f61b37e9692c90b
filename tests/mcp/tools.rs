//! Tools of the Model Context Protocol: listed, called, failing, and on their way.
#![cfg(feature = "mcp")]

use crate::peer::{Client, REVISIONS, SESSIONS, STATELESS};
use crate::written_by::written_by;
use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::types::{
    AudioContent, Base64, BlobResourceContents, CallToolResult, Content, EmbeddedResource, InputRequest, InputRequests,
    InputRequiredResult, List, Resource, ResourceContents, ResourceLink, Tool, ToolAnnotations,
};
use nanojsonrpc::mcp::{Schema, Service, ToolCall, schema};
use nanojsonrpc::{
    ErrorObject, RawValue,
    message::{Str, ToText},
};
use serde_json::{Value, json};

const ADD: Schema<'_> = schema!(
    r#" { "type" : "object", "properties": {"a": {"type":"integer"}, "b": {"type":"integer"}}, "required": ["a","b"]} "#
);
const META: RawValue<'_> = RawValue::constant(r#"{"org.example/ours":[1]}"#).unwrap();
static FULL: Tool<'_> = Tool {
    title: Some(Str::Plain("Full")),
    output_schema: Some(RawValue::constant(r#"{"type":"object"}"#).unwrap()),
    annotations: Some(ToolAnnotations { read_only_hint: Some(true), ..ToolAnnotations::new() }),
    meta: Some(META),
    ..Tool::new(Str::Plain("full"), Schema::NO_ARGUMENTS)
};

/// Counts the calls, and keeps the messages that are sent before the answers.
#[derive(Default)]
struct Desk {
    calls: usize,
    sent: Vec<Value>,
}

fn add(desk: &mut Desk, call: ToolCall<'_>) -> nanojsonrpc::server::Replied {
    desk.calls += 1;
    let number = |name| call.get(name).and_then(|number| number.as_i64());
    let (Some(a), Some(b)) = (number("a"), number("b")) else { return call.invalid("a and b: expected integers") };
    match a.checked_add(b) {
        Some(sum) => call.text(sum),
        None => call.failed(("more than ", 64, " bits")),
    }
}

fn service() -> Service<Desk, impl Features<Desk>> {
    Service::new("tools", "1.0.0")
        .tool("add", "Adds \"two\" integers.", ADD, add)
        .tool_as("full", &FULL, |_: &mut Desk, call: ToolCall<'_>| {
            call.structured(&written_by(|place| place.object(|object| object.member("said", "\"\n\u{1F600}"))))
        })
        .tool("echo", "", Schema::NO_ARGUMENTS, |_: &mut Desk, call: ToolCall<'_>| {
            match call.get("text").and_then(|text| text.as_str_raw()) {
                Some(text) => call.text(text),
                None => call.invalid("text: expected a string"),
            }
        })
        .tool("pieces", "", Schema::NO_ARGUMENTS, |_: &mut Desk, call: ToolCall<'_>| {
            let blob = BlobResourceContents::new("a:b".into(), Base64::Bytes(&[0, 255]));
            call.content(&[
                Content::text("t\t"),
                Content::image(&[1, 2, 3, 4], "image/png"),
                Content::Audio(AudioContent::new(Base64::Bytes(&[]), "audio/wav".into())),
                Content::Link(ResourceLink(Resource { size: Some(3), ..Resource::new("a:b".into(), "b".into()) })),
                Content::Resource(EmbeddedResource::new(ResourceContents::Blob(blob))),
            ])
        })
        .tool("whole", "", Schema::NO_ARGUMENTS, |_: &mut Desk, call: ToolCall<'_>| {
            call.result(&CallToolResult {
                structured_content: Some(META),
                is_error: Some(false),
                result_type: Some("nonsense".into()),
                meta: Some(META),
                ..CallToolResult::new(List::of(&[Content::text("whole")]))
            })
        })
        .tool("slow", "", Schema::NO_ARGUMENTS, |desk: &mut Desk, mut call: ToolCall<'_>| {
            // 2 and 0 do not rise, so they are not sent
            for (step, message) in [(1, None), (2, Some("half\n")), (2, None), (0, None), (3, None)] {
                let total = message.map(|_| 3);
                if let Some(notification) = call.progress(step, total, message) {
                    desk.sent.push(serde_json::from_slice(notification).expect("JSON"));
                }
            }
            call.text("done")
        })
        .tool("ask", "", Schema::NO_ARGUMENTS, |_: &mut Desk, call: ToolCall<'_>| {
            if call.params().is_some_and(|params| params.get("inputResponses").is_some()) {
                return call.text("thanks");
            }
            if !call.client_can("elicitation") {
                return call.lacking("elicitation");
            }
            let params =
                RawValue::constant(r#"{"message":"Who?","requestedSchema":{"type":"object","properties":{}}}"#);
            let request = InputRequest { params, ..InputRequest::new("elicitation/create".into()) };
            call.input_required(&InputRequiredResult {
                input_requests: Some(InputRequests::Entries(&[("who", request)])),
                request_state: Some("s\"1".into()),
                ..InputRequiredResult::new()
            })
        })
        .tool("broken", "", Schema::NO_ARGUMENTS, |_: &mut Desk, call: ToolCall<'_>| {
            call.error(ErrorObject::new(-1, "broken"))
        })
}

fn client(revision: &'static str) -> Client<Desk, impl Features<Desk>> {
    Client::new(service(), Desk::default(), revision)
}

fn call(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

#[test]
fn tools_are_listed_as_they_were_registered() {
    for &revision in REVISIONS {
        let list = client(revision).result("tools/list", json!({}));
        let tools = list["tools"].as_array().unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["add", "full", "echo", "pieces", "whole", "slow", "ask", "broken"]);
        assert_eq!(
            tools[0],
            json!({"name": "add", "description": "Adds \"two\" integers.", "inputSchema": {"type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]}})
        );
        assert_eq!(
            tools[1],
            json!({"name": "full", "title": "Full", "inputSchema": {"type": "object", "additionalProperties": false},
                "outputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true},
                "_meta": {"org.example/ours": [1]}})
        );
        assert_eq!(list.get("nextCursor"), None);
    }
}

#[test]
fn a_tool_is_called_with_its_arguments() {
    for &revision in REVISIONS {
        let mut client = client(revision);
        let result = client.result("tools/call", call("add", json!({"a": 2, "b": 40})));
        assert_eq!(result["content"], text("42"));
        assert_eq!(result.get("isError"), None);
        let result = client.result("tools/call", call("add", json!({"b": i64::MIN, "a": 0})));
        assert_eq!(result["content"], text("-9223372036854775808"));
        assert_eq!(client.context.calls, 2);
    }
}

#[test]
fn any_text_comes_back_as_it_was() {
    for &revision in REVISIONS {
        for said in ["", "plain", "h\u{e9} \u{1F600} \u{10FFFF}", "\"\\/\u{8}\u{c}\n\r\t\0\u{1f}\u{7f}", "\u{2028}"] {
            let result = client(revision).result("tools/call", call("echo", json!({"text": said})));
            assert_eq!(result["content"], text(said));
        }
    }
    let escaped = r#"{"jsonrpc":"2.0","id":1,"method":"\u0074ools/call","params":{"n\u0061me":"\u0065cho","arguments":{"te\u0078t":"\ud83d\ude00\/"}}}"#;
    assert_eq!(client(SESSIONS[2]).text(escaped).unwrap()["result"]["content"], text("\u{1F600}/"));
}

#[test]
fn a_failure_is_a_result_that_says_so() {
    for &revision in REVISIONS {
        let result = client(revision).result("tools/call", call("add", json!({"a": i64::MAX, "b": 1})));
        assert_eq!(result, json!({"content": text("more than 64 bits"), "isError": true}));
    }
}

#[test]
fn wrong_arguments_are_answered_as_each_revision_prescribes() {
    for arguments in [json!({}), json!({"a": "2", "b": 40}), json!({"a": 1.5, "b": 1}), json!({"A": 1, "b": 1})] {
        let expected = "a and b: expected integers";
        for revision in ["2024-11-05", "2025-03-26", "2025-06-18"] {
            assert_eq!(
                client(revision).error("tools/call", call("add", arguments.clone())),
                (-32602, expected.to_owned()),
                "{arguments}"
            );
        }
        for revision in ["2025-11-25", STATELESS] {
            let result = client(revision).result("tools/call", call("add", arguments.clone()));
            assert_eq!(result, json!({"content": text(expected), "isError": true}), "{arguments}");
        }
    }
}

#[test]
fn an_unknown_tool_and_a_malformed_call_are_errors_of_the_protocol() {
    for &revision in REVISIONS {
        let mut client = client(revision);
        for name in ["", "nope", "Add", "add ", "ad"] {
            let answer = client.ask("tools/call", call(name, json!({})));
            assert_eq!(answer["error"], json!({"code": -32602, "message": "Unknown tool", "data": {"name": name}}));
        }
        for params in [json!({}), json!({"name": 1}), json!({"name": null}), json!({"arguments": {}})] {
            assert_eq!(client.error("tools/call", params.clone()).0, -32602, "{params}");
        }
        for arguments in [json!([]), json!(1), json!("a"), Value::Null] {
            assert_eq!(client.error("tools/call", call("add", arguments.clone())).0, -32602, "{arguments}");
        }
        assert_eq!(client.context.calls, 0);
        assert_eq!(client.error("tools/call", call("broken", json!({}))), (-1, "broken".to_owned()));
    }
}

#[test]
fn arguments_may_be_absent() {
    for &revision in REVISIONS {
        assert_eq!(client(revision).result("tools/call", json!({"name": "slow"}))["content"], text("done"));
    }
}

#[test]
fn content_is_of_all_kinds() {
    for &revision in REVISIONS {
        assert_eq!(
            client(revision).result("tools/call", call("pieces", json!({})))["content"],
            json!([
                {"type": "text", "text": "t\t"},
                {"type": "image", "data": "AQIDBA==", "mimeType": "image/png"},
                {"type": "audio", "data": "", "mimeType": "audio/wav"},
                {"type": "resource_link", "uri": "a:b", "name": "b", "size": 3},
                {"type": "resource", "resource": {"uri": "a:b", "blob": "AP8="}},
            ])
        );
    }
}

#[test]
fn structured_content_is_there_as_text_too() {
    for &revision in REVISIONS {
        let result = client(revision).result("tools/call", call("full", json!({})));
        assert_eq!(result["structuredContent"], json!({"said": "\"\n\u{1F600}"}));
        let said = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(said).unwrap(), result["structuredContent"]);
    }
}

#[test]
fn a_whole_result_is_completed_by_what_its_revision_wants() {
    for &revision in REVISIONS {
        let answer = client(revision).ask("tools/call", call("whole", json!({})));
        let mut expected = json!({
            "content": text("whole"), "structuredContent": {"org.example/ours": [1]}, "isError": false,
            "_meta": {"org.example/ours": [1]},
        });
        if revision == STATELESS {
            expected["resultType"] = json!("complete");
            expected["_meta"]["io.modelcontextprotocol/serverInfo"] = json!({"name": "tools", "version": "1.0.0"});
        }
        assert_eq!(answer["result"], expected);
    }
}

#[test]
fn progress_is_sent_before_the_answer_if_it_is_wanted() {
    for &revision in REVISIONS {
        for token in [json!("p\"1"), json!(0), json!(-7)] {
            let mut client = client(revision);
            let params = json!({"name": "slow", "_meta": {"progressToken": token}});
            assert_eq!(client.result("tools/call", params)["content"], text("done"));
            let notification = |params| json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
            assert_eq!(
                client.context.sent,
                [
                    notification(json!({"progressToken": token, "progress": 1})),
                    notification(json!({"progressToken": token, "progress": 2, "total": 3, "message": "half\n"})),
                    notification(json!({"progressToken": token, "progress": 3})),
                ]
            );
        }
        for token in [json!(1.5), json!(null), json!({}), json!(true)] {
            let mut client = client(revision);
            let params = json!({"name": "slow", "_meta": {"progressToken": token}});
            assert_eq!(client.result("tools/call", params)["content"], text("done"));
            assert!(client.context.sent.is_empty(), "{token} is no token");
        }
        let mut client = client(revision);
        client.result("tools/call", json!({"name": "slow"}));
        assert!(client.context.sent.is_empty(), "none was asked for");
    }
}

#[test]
fn a_tool_can_ask_the_client_first_in_the_stateless_revision() {
    let mut client = client(STATELESS);
    let answer = client.ask("tools/call", call("ask", json!({})));
    assert_eq!(
        answer["error"],
        json!({"code": -32021, "message": "Missing required client capability",
            "data": {"requiredCapabilities": {"elicitation": {}}}})
    );
    let mut meta = crate::peer::stateless();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
    let mut request =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask", "_meta": meta}});
    let answer = client.send(&request).unwrap();
    assert_eq!(
        answer["result"],
        json!({
            "resultType": "input_required",
            "inputRequests": {"who": {"method": "elicitation/create",
                "params": {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}}},
            "requestState": "s\"1",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "tools", "version": "1.0.0"}},
        })
    );
    request["params"]["inputResponses"] = json!({"who": {"action": "accept", "content": {}}});
    assert_eq!(client.send(&request).unwrap()["result"]["content"], text("thanks"));
}

#[test]
fn a_session_knows_no_result_that_asks() {
    let service = || {
        Service::<()>::new("tools", "1").tool("ask", "", Schema::NO_ARGUMENTS, |_: &mut (), call: ToolCall<'_>| {
            call.input_required(&InputRequiredResult::new())
        })
    };
    for revision in SESSIONS {
        assert_eq!(Client::new(service(), (), revision).error("tools/call", json!({"name": "ask"})).0, -32603);
    }
}

/// The result of a tool whose only content is the text `words`.
fn said(words: impl ToText) -> Value {
    let words = &words;
    let service =
        Service::<()>::new("words", "1")
            .tool("say", "", Schema::NO_ARGUMENTS, |_: &mut (), call: ToolCall<'_>| call.text(words));
    Client::new(service, (), SESSIONS[2]).ask("tools/call", call("say", json!({})))
}

#[test]
fn words_are_strings_numbers_values_and_any_of_these_in_a_row() {
    let raw = |text: &'static str| RawValue::parse(text.as_bytes()).unwrap();
    let owned: heapless::String<8> = "o\"\n".try_into().unwrap();
    let row = (
        raw(r#"{"a":"\u00e9"}"#),
        raw(r#""\u00e9\"""#),
        Str::Plain("t\""),
        (true, '"', 'é'),
        owned,
        format_args!("{:?}", "f"),
    );
    let expected = "{\"a\":\"\\u00e9\"}é\"t\"true\"éo\"\n\"f\"";
    assert_eq!(said(row)["result"]["content"], text(expected));
    let (small, large) = ((u8::MAX, " ", i16::MIN, " ", u64::MAX), (" ", i64::MIN, " ", usize::MIN, " ", isize::MAX));
    let expected = format!("255 -32768 {} {} 0 {}", u64::MAX, i64::MIN, isize::MAX);
    assert_eq!(said((small, large, false))["result"]["content"], text(&(expected + "false")));
}

#[test]
fn what_cannot_be_written_is_an_error_and_no_part_of_an_answer() {
    struct Broken;
    impl core::fmt::Display for Broken {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            f.write_str("half of it")?;
            Err(core::fmt::Error)
        }
    }
    assert_eq!(said(format_args!("{Broken}"))["error"]["code"], -32603);
}

#[cfg(feature = "serde")]
#[test]
fn what_cannot_be_serialized_is_an_error_and_no_part_of_an_answer() {
    struct Broken;
    impl serde::Serialize for Broken {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut array = serializer.serialize_seq(None)?;
            serde::ser::SerializeSeq::serialize_element(&mut array, "half of it")?;
            Err(serde::ser::Error::custom("no more"))
        }
    }
    let service = || {
        Service::<()>::new("broken", "1")
            .tool("say", "", Schema::NO_ARGUMENTS, |_: &mut (), call: ToolCall<'_>| call.structured(&Broken))
    };
    for &revision in REVISIONS {
        assert_eq!(Client::new(service(), (), revision).error("tools/call", json!({"name": "say"})).0, -32603);
    }
}

#[test]
fn what_does_not_fit_is_an_error_with_the_id() {
    for &revision in REVISIONS {
        let mut client = client(revision);
        let mut refused = 0;
        for room in 120..700 {
            client.room = room;
            let answer = client.ask("tools/call", call("pieces", json!({})));
            if answer.get("error").is_some() {
                assert_eq!(answer["error"]["code"], -32603);
                refused += 1;
            } else {
                assert_eq!(answer["result"]["content"].as_array().unwrap().len(), 5);
                break;
            }
        }
        assert!(refused > 0 && refused < 579, "{refused}");
    }
}

#[cfg(feature = "serde")]
#[test]
fn arguments_are_read_into_a_type() {
    #[derive(serde::Deserialize)]
    struct Greeting<'a> {
        name: &'a str,
        #[serde(default)]
        times: u8,
    }
    let service = || {
        Service::<()>::new("tools", "1").tool(
            "greet",
            "",
            Schema::NO_ARGUMENTS,
            |_: &mut (), mut call: ToolCall<'_>| match call.read::<Greeting<'_>>() {
                Ok(greeting) => call.text(format_args!("{} {:>3}", greeting.name, greeting.times)),
                Err(problem) => call.invalid(problem),
            },
        )
    };
    for &revision in REVISIONS {
        let mut client = Client::new(service(), (), revision);
        let result = client.result("tools/call", call("greet", json!({"name": "A", "times": 7})));
        assert_eq!(result["content"], text("A   7"));
        let said = if ["2024-11-05", "2025-03-26", "2025-06-18"].contains(&revision) {
            client.error("tools/call", call("greet", json!({"name": "A", "times": 700}))).1
        } else {
            let result = client.result("tools/call", call("greet", json!({"name": "A", "times": 700})));
            result["content"][0]["text"].as_str().unwrap().to_owned()
        };
        assert!(said.starts_with("Invalid params: invalid value at byte "), "{said}");
        let absent = client.ask("tools/call", json!({"name": "greet"}));
        let said = absent["error"]["message"].as_str().or(absent["result"]["content"][0]["text"].as_str()).unwrap();
        assert!(said.starts_with("Invalid params: ") && !said.contains("in arguments"), "{said}");
    }
}

#[test]
fn given_metadata_is_written_whatever_its_spelling() {
    for &revision in REVISIONS {
        for text in ["{}", "{ \t}", r#"{"a":1}"#, "{\n \"a\" : {} ,\n \"b\":[1]\n}", r#"{"a":"}"}"#] {
            let service =
                Service::new("s", "1").tool("t", "", Schema::NO_ARGUMENTS, |text: &mut &str, call: ToolCall<'_>| {
                    let meta = RawValue::parse(text.as_bytes()).ok();
                    call.result(&CallToolResult { meta, ..CallToolResult::new(List::of(&[])) })
                });
            let mut expected: Value = serde_json::from_str(text).unwrap();
            if revision == STATELESS {
                expected["io.modelcontextprotocol/serverInfo"] = json!({"name": "s", "version": "1"});
            }
            let answer = Client::new(service, text, revision).ask("tools/call", call("t", json!({})));
            assert_eq!(answer["result"]["_meta"], expected, "{revision} {text}");
        }
    }
}
