//! How a client and a server of the Model Context Protocol negotiate revisions and capabilities.
#![cfg(feature = "mcp")]

use crate::peer::{Client, REVISIONS, SESSIONS, STATELESS, hello, stateless};
use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::types::Implementation;
use nanojsonrpc::mcp::{
    CompletionCall, PromptCall, ReadCall, Revision, Schema, Service, ToolCall, method, uri_template,
};
use nanojsonrpc::server::route::Routes;
use nanojsonrpc::server::{Event, Reply};
use nanojsonrpc::{Dialect, Params, RawValue, Router, Server, message::Str};
use serde_json::{Value, json};

fn service() -> Service<(), impl Features<()>> {
    Service::new("tests", "1.2.3")
        .tool("on", "Switches on.", Schema::NO_ARGUMENTS, |_: &mut (), call: ToolCall<'_>| call.text("on"))
}

/// A client before its first message.
fn stranger() -> Client<(), impl Features<()>> {
    Client::new(service(), (), STATELESS)
}

fn request(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

#[test]
fn a_session_has_the_revision_that_the_client_asks_for() {
    for revision in SESSIONS {
        let answer = stranger().send(&request("initialize", &hello(revision))).unwrap();
        assert_eq!(
            answer["result"],
            json!({
                "protocolVersion": revision,
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "tests", "version": "1.2.3"},
            })
        );
    }
}

#[test]
fn for_any_other_revision_the_session_has_the_latest_that_is_known() {
    for revision in ["2024-10-07", STATELESS, "2099-01-01", "", "\u{1F600}"] {
        let answer = stranger().send(&request("initialize", &hello(revision))).unwrap();
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{revision}");
    }
}

#[test]
fn an_initialize_that_lacks_something_is_refused_and_opens_no_session() {
    for name in ["protocolVersion", "capabilities", "clientInfo"] {
        for wrong in [Value::Null, json!(1), json!([])] {
            let mut client = stranger();
            let mut params = hello("2025-11-25");
            params[name] = wrong;
            let answer = client.send(&request("initialize", &params)).unwrap();
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
            assert!(answer["error"]["message"].as_str().unwrap().contains(name), "{answer}");
            params.as_object_mut().unwrap().remove(name);
            assert_eq!(client.send(&request("initialize", &params)).unwrap()["error"]["code"], -32602, "{name}");
            assert_eq!(client.send(&request("tools/list", &json!({}))).unwrap()["error"]["code"], -32602, "{name}");
        }
    }
}

#[test]
fn a_session_can_be_opened_again_by_another_revision() {
    let mut client = Client::new(service(), (), "2025-11-25");
    let answer = client.send(&request("initialize", &hello("2025-06-18"))).unwrap();
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    // a refused `initialize` does not change the session
    client.send(&request("initialize", &json!({})));
    assert!(client.send(&request("tools/list", &json!({}))).unwrap()["result"]["tools"].is_array());
}

#[test]
fn ping_is_answered_before_and_in_a_session() {
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(stranger().send(&ping), Some(json!({"jsonrpc": "2.0", "id": 1, "result": {}})));
    for revision in SESSIONS {
        assert_eq!(Client::new(service(), (), revision).result("ping", json!({})), json!({}));
    }
}

#[test]
fn without_a_session_a_request_must_say_its_revision() {
    for method in ["tools/list", "tools/call", "server/discover"] {
        let answer = stranger().send(&json!({"jsonrpc": "2.0", "id": 1, "method": method})).unwrap();
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("protocolVersion"), "{answer}");
    }
}

#[test]
fn discover_tells_revisions_and_capabilities() {
    let answer = stranger().ask("server/discover", json!({}));
    assert_eq!(
        answer["result"],
        json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
            "capabilities": {"tools": {}},
            "ttlMs": 0,
            "cacheScope": "private",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "tests", "version": "1.2.3"}},
        })
    );
    let supported = answer["result"]["supportedVersions"].as_array().unwrap();
    assert!(supported.iter().zip(Revision::ALL).all(|(text, known)| text == known.as_str()));
}

#[test]
fn a_revision_that_is_not_supported_is_answered_with_those_that_are() {
    for method in ["server/discover", "tools/list", "tools/call"] {
        for revision in ["1900-01-01", "2025-11-2", "2026-07-28 ", ""] {
            let mut meta = stateless();
            meta["io.modelcontextprotocol/protocolVersion"] = json!(revision);
            let answer = stranger().send(&request(method, &json!({"_meta": meta}))).unwrap();
            assert_eq!(answer["error"]["code"], -32022, "{answer}");
            assert_eq!(
                answer["error"]["data"],
                json!({"supported": ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"], "requested": revision})
            );
        }
        // supported, but only in a session: no other with a session would be answered either
        for revision in SESSIONS {
            let mut meta = stateless();
            meta["io.modelcontextprotocol/protocolVersion"] = json!(revision);
            let answer = stranger().send(&request(method, &json!({"_meta": meta}))).unwrap();
            assert_eq!(answer["error"]["code"], -32022, "{answer}");
            assert_eq!(answer["error"]["data"], json!({"supported": ["2026-07-28"], "requested": revision}));
        }
    }
}

#[test]
fn an_initialize_whose_answer_does_not_fit_opens_no_session() {
    let hello = request("initialize", &hello("2025-06-18"));
    let list = request("tools/list", &json!({}));
    let mut whole = stranger();
    let len = whole.send(&hello).unwrap().to_string().len();
    for room in (80..=len + 1).step_by(if cfg!(miri) { 16 } else { 1 }) {
        let mut client = stranger();
        client.room = room;
        let opened = client.send(&hello).unwrap();
        client.room = 4096;
        let listed = client.send(&list).unwrap();
        assert_eq!(opened["result"].is_object(), room >= len, "{room}: {opened}");
        assert_eq!(listed["result"].is_object(), room >= len, "{room}: {listed}");
        if room < len {
            assert_eq!((&opened["error"]["code"], &listed["error"]["code"]), (&json!(-32603), &json!(-32602)));
        }
        // a session that is open keeps its revision
        let service =
            Service::new("tests", "1.2.3").tool("on", "", Schema::NO_ARGUMENTS, |_: &mut (), call: ToolCall<'_>| {
                let revision = call.revision().as_str();
                call.text(revision)
            });
        let mut client = Client::new(service, (), SESSIONS[0]);
        client.room = room;
        let is_open =
            client.send(&request("initialize", &crate::peer::hello(SESSIONS[1]))).unwrap()["result"].is_object();
        client.room = 4096;
        let text = client.result("tools/call", json!({"name": "on"}))["content"][0]["text"].take();
        assert_eq!(text, SESSIONS[usize::from(is_open)], "{room}");
    }
}

#[test]
fn a_stateless_request_that_lacks_something_is_malformed_even_in_a_session() {
    for mut client in [STATELESS, "2025-11-25"].map(|revision| Client::new(service(), (), revision).server) {
        for (name, values) in [
            ("io.modelcontextprotocol/protocolVersion", vec![Value::Null, json!(20_260_728)]),
            ("io.modelcontextprotocol/clientCapabilities", vec![Value::Null, json!([]), json!(true)]),
        ] {
            for value in values {
                let mut meta = stateless();
                if value.is_null() {
                    meta.as_object_mut().unwrap().remove(name);
                } else {
                    meta[name] = value;
                }
                let text = request("tools/list", &json!({"_meta": meta})).to_string();
                let mut output = [0; 512];
                let answer = client.process(&mut (), text.as_bytes(), &mut output).answer().unwrap();
                let answer: Value = serde_json::from_slice(answer).unwrap();
                assert_eq!(answer["error"]["code"], -32602, "{text}: {answer}");
                assert!(answer["error"]["message"].as_str().unwrap().contains(name), "{answer}");
            }
        }
    }
}

#[test]
fn a_request_with_the_information_of_the_client_alone_lacks_its_revision() {
    let mut client = Client::new(service(), (), "2025-11-25");
    let meta = json!({"io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "0"}});
    let (code, message) = client.error("tools/list", json!({"_meta": meta}));
    assert!(code == -32602 && message.contains("io.modelcontextprotocol/protocolVersion"), "{message}");
}

#[test]
fn what_the_stateless_revision_has_removed_is_not_found() {
    for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "tasks/list", "roots/list"] {
        assert_eq!(stranger().error(method, hello("2025-11-25")).0, -32601, "{method}");
    }
}

#[test]
fn streams_of_notifications_are_not_found_unless_the_program_has_a_route_for_them() {
    let filter = json!({"notifications": {"toolsListChanged": true}});
    assert_eq!(stranger().error(method::SUBSCRIPTIONS_LISTEN, filter.clone()).0, -32601);

    let router = Router::new()
        .request(method::SUBSCRIPTIONS_LISTEN, |heard: &mut bool| Ok(core::mem::replace(heard, true)))
        .request(method::LOGGING_SET_LEVEL, |heard: &mut bool, _: nanojsonrpc::Params<'_>| Ok(*heard))
        .nest("", Service::new("tests", "0").router());
    let mut server = Server::new(router).with_dialect(Dialect::MCP);
    let mut output = [0; 512];
    let mut heard = false;
    // the route takes no params
    let text = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen"}).to_string();
    server.process(&mut heard, text.as_bytes(), &mut output);
    assert!(heard);
    let text = request("logging/setLevel", &json!({"level": "info"})).to_string();
    let answer = server.process(&mut heard, text.as_bytes(), &mut output).answer().unwrap();
    assert_eq!(answer, br#"{"jsonrpc":"2.0","result":true,"id":1}"#);
    let text = request("server/discover", &json!({"_meta": stateless()})).to_string();
    assert!(
        server
            .process(&mut heard, text.as_bytes(), &mut output)
            .answer()
            .unwrap()
            .starts_with(b"{\"jsonrpc\":\"2.0\",\"result\":")
    );
}

#[test]
fn a_stateless_request_does_not_depend_on_the_session_nor_change_it() {
    for revision in SESSIONS {
        let mut client = Client::new(service(), (), revision);
        let before = client.ask("tools/list", json!({}));
        let stateless = request("tools/list", &json!({"_meta": stateless()}));
        let inside = client.send(&stateless).unwrap();
        assert_eq!(Some(&inside), stranger().send(&stateless).as_ref());
        assert_eq!(inside["result"]["resultType"], "complete");
        assert_eq!(client.ask("tools/list", json!({})), before);
    }
}

#[test]
fn a_client_that_probes_and_falls_back_succeeds() {
    // with the revision that is supported, with one that is not, and as a client of the older generation would send it
    let mut unknown = stateless();
    unknown["io.modelcontextprotocol/protocolVersion"] = json!("2030-01-01");
    for params in [json!({"_meta": stateless()}), json!({"_meta": unknown}), json!({}), json!({"_meta": {}})] {
        let mut client = stranger();
        client.send(&request("server/discover", &params)).unwrap();
        let opened = client.send(&request("initialize", &hello("2025-06-18"))).unwrap();
        assert_eq!(opened["result"]["protocolVersion"], "2025-06-18", "{params}");
        assert_eq!(client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})), None);
        let tools = client.send(&request("tools/list", &json!({}))).unwrap();
        assert_eq!(tools["result"]["tools"][0]["name"], "on", "{params}");
        assert_eq!(tools["result"].get("resultType"), None);
    }
}

#[test]
fn capabilities_are_those_of_what_is_registered() {
    fn capabilities<F: Features<()>>(service: Service<(), F>) -> Value {
        Client::new(service, (), STATELESS).result("server/discover", json!({}))["capabilities"].clone()
    }
    let new = || Service::<()>::new("tests", "0");
    let read = |_: &mut (), call: ReadCall<'_>| call.text("");
    assert_eq!(capabilities(new()), json!({}));
    assert_eq!(capabilities(service()), json!({"tools": {}}));
    assert_eq!(capabilities(new().resource("a:b", "b", "", read)), json!({"resources": {}}));
    assert_eq!(capabilities(new().resource_template(uri_template!("a:{b}"), "b", "", read)), json!({"resources": {}}));
    let prompts = new().prompt("p", "", &[], |_: &mut (), call: PromptCall<'_>| call.user(""));
    assert_eq!(capabilities(prompts), json!({"prompts": {}}));
    let completions = prompts.completion("p", "a", |_: &mut (), call: CompletionCall<'_>| call.among(&[]));
    assert_eq!(capabilities(completions), json!({"prompts": {}, "completions": {}}));
}

#[test]
fn what_is_not_registered_is_not_found() {
    for &revision in REVISIONS {
        let mut client = Client::new(Service::<()>::new("tests", "0"), (), revision);
        for method in [
            method::TOOLS_LIST,
            method::TOOLS_CALL,
            method::RESOURCES_LIST,
            method::RESOURCES_TEMPLATES_LIST,
            method::RESOURCES_READ,
            method::PROMPTS_LIST,
            method::PROMPTS_GET,
            method::COMPLETION_COMPLETE,
        ] {
            assert_eq!(client.error(method, json!({})).0, -32601, "{method}");
        }
    }
}

#[test]
fn a_program_can_declare_more_and_say_more_of_itself() {
    const EMPTY: RawValue<'_> = RawValue::constant("{}").unwrap();
    const CHANGING: RawValue<'_> = RawValue::constant(r#"{"listChanged":true}"#).unwrap();
    static ME: Implementation<'_> = Implementation {
        title: Some(Str::Plain("The \"tests\"")),
        ..Implementation::new(Str::Plain("tests"), Str::Plain("9"))
    };
    for &revision in REVISIONS {
        let service = service()
            .declaring(&[("logging", EMPTY), ("tools", CHANGING)])
            .implementation(&ME)
            .instructions("Be kind.");
        let mut client = Client::new(service, (), STATELESS);
        let (method, params) = if revision == STATELESS {
            ("server/discover", json!({"_meta": stateless()}))
        } else {
            ("initialize", hello(revision))
        };
        let answer = client.send(&request(method, &params)).unwrap();
        let result = &answer["result"];
        assert_eq!(result["capabilities"], json!({"logging": {}, "tools": {"listChanged": true}}));
        assert_eq!(result["instructions"], "Be kind.");
        let me = result.get("serverInfo").unwrap_or_else(|| &result["_meta"]["io.modelcontextprotocol/serverInfo"]);
        assert_eq!(*me, json!({"name": "tests", "version": "9", "title": "The \"tests\""}));
    }
}

#[test]
fn the_rules_of_the_protocol_hold_for_the_messages_themselves() {
    let mut client = stranger();
    for text in [
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
        r#"[]"#,
        r#"{"jsonrpc":"2.0","method":"ping","id":[]}"#,
    ] {
        let answer = client.text(text).unwrap();
        assert_eq!(answer["error"]["code"], -32600, "{text}: {answer}");
        assert_eq!(answer.get("id"), None, "an id that could not be read is left out: {answer}");
    }
    let answer = client.text(r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}"#).unwrap();
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &json!(7)));
    assert_eq!(
        client.text("{").unwrap(),
        json!({"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}})
    );
}

#[test]
fn notifications_are_not_answered() {
    let mut client = stranger();
    for method in [method::INITIALIZED, method::CANCELLED, method::ROOTS_LIST_CHANGED, "tools/list", "nonsense"] {
        assert_eq!(client.send(&json!({"jsonrpc": "2.0", "method": method})), None, "{method}");
    }
}

/// What the observer of a server with `routes` reports about a notification.
fn reported(routes: Router<Vec<String>, impl Routes<Vec<String>>>, method: &str) -> Vec<String> {
    let mut server = Server::new(routes)
        .with_dialect(Dialect::MCP)
        .observed_by(|heard: &mut Vec<String>, event: Event<'_>| heard.push(event.to_string()));
    let (mut heard, text) = (Vec::new(), json!({"jsonrpc": "2.0", "method": method}).to_string());
    assert_eq!(server.process(&mut heard, text.as_bytes(), &mut [0; 64]).answer(), None);
    heard
}

#[test]
fn the_notifications_of_the_protocol_need_no_listener() {
    let quiet = [method::INITIALIZED, method::CANCELLED, method::ROOTS_LIST_CHANGED];
    for name in quiet {
        assert!(reported(Service::new("tests", "1").router(), name).is_empty(), "{name}");
        // with other routes before and after, with a fallback, or under a context of its own
        let others = || Router::new().request("ping.local", |_: &mut Vec<String>| Ok(()));
        assert!(reported(others().nest("", Service::new("tests", "1").router()).nest("", others()), name).is_empty());
        let fallback = |_: &mut Vec<String>, _: Str<'_>, _: Params<'_>, reply: Reply<'_>| reply.success(&0);
        assert!(reported(Service::new("tests", "1").router().nest("", others().fallback(fallback)), name).is_empty());
        assert!(reported(Service::new("tests", "1").router().owning(()), name).is_empty(), "{name}");
        // a listener still hears
        let listening = Service::new("tests", "1").router().notification(name, |heard: &mut Vec<String>| {
            heard.push("heard".to_owned());
        });
        assert_eq!(reported(listening, name), ["heard"]);
    }
    // other notifications, and those of a server of another protocol
    let dropped = |name: &str| vec![format!("notification without listener: {name}")];
    assert_eq!(reported(Service::new("tests", "1").router(), "notifications/other"), dropped("notifications/other"));
    assert_eq!(reported(Router::new(), method::INITIALIZED), dropped(method::INITIALIZED));
}

#[test]
fn an_empty_list_of_registrations_stores_no_subscriptions() {
    use nanojsonrpc::mcp::service::feature::{AsyncFeatures, Nothing};

    assert!(AsyncFeatures::keeper(&Nothing, &mut ()).is_none());
    assert!(!AsyncFeatures::<()>::waits(&Nothing, 0));
}
