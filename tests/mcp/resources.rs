//! Resources, prompts and completions of the Model Context Protocol.
#![cfg(feature = "mcp")]

use crate::peer::{Client, REVISIONS, SESSIONS, STATELESS};
use base64::Engine as _;
use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::types::{
    CacheScope, Completion, Content, GetPromptResult, InputRequest, InputRequests, InputRequiredResult, List, Prompt,
    PromptArgument, PromptMessage, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role,
    TextResourceContents,
};
use nanojsonrpc::mcp::{CompletionCall, PromptCall, ReadCall, Service, uri_template};
use nanojsonrpc::{RawValue, message::Str};
use serde_json::{Value, json};

const NAMES: &[&str] = &["Ada", "Alan", "Ärna", "\"quoted\""];
static FULL: Resource<'_> = Resource {
    title: Some(Str::Plain("Full")),
    size: Some(12),
    ..Resource::new(Str::Plain("data:full"), Str::Plain("full"))
};
static FULL_TEMPLATE: ResourceTemplate<'_> = ResourceTemplate {
    description: Some(Str::Plain("Anything.")),
    ..ResourceTemplate::new(Str::Plain("any:{+path}"), Str::Plain("any"))
};
static FULL_PROMPT: Prompt<'_> = Prompt {
    title: Some(Str::Plain("Two")),
    arguments: Some(List::of(&[PromptArgument::optional("a", "An argument.")])),
    ..Prompt::new(Str::Plain("two"))
};

fn service() -> Service<Vec<u8>, impl Features<Vec<u8>>> {
    Service::new("library", "1.0.0")
        .resource("note:///a", "a", "text/plain", |_: &mut Vec<u8>, call: ReadCall<'_>| call.text("\u{e9}\n"))
        .resource("data:blob", "blob", "", |bytes: &mut Vec<u8>, call: ReadCall<'_>| call.blob(bytes))
        .resource_as("data:full", &FULL, |_: &mut Vec<u8>, call: ReadCall<'_>| {
            let one = TextResourceContents::new("data:full".into(), "1".into());
            let contents = [ResourceContents::Text(one), ResourceContents::Text(one)];
            call.result(&ReadResourceResult {
                ttl_ms: Some(60_000),
                cache_scope: Some(CacheScope::Public),
                ..ReadResourceResult::new(List::of(&contents))
            })
        })
        .resource_template(
            uri_template!("sensor://{id}/{field}"),
            "sensors",
            "text/plain",
            |_: &mut Vec<u8>, call: ReadCall<'_>| {
                let (Some(id), Some(field)) = (call.variable("id"), call.variable("field")) else {
                    return call.not_found();
                };
                if field == "nothing" { call.not_found() } else { call.text((field, " of ", id)) }
            },
        )
        .resource_template_as(uri_template!("any:{+path}"), &FULL_TEMPLATE, |_: &mut Vec<u8>, call: ReadCall<'_>| {
            let path = call.variable("path").unwrap_or_default();
            assert!(call.variable("other").is_none());
            call.text(path)
        })
        .prompt("greet", "Greets.", GREET, |_: &mut Vec<u8>, call: PromptCall<'_>| {
            let name = call.argument("name").unwrap_or_default();
            let mood = call.argument("mood").unwrap_or_default();
            call.user(("Greet ", name, mood))
        })
        .prompt_as("two", &FULL_PROMPT, |_: &mut Vec<u8>, call: PromptCall<'_>| {
            call.messages(&[
                PromptMessage::new(Role::User, Content::text("one")),
                PromptMessage::new(Role::Assistant, Content::image(&[0], "image/png")),
            ])
        })
        .completion("greet", "name", |_: &mut Vec<u8>, call: CompletionCall<'_>| call.among(NAMES))
        .completion("greet", "mood", |_: &mut Vec<u8>, call: CompletionCall<'_>| {
            let known = call.known("name").is_some_and(|name| name == "Ada");
            call.values(if known { &[Str::Plain("proud")] } else { &[] })
        })
        .completion("sensor://{id}/{field}", "id", |_: &mut Vec<u8>, call: CompletionCall<'_>| {
            call.completion(&Completion::new(List::of(&[Str::Plain("t1")])))
        })
}

const GREET: &[PromptArgument<'_>] =
    &[PromptArgument::required("name", "Who."), PromptArgument::optional("mood", "How.")];

fn client(revision: &'static str) -> Client<Vec<u8>, impl Features<Vec<u8>>> {
    Client::new(service(), Vec::new(), revision)
}

fn reference(of: &str, name: &str, value: &str) -> Value {
    let reference = match of.contains(':') {
        true => json!({"type": "ref/resource", "uri": of}),
        false => json!({"type": "ref/prompt", "name": of}),
    };
    json!({"ref": reference, "argument": {"name": name, "value": value}})
}

#[test]
fn a_uri_with_brackets_that_is_no_template_has_no_variables() {
    let read = |_: &mut (), call: ReadCall<'_>| {
        assert!(call.variable("a").is_none() && call.variable("c").is_none());
        call.text("read")
    };
    let service = Service::new("tests", "1").resource("lamp:{a}b{c}", "lamp", "", read);
    let mut client = Client::new(service, (), STATELESS);
    assert_eq!(client.result("resources/read", json!({"uri": "lamp:{a}b{c}"}))["contents"][0]["text"], "read");
}

#[test]
fn resources_and_templates_are_listed_apart() {
    for &revision in REVISIONS {
        let mut client = client(revision);
        assert_eq!(
            client.result("resources/list", json!({})),
            json!({"resources": [
                {"uri": "note:///a", "name": "a", "mimeType": "text/plain"},
                {"uri": "data:blob", "name": "blob"},
                {"uri": "data:full", "name": "full", "title": "Full", "size": 12},
            ]})
        );
        assert_eq!(
            client.result("resources/templates/list", json!({})),
            json!({"resourceTemplates": [
                {"uriTemplate": "sensor://{id}/{field}", "name": "sensors", "mimeType": "text/plain"},
                {"uriTemplate": "any:{+path}", "name": "any", "description": "Anything."},
            ]})
        );
    }
}

#[test]
fn a_resource_is_read_as_text_or_bytes() {
    for &revision in REVISIONS {
        let mut client = client(revision);
        assert_eq!(
            client.result("resources/read", json!({"uri": "note:///a"})),
            json!({"contents": [{"uri": "note:///a", "mimeType": "text/plain", "text": "\u{e9}\n"}]})
        );
        for len in [0, 1, 2, 3, 4, 5, 255, 1000] {
            client.context = (0..=u8::MAX).rev().cycle().take(len).collect();
            let contents = client.result("resources/read", json!({"uri": "data:blob"}))["contents"].take();
            let blob = base64::engine::general_purpose::STANDARD.encode(&client.context);
            assert_eq!(contents, json!([{"uri": "data:blob", "blob": blob}]), "{len}");
        }
        assert_eq!(
            client.result("resources/read", json!({"uri": "data:full"}))["contents"],
            json!([{"uri": "data:full", "text": "1"}, {"uri": "data:full", "text": "1"}])
        );
    }
}

#[test]
fn how_long_a_resource_may_be_kept_is_said_in_the_stateless_revision() {
    let mut client = client(STATELESS);
    for (uri, ttl, scope) in [("note:///a", 0, "private"), ("data:full", 60_000, "public")] {
        let result = client.ask("resources/read", json!({"uri": uri}))["result"].take();
        assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(ttl), &json!(scope)));
    }
}

#[test]
fn lists_can_be_kept_if_the_program_says_so() {
    let mut client = Client::new(service().cached(5_000, CacheScope::Public), Vec::new(), STATELESS);
    for method in ["server/discover", "resources/list", "resources/templates/list", "prompts/list"] {
        let result = client.ask(method, json!({}))["result"].take();
        assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(5_000), &json!("public")), "{method}");
    }
}

#[test]
fn an_unknown_resource_has_the_code_of_its_revision() {
    for &revision in REVISIONS {
        let code = if revision == STATELESS { -32602 } else { -32002 };
        for uri in [
            "",
            "note:///b",
            "note:///a/",
            "NOTE:///a",
            "sensor://t1",
            "sensor:///x",
            "sensor://a/b/c",
            "sensor://t1/nothing",
            "any:",
        ] {
            let answer = client(revision).ask("resources/read", json!({"uri": uri}));
            assert_eq!(answer["error"]["code"], code, "{uri}: {answer}");
            assert_eq!(answer["error"]["message"], "Resource not found");
            assert_eq!(answer["error"]["data"], json!({"uri": uri}));
        }
        for params in [json!({}), json!({"uri": 1}), json!({"uri": null}), json!({"name": "a"})] {
            assert_eq!(client(revision).error("resources/read", params).0, -32602);
        }
    }
}

#[test]
fn a_template_gives_its_variables() {
    for &revision in REVISIONS {
        for (uri, text) in [
            ("sensor://t1/temperature", "temperature of t1"),
            ("sensor://\u{e9}%20\"/\u{1F600}", "\u{1F600} of \u{e9}%20\""),
            ("any:a/b?c#d", "a/b?c#d"),
            ("any:{+path}", "{+path}"),
        ] {
            let contents = client(revision).result("resources/read", json!({"uri": uri}))["contents"].take();
            assert_eq!((&contents[0]["uri"], &contents[0]["text"]), (&json!(uri), &json!(text)));
        }
    }
    let escaped = r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"sensor:\/\/t\u0031\/\u0066"}}"#;
    assert_eq!(client(SESSIONS[0]).text(escaped).unwrap()["result"]["contents"][0]["text"], "f of t1");
}

#[test]
fn prompts_are_listed_and_given() {
    for &revision in REVISIONS {
        let mut client = client(revision);
        assert_eq!(
            client.result("prompts/list", json!({})),
            json!({"prompts": [
                {"name": "greet", "description": "Greets.", "arguments": [
                    {"name": "name", "description": "Who.", "required": true},
                    {"name": "mood", "description": "How."},
                ]},
                {"name": "two", "title": "Two", "arguments": [{"name": "a", "description": "An argument."}]},
            ]})
        );
        assert_eq!(
            client.result("prompts/get", json!({"name": "greet", "arguments": {"name": "\u{c4}\"", "mood": "!"}})),
            json!({"messages": [{"role": "user", "content": {"type": "text", "text": "Greet \u{c4}\"!"}}]})
        );
        assert_eq!(
            client.result("prompts/get", json!({"name": "two"})),
            json!({"messages": [
                {"role": "user", "content": {"type": "text", "text": "one"}},
                {"role": "assistant", "content": {"type": "image", "data": "AA==", "mimeType": "image/png"}},
            ]})
        );
    }
}

#[test]
fn an_unknown_prompt_and_a_missing_argument_are_invalid_params() {
    for &revision in REVISIONS {
        let mut client = client(revision);
        let answer = client.ask("prompts/get", json!({"name": "nope"}));
        assert_eq!(answer["error"], json!({"code": -32602, "message": "Unknown prompt", "data": {"name": "nope"}}));
        for arguments in [json!({}), json!({"mood": "!"}), json!({"name": 1}), json!({"name": "a", "mood": []})] {
            let missing = if arguments["name"] == "a" { "mood" } else { "name" };
            let answer = client.ask("prompts/get", json!({"name": "greet", "arguments": arguments}));
            assert_eq!(answer["error"]["code"], -32602);
            assert_eq!(answer["error"]["data"], json!({"argument": missing}), "{arguments}");
            let message = format!("Invalid params: expected a string, argument {missing}");
            assert_eq!(answer["error"]["message"], message, "{arguments}");
        }
        // an argument that the prompt does not have
        let other = json!({"name": "greet", "arguments": {"name": "a", "age": 1}});
        assert!(client.ask("prompts/get", other)["error"].is_null());
        for params in [json!({}), json!({"name": 1}), json!({"name": "greet"}), json!({"name": "two", "arguments": []})]
        {
            assert_eq!(client.error("prompts/get", params.clone()).0, -32602, "{params}");
        }
    }
}

#[test]
fn arguments_are_completed() {
    for &revision in REVISIONS {
        let mut client = client(revision);
        for (of, name, value, expected) in [
            ("greet", "name", "", json!({"values": NAMES, "total": 4, "hasMore": false})),
            ("greet", "name", "A", json!({"values": ["Ada", "Alan"], "total": 2, "hasMore": false})),
            ("greet", "name", "\u{c4}", json!({"values": ["\u{c4}rna"], "total": 1, "hasMore": false})),
            ("greet", "name", "Adam", json!({"values": [], "total": 0, "hasMore": false})),
            ("greet", "mood", "", json!({"values": [], "total": 0, "hasMore": false})),
            ("greet", "other", "", json!({"values": []})),
            ("two", "a", "", json!({"values": []})),
            ("sensor://{id}/{field}", "id", "", json!({"values": ["t1"]})),
            ("any:{+path}", "path", "", json!({"values": []})),
        ] {
            let result = client.result("completion/complete", reference(of, name, value));
            assert_eq!(result, json!({"completion": expected}), "{of} {name} {value}");
        }
        let mut params = reference("greet", "mood", "");
        params["context"] = json!({"arguments": {"name": "Ada"}});
        assert_eq!(client.result("completion/complete", params)["completion"]["values"], json!(["proud"]));
    }
}

#[test]
fn what_cannot_be_completed_is_invalid_params() {
    for &revision in REVISIONS {
        let mut client = client(revision);
        for of in ["nope", "note:///a", "sensor://t1/field"] {
            let answer = client.ask("completion/complete", reference(of, "name", ""));
            assert_eq!(answer["error"]["code"], -32602, "{of}");
            assert!(answer["error"]["message"].as_str().unwrap().starts_with("Unknown "), "{of}");
        }
        let good = reference("greet", "name", "");
        for (at, wrong) in [
            ("/ref", json!("greet")),
            ("/ref/type", json!("ref/tool")),
            ("/ref/type", json!(1)),
            ("/ref/name", json!(1)),
            ("/argument", json!([])),
            ("/argument/name", json!(null)),
            ("/argument/value", json!(7)),
        ] {
            let mut params = good.clone();
            *params.pointer_mut(at).unwrap() = wrong;
            assert_eq!(client.error("completion/complete", params).0, -32602, "{at}");
        }
        assert_eq!(client.error("completion/complete", json!({})).0, -32602);
    }
}

#[test]
fn no_more_than_a_hundred_values_are_given() {
    static MANY: [&str; 101] = ["x"; 101];
    let service = Service::<()>::new("many", "1")
        .prompt("p", "", &[], |_: &mut (), call: PromptCall<'_>| call.user(""))
        .completion("p", "a", |_: &mut (), call: CompletionCall<'_>| call.among(&MANY))
        .completion("p", "b", |_: &mut (), call: CompletionCall<'_>| call.values(&[Str::Plain("y"); 101]))
        .completion("p", "c", |_: &mut (), call: CompletionCall<'_>| {
            call.completion(&Completion::new(List::of(&[Str::Plain("z"); 101])))
        });
    let mut client = Client::new(service, (), STATELESS);
    for name in ["a", "b", "c"] {
        let completion = client.result("completion/complete", reference("p", name, ""))["completion"].take();
        assert_eq!(completion["values"].as_array().unwrap().len(), 100, "{name}");
        assert_eq!((&completion["total"], &completion["hasMore"]), (&json!(101), &json!(true)), "{name}");
    }
}

#[test]
fn a_whole_completion_is_given_as_it_is_up_to_a_hundred_values() {
    /// The requested number of values, with the members of the program.
    struct Given(usize, Option<u64>, Option<bool>);
    let service = Service::<Given>::new("many", "1")
        .prompt("p", "", &[], |_: &mut Given, call: PromptCall<'_>| call.user(""))
        .completion("p", "a", |given: &mut Given, call: CompletionCall<'_>| {
            let (values, total, has_more) = (&[Str::Plain("x"); 300][..given.0], given.1, given.2);
            call.completion(&Completion { total, has_more, ..Completion::new(List::of(values)) })
        });
    let mut client = Client::new(service, Given(0, None, None), STATELESS);
    for len in [0, 1, 99, 100, 101, 102, 300] {
        for total in [None, Some(7), Some(100), Some(1_000)] {
            for has_more in [None, Some(false), Some(true)] {
                client.context = Given(len, total, has_more);
                let completion = client.result("completion/complete", reference("p", "a", ""))["completion"].take();
                let mut expected = json!({"values": vec!["x"; len.min(100)]});
                let is_cut = len > 100;
                if let Some(total) = if is_cut { Some(total.unwrap_or(0).max(len as u64)) } else { total } {
                    expected["total"] = json!(total);
                }
                if let Some(has_more) = if is_cut { Some(true) } else { has_more } {
                    expected["hasMore"] = json!(has_more);
                }
                assert_eq!(completion, expected, "{len} {total:?} {has_more:?}");
            }
        }
    }
}

/// A prompt and a resource that each require a name first.
fn asking() -> Service<(), impl Features<()>> {
    fn missing() -> InputRequiredResult<'static> {
        static ASKED: [(&str, InputRequest<'_>); 1] = [("who", InputRequest::new(Str::Plain("elicitation/create")))];
        InputRequiredResult { input_requests: Some(InputRequests::Entries(&ASKED)), ..InputRequiredResult::new() }
    }
    Service::new("asking", "1")
        .prompt("greet", "", &[], |_: &mut (), call: PromptCall<'_>| match call.params() {
            Some(params) if params.get("inputResponses").is_some() => call.user("Greet me."),
            _ => call.input_required(&missing()),
        })
        .resource("note:mine", "mine", "text/plain", |_: &mut (), call: ReadCall<'_>| match call.params() {
            Some(params) if params.get("inputResponses").is_some() => call.text("mine"),
            _ => call.input_required(&missing()),
        })
}

#[test]
fn a_prompt_and_a_resource_can_ask_the_client_first_in_the_stateless_revision() {
    for (method, mut params, given) in [
        (
            "prompts/get",
            json!({"name": "greet"}),
            json!({"messages": [{"role": "user", "content": {"type": "text", "text": "Greet me."}}]}),
        ),
        (
            "resources/read",
            json!({"uri": "note:mine"}),
            json!({"contents": [{"uri": "note:mine", "mimeType": "text/plain", "text": "mine"}]}),
        ),
    ] {
        let mut client = Client::new(asking(), (), STATELESS);
        let mut asked = client.ask(method, params.clone())["result"].take();
        asked.as_object_mut().unwrap().remove("_meta");
        let who = json!({"who": {"method": "elicitation/create"}});
        assert_eq!(asked, json!({"resultType": "input_required", "inputRequests": who}), "{method}");
        params["inputResponses"] = json!({"who": {"action": "accept", "content": {}}});
        assert_eq!(client.result(method, params.clone()), given, "{method}");
        for revision in SESSIONS {
            // a session has no such result
            let mut client = Client::new(asking(), (), revision);
            params.as_object_mut().unwrap().remove("inputResponses");
            assert_eq!(client.error(method, params.clone()).0, -32603, "{method} in {revision}");
        }
    }
}

#[test]
fn a_whole_prompt_is_completed_by_what_its_revision_wants() {
    let service = || {
        Service::<()>::new("whole", "1").prompt("p", "", &[], |_: &mut (), call: PromptCall<'_>| {
            call.result(&GetPromptResult {
                description: Some("A prompt.".into()),
                result_type: Some("nonsense".into()),
                meta: Some(RawValue::constant(r#"{"org.example/ours":[1]}"#).unwrap()),
                ..GetPromptResult::new(List::of(&[PromptMessage::new(Role::Assistant, Content::text("said"))]))
            })
        })
    };
    for &revision in REVISIONS {
        let mut client = Client::new(service(), (), revision);
        let answer = client.ask("prompts/get", json!({"name": "p"}));
        let mut expected = json!({
            "description": "A prompt.",
            "messages": [{"role": "assistant", "content": {"type": "text", "text": "said"}}],
            "_meta": {"org.example/ours": [1]},
        });
        if revision == STATELESS {
            expected["resultType"] = json!("complete");
            expected["_meta"]["io.modelcontextprotocol/serverInfo"] = json!({"name": "whole", "version": "1"});
        }
        assert_eq!(answer["result"], expected);
        // each member once, which the reader above does not check
        let meta = if revision == STATELESS { crate::peer::stateless() } else { json!({}) };
        let request =
            json!({"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "p", "_meta": meta}});
        let mut output = [0; 1024];
        let answer = client.server.process(&mut (), request.to_string().as_bytes(), &mut output).answer().unwrap();
        for name in ["\"_meta\":", "\"description\":", "\"messages\":"] {
            assert_eq!(answer.windows(name.len()).filter(|text| *text == name.as_bytes()).count(), 1, "{name}");
        }
    }
}

#[test]
fn what_is_known_of_other_arguments_may_be_incomplete() {
    for &revision in REVISIONS {
        let mut client = client(revision);
        // no known arguments, another one, or one that is not a string: as without a context
        for context in [json!({}), json!({"arguments": {}}), json!({"arguments": {"name": 7}}), json!([]), Value::Null]
        {
            let mut params = reference("greet", "mood", "");
            params["context"] = context;
            let completion = client.result("completion/complete", params.clone())["completion"].take();
            assert_eq!(completion["values"], json!([]), "{params}");
        }
        for member in ["ref", "argument"] {
            let mut params = reference("greet", "mood", "");
            params.as_object_mut().unwrap().remove(member);
            assert_eq!(client.error("completion/complete", params).0, -32602, "without {member}");
        }
    }
}

#[test]
fn a_template_may_go_on_behind_a_variable() {
    let service = || {
        Service::<()>::new("photos", "1")
            .resource_template(uri_template!("photo:{id}.png"), "photos", "", |_: &mut (), call: ReadCall<'_>| {
                let id = call.variable("id").unwrap_or_default();
                call.text(id)
            })
            .resource_template(uri_template!("dir:{+path}/end"), "dirs", "", |_: &mut (), call: ReadCall<'_>| {
                let path = call.variable("path").unwrap_or_default();
                call.text(path)
            })
    };
    for &revision in REVISIONS {
        let mut client = Client::new(service(), (), revision);
        for (uri, text) in [
            ("photo:1.png", "1"),
            ("photo:a.b.png", "a.b"),
            ("photo:.png.png", ".png"),
            ("dir:a/b/end", "a/b"),
            ("dir:/end/end", "/end"),
        ] {
            let read = client.result("resources/read", json!({"uri": uri}));
            assert_eq!(read["contents"][0]["text"], text, "{uri}");
        }
        let code = if revision == STATELESS { -32602 } else { -32002 };
        for uri in ["photo:1.jpg", "photo:1.pngx", "photo:1", "photo:.png", "photo:a/b.png", "dir:/end", "dir:a/ends"] {
            assert_eq!(client.error("resources/read", json!({"uri": uri})).0, code, "{uri}");
        }
    }
}

#[test]
fn a_prompt_that_can_be_given_nothing_lists_no_arguments() {
    for &revision in REVISIONS {
        let prompts = Client::new(asking(), (), revision).result("prompts/list", json!({}))["prompts"].take();
        assert_eq!(prompts, json!([{"name": "greet", "description": ""}]));
    }
}

#[test]
fn an_argument_whose_name_is_of_a_message_is_not_checked() {
    let name = RawValue::constant(r#""name""#).unwrap().as_str_raw().unwrap();
    let argument = PromptArgument { required: Some(true), ..PromptArgument::new(Str::Raw(name)) };
    let arguments: &'static [PromptArgument<'static>] = Box::leak(Box::new([argument]));
    let service = Service::new("tests", "1").prompt("greet", "", arguments, |_: &mut (), call: PromptCall<'_>| {
        let is_named = call.get("name").is_some();
        call.user(if is_named { "named" } else { "unnamed" })
    });
    let mut client = Client::new(service, (), STATELESS);
    let prompt = client.result("prompts/get", json!({"name": "greet"}));
    assert_eq!(prompt["messages"][0]["content"]["text"], "unnamed");
}
