//! Typed tools, handlers that wait, and registrations hidden from a request.
#![cfg(all(feature = "mcp", feature = "serde"))]

use core::future::Future;
use core::pin::pin;
use core::task::{Context, Poll, Waker};

use crate::peer::{Client, REVISIONS, SESSIONS, STATELESS, hello, stateless};
use nanojsonrpc::mcp::service::feature::{AsyncFeatures, Features, Kind};
use nanojsonrpc::mcp::types::{PromptArgument, Tool};
use nanojsonrpc::mcp::{
    CompletionCall, PromptCall, ReadCall, Schema, Service, Structured, Subscriptions, ToolCall, schema, uri_template,
};
use nanojsonrpc::{
    ErrorCode, ErrorObject, Server,
    message::{Shown, Str},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Clone, Default)]
struct Lamp {
    level: u8,
    is_admin: bool,
    subscriptions: Subscriptions<2>,
}

#[derive(Deserialize)]
struct Dim {
    level: u8,
    #[serde(default)]
    name: heapless::String<8>,
    #[serde(default, rename = "scenes")]
    _scenes: heapless::Vec<u8, 4>,
}

#[derive(Deserialize)]
struct Number {
    text: heapless::String<8>,
}

#[derive(Serialize)]
struct State {
    level: u8,
}

const ANY: Schema<'_> = schema!(r#"{"type":"object"}"#);

fn parse(text: &str) -> Result<u8, Shown<core::num::ParseIntError>> {
    text.parse().map_err(Shown)
}

fn service() -> Service<Lamp, impl Features<Lamp> + Clone> {
    Service::new("lamp", "1.0.0")
        .tool("dim", "Dims.", ANY, |lamp: &mut Lamp, Dim { level, name, .. }: Dim| {
            if level > 100 {
                return Err(("level ", level, ": at most 100"));
            }
            lamp.level = level;
            Ok(("dimmed to ", level, name))
        })
        .tool("off", "Switches off.", Schema::NO_ARGUMENTS, |lamp: &mut Lamp| lamp.level = 0)
        .tool("state", "Shows.", Schema::NO_ARGUMENTS, |lamp: &mut Lamp, (): ()| {
            Structured(State { level: lamp.level })
        })
        .tool("parse", "Parses.", ANY, |_: &mut Lamp, Number { text }: Number| parse(&text))
        .tool("break", "Fails.", ANY, |_: &mut Lamp| -> Result<(), ErrorObject<'static, [u8; 2]>> {
            Err(ErrorObject { code: ErrorCode(-7), message: "broken".into(), data: Some([1, 2]) })
        })
        .tool("plain", "As before.", ANY, |_: &mut Lamp, call: ToolCall<'_>| call.text("plain"))
}

fn call(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn failure(words: &str) -> Value {
    json!({"content": [{"type": "text", "text": words}], "isError": true})
}

#[test]
fn typed_arguments_are_read_and_outputs_written() {
    for &revision in REVISIONS {
        let mut client = Client::new(service(), Lamp::default(), revision);
        let mut result = |name: &str, arguments: Value| client.result("tools/call", call(name, arguments));
        assert_eq!(result("dim", json!({"level": 40})), text("dimmed to 40"));
        assert_eq!(result("state", json!({}))["structuredContent"], json!({"level": 40}));
        assert_eq!(result("dim", json!({"level": 41, "name": " \u{e9}\"\n"})), text("dimmed to 41 \u{e9}\"\n"));
        assert_eq!(result("dim", json!({"level": 101})), failure("level 101: at most 100"));
        assert_eq!(result("off", json!({})), json!({"content": []}));
        assert_eq!(result("state", json!({}))["content"][0]["text"], "{\"level\":0}");
        assert_eq!(result("plain", json!({})), text("plain"));
        assert_eq!(result("parse", json!({"text": "12"})), text("12"));
        assert_eq!(result("parse", json!({"text": "x"})), failure("invalid digit found in string"));
    }
}

#[test]
fn absent_arguments_are_an_empty_object_or_none() {
    for &revision in REVISIONS {
        let mut client = Client::new(service(), Lamp { level: 9, ..Lamp::default() }, revision);
        assert_eq!(client.result("tools/call", json!({"name": "off"})), json!({"content": []}));
        assert_eq!(client.context.level, 0);
    }
}

#[test]
fn a_tool_without_arguments_refuses_any() {
    let mut client = Client::new(service(), Lamp { level: 9, ..Lamp::default() }, STATELESS);
    let result = client.result("tools/call", call("off", json!({"level": 1})));
    assert_eq!(result, failure("Invalid params: expected none"));
    assert_eq!(client.context.level, 9);
}

#[test]
fn arguments_that_do_not_fit_are_refused_as_the_revision_prescribes() {
    for &revision in REVISIONS {
        let mut client = Client::new(service(), Lamp { level: 9, ..Lamp::default() }, revision);
        for (arguments, expected, argument) in [
            (json!({}), "missing member at byte ", None),
            (json!({"level": 256}), "invalid value", Some("level")),
            (json!({"other": [256], "level": "1"}), "unexpected type", Some("level")),
            (json!({"level": 1, "scenes": [1, "2"]}), "unexpected type", Some("scenes[1]")),
            (json!({"level": 1, "name": "longer than 8"}), "", Some("name")),
        ] {
            let said = if ["2024-11-05", "2025-03-26", "2025-06-18"].contains(&revision) {
                let (code, message) = client.error("tools/call", call("dim", arguments));
                assert_eq!(code, -32602);
                message
            } else {
                let result = client.result("tools/call", call("dim", arguments));
                assert_eq!(result["isError"], true);
                result["content"][0]["text"].as_str().unwrap().to_owned()
            };
            assert!(said.starts_with("Invalid params: ") && said.contains(expected), "{said}");
            // devices name the argument only
            let argument = argument.map(|path: &str| match cfg!(target_pointer_width = "64") {
                true => path,
                false => path.split('[').next().unwrap(),
            });
            assert_eq!(said.split_once(", in arguments.").map(|(_, name)| name), argument, "{said}");
        }
        assert_eq!(client.context.level, 9);
    }
}

#[test]
fn an_error_object_is_an_error_of_the_protocol() {
    for &revision in REVISIONS {
        let answer = Client::new(service(), Lamp::default(), revision).ask("tools/call", call("break", json!({})));
        assert_eq!(answer["error"], json!({"code": -7, "message": "broken", "data": [1, 2]}));
    }
}

/// Waits once.
async fn later() {
    let mut is_ready = false;
    core::future::poll_fn(|context| {
        if core::mem::replace(&mut is_ready, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// The output of `future`, and how often it had to wait.
fn run<T>(future: impl Future<Output = T>) -> (T, usize) {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    let mut waited = 0;
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return (output, waited),
            Poll::Pending => waited += 1,
        }
        assert!(waited < 100);
    }
}

static WHOLE: Tool<'_> = Tool::new(Str::Plain("whole"), Schema::NO_ARGUMENTS);
const NAME: &[PromptArgument<'_>] = &[PromptArgument::required("name", "Whose.")];

fn waiting() -> Service<Lamp, impl AsyncFeatures<Lamp> + Clone> {
    service()
        .tool_async("fade", "Fades.", ANY, async |lamp: &mut Lamp, Dim { level, .. }: Dim| {
            later().await;
            lamp.level = level;
            ("faded to ", level)
        })
        .tool_async("look", "Looks.", ANY, async |lamp: &mut Lamp, mut call: ToolCall<'_>| {
            assert_eq!(call.progress(1, None, None), None);
            later().await;
            call.text(lamp.level)
        })
        .tool_async("wait", "Waits.", Schema::NO_ARGUMENTS, async |lamp: &mut Lamp| {
            later().await;
            lamp.level
        })
        .tool_as_async("whole", &WHOLE, async |_: &mut Lamp, call: ToolCall<'_>| {
            later().await;
            match call.read_with::<Dim>(&mut [0; 8]) {
                Ok(Dim { level, .. }) => call.text(level),
                Err(problem) => call.invalid(problem),
            }
        })
        .subscriptions(|lamp| &mut lamp.subscriptions)
        .resource_async("lamp:level", "level", "text/plain", async |lamp: &mut Lamp, call: ReadCall<'_>| {
            later().await;
            call.text(lamp.level)
        })
        .resource_template_async(
            uri_template!("lamp:{id}"),
            "lamps",
            "text/plain",
            async |_: &mut Lamp, call: ReadCall<'_>| {
                later().await;
                let id = call.variable("id").unwrap_or_default();
                call.text(id)
            },
        )
        .prompt_async("greet", "Greets.", NAME, async |_: &mut Lamp, call: PromptCall<'_>| {
            later().await;
            let name = call.argument("name").unwrap_or_default();
            call.user(("Hello, ", name))
        })
        .resource("lamp:last", "last", "text/plain", |_: &mut Lamp, call: ReadCall<'_>| call.text("last"))
}

/// The answer to a request of the stateless revision, and the number of waits of its handler.
fn ask<F: AsyncFeatures<Lamp>>(
    server: &mut Server<Service<Lamp, F>>,
    lamp: &mut Lamp,
    method: &str,
    mut params: Value,
) -> (Value, usize) {
    params["_meta"] = stateless();
    let text = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let mut output = [0; 4096];
    let (answer, waited) = run(server.process_async(lamp, text.as_bytes(), &mut output));
    (serde_json::from_slice(answer.answer().unwrap()).unwrap(), waited)
}

#[test]
fn handlers_wait_and_those_that_do_not_are_beside_them() {
    let (mut server, mut lamp) = (waiting().server(), Lamp::default());
    let mut said = |method: &str, params: Value| {
        let (answer, waited) = ask(&mut server, &mut lamp, method, params);
        let result = &answer["result"];
        let text = [
            &result["content"][0]["text"],
            &result["contents"][0]["text"],
            &result["messages"][0]["content"]["text"],
            &answer["error"]["message"],
        ];
        let text = text.into_iter().find(|text| text.is_string()).unwrap_or_else(|| panic!("{answer}"));
        (text.as_str().unwrap().to_owned(), waited)
    };
    for (method, params, expected, waits) in [
        ("tools/call", call("fade", json!({"level": 7})), "faded to 7", 1),
        ("tools/call", call("look", json!({})), "7", 1),
        ("tools/call", call("fade", json!({"level": 700})), "", 0),
        ("tools/call", call("wait", json!({})), "7", 1),
        ("tools/call", call("wait", json!({"a": 1})), "Invalid params: expected none", 0),
        ("tools/call", call("whole", json!({"level": 3})), "3", 1),
        ("tools/call", call("dim", json!({"level": 8})), "dimmed to 8", 0),
        ("resources/read", json!({"uri": "lamp:level"}), "8", 1),
        ("resources/read", json!({"uri": "lamp:last"}), "last", 0),
        ("resources/read", json!({"uri": "lamp:x"}), "x", 1),
        ("prompts/get", json!({"name": "greet", "arguments": {"name": "Ada"}}), "Hello, Ada", 1),
        ("prompts/get", json!({"name": "greet"}), "Invalid params: expected a string, argument name", 0),
        ("tools/call", call("nothing", json!({})), "Unknown tool", 0),
    ] {
        let (text, waited) = said(method, params.clone());
        if expected.is_empty() {
            assert!(text.starts_with("Invalid params: invalid value"), "{text}");
        } else if expected == "last" {
            // the template was registered before
            assert_eq!((text.as_str(), waited), ("last", 1));
            continue;
        } else {
            assert_eq!(text, expected, "{params}");
        }
        assert_eq!(waited, waits, "{params}");
    }
    let (listed, _) = ask(&mut server, &mut lamp, "tools/list", json!({}));
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 10);
}

#[test]
fn a_service_that_waits_keeps_subscriptions() {
    let (mut server, mut lamp) = (waiting().server(), Lamp::default());
    let filter = json!({"notifications": {"resourceSubscriptions": ["lamp:level", "lamp:last"]}});
    let (acknowledged, _) = ask(&mut server, &mut lamp, "subscriptions/listen", filter);
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert!(lamp.subscriptions.is_subscribed("lamp:last"));
    assert!(format!("{:?}", lamp.subscriptions).contains("Resource"));
    let cancelled = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(run(server.process_async(&mut lamp, cancelled, &mut [0; 64])).0.answer(), None);
    assert!(lamp.subscriptions.is_empty());
}

#[cfg(feature = "embedded-io-async")]
#[test]
fn calls_of_tools_that_wait_stand_side_by_side() {
    use nanojsonrpc::connection::Connection;
    use nanojsonrpc::frame::{Framer, Lines};
    use nanojsonrpc::memory::Pipe;

    let mut pipe: Pipe<4096> = Pipe::new();
    let (device, hub) = pipe.ends();
    let call = |id: u8, name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments, "_meta": stateless()});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string() + "\n"
    };
    for text in [call(1, "fade", json!({"level": 1})), call(2, "dim", json!({"level": 2})), call(3, "none", json!({}))]
    {
        hub.try_write(text.as_bytes()).unwrap();
    }
    hub.close();
    let (mut framer, mut output) = (Framer::<Lines, 1024>::new(), [0; 1024]);
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let (mut server, mut lamp) = (waiting().server(), Lamp::default());
    let serving = connection.concurrent::<2, 1024, 1024>();
    run(serving.serve(&mut server, &mut lamp)).0.unwrap();
    let mut heard = [0; 4096];
    let len = hub.try_read(&mut heard).unwrap();
    let heard = core::str::from_utf8(&heard[..len]).unwrap();
    let ids = heard.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_u64().unwrap());
    let mut ids: Vec<u64> = ids.collect();
    // a waiting call does not delay the next one
    assert_eq!(ids[0], 2);
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3]);
}

#[test]
fn a_session_is_opened_on_a_service_that_waits() {
    let (mut server, mut lamp) = (waiting().server(), Lamp::default());
    let mut output = [0; 4096];
    let opened = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello(SESSIONS[0])}).to_string();
    assert!(run(server.process_async(&mut lamp, opened.as_bytes(), &mut output)).0.answer().is_some());
    let text = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call("fade", json!({"level": 3}))});
    let (answer, waited) = run(server.process_async(&mut lamp, text.to_string().as_bytes(), &mut output));
    assert_eq!(waited, 1);
    let answer: Value = serde_json::from_slice(answer.answer().unwrap()).unwrap();
    assert_eq!(answer["result"], json!({"content": [{"type": "text", "text": "faded to 3"}]}));
}

fn guarded() -> Service<Lamp, impl Features<Lamp>> {
    service()
        .tool("reset", "Resets.", ANY, |_: &mut Lamp| "reset")
        .resource("lamp:secret", "secret", "text/plain", |_: &mut Lamp, call: ReadCall<'_>| call.text("secret"))
        .resource_template(uri_template!("lamp:{id}"), "lamps", "text/plain", |_: &mut Lamp, call: ReadCall<'_>| {
            call.text("lamp")
        })
        .prompt("ruin", "Ruins.", &[], |_: &mut Lamp, call: PromptCall<'_>| call.user("ruin"))
        .completion("ruin", "how", |_: &mut Lamp, call: CompletionCall<'_>| call.among(&["slowly"]))
        .shown_if(|lamp: &Lamp, offering| {
            let is_asked_for = offering.params.and_then(|params| params.get("withUserTools")).is_some();
            match offering.kind {
                Kind::Tool if offering.name == "off" => !offering.is_listing || is_asked_for,
                _ => lamp.is_admin || !["reset", "lamp:secret", "ruin"].contains(&offering.name),
            }
        })
}

fn names(result: &Value, list: &str, name: &str) -> Vec<String> {
    result[list].as_array().unwrap().iter().map(|one| one[name].as_str().unwrap().to_owned()).collect()
}

#[test]
fn hidden_things_are_not_listed_and_unknown() {
    for &revision in REVISIONS {
        let mut user = Client::new(guarded(), Lamp::default(), revision);
        let tools = names(&user.result("tools/list", json!({})), "tools", "name");
        assert_eq!(tools, ["dim", "state", "parse", "break", "plain"]);
        assert_eq!(names(&user.result("resources/list", json!({})), "resources", "uri"), [""; 0]);
        assert_eq!(names(&user.result("prompts/list", json!({})), "prompts", "name"), [""; 0]);
        assert_eq!(user.error("tools/call", call("reset", json!({}))), (-32602, "Unknown tool".to_owned()));
        assert_eq!(user.error("prompts/get", json!({"name": "ruin"})), (-32602, "Unknown prompt".to_owned()));
        let reference =
            json!({"ref": {"type": "ref/prompt", "name": "ruin"}, "argument": {"name": "how", "value": ""}});
        assert_eq!(user.error("completion/complete", reference.clone()).0, -32602);
        // hidden, so the next that it fits
        let read = user.result("resources/read", json!({"uri": "lamp:secret"}));
        assert_eq!(read["contents"][0]["text"], "lamp");

        let mut admin = Client::new(guarded(), Lamp { is_admin: true, ..Lamp::default() }, revision);
        let tools = names(&admin.result("tools/list", json!({})), "tools", "name");
        assert_eq!(tools, ["dim", "state", "parse", "break", "plain", "reset"]);
        assert_eq!(admin.result("tools/call", call("reset", json!({}))), text("reset"));
        let read = admin.result("resources/read", json!({"uri": "lamp:secret"}));
        assert_eq!(read["contents"][0]["text"], "secret");
        assert_eq!(admin.result("completion/complete", reference)["completion"]["values"], json!(["slowly"]));
    }
}

#[test]
fn what_a_list_shows_can_depend_on_its_params() {
    let mut client = Client::new(guarded(), Lamp::default(), STATELESS);
    let tools = names(&client.result("tools/list", json!({"withUserTools": true})), "tools", "name");
    assert_eq!(tools, ["dim", "off", "state", "parse", "break", "plain"]);
    assert_eq!(client.result("tools/call", call("off", json!({}))), json!({"content": []}));
}

#[test]
fn pages_count_what_is_shown() {
    for is_admin in [false, true] {
        let mut client = Client::new(guarded().page_len(2), Lamp { is_admin, ..Lamp::default() }, STATELESS);
        let (mut all, mut params) = (Vec::new(), json!({}));
        loop {
            let page = client.result("tools/list", params);
            let tools = names(&page, "tools", "name");
            assert!(tools.len() <= 2);
            all.extend(tools);
            let Some(cursor) = page.get("nextCursor") else { break };
            params = json!({"cursor": cursor});
        }
        assert_eq!(all.len(), if is_admin { 6 } else { 5 }, "{all:?}");
    }
}

#[test]
fn a_resource_reads_a_variable_as_a_path() {
    let template = nanojsonrpc::mcp::uri_template!("file:///{+path}");
    let service = Service::new("files", "1.0.0").resource_template(
        template,
        "file",
        "text/plain",
        |paths: &mut Vec<Option<String>>, call: nanojsonrpc::mcp::ReadCall<'_>| {
            paths.push(call.file_path("path", &mut [0; 32]).map(str::to_owned));
            call.text("")
        },
    );
    let mut client = Client::new(service, Vec::new(), STATELESS);
    for uri in ["file:///a/b.txt", "file:///a/%2e%2e/b"] {
        client.result("resources/read", json!({"uri": uri}));
    }
    assert_eq!(client.context, [Some("a/b.txt".to_owned()), None]);
}
