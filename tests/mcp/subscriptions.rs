//! Clients that subscribe to changes: of resources in sessions, of resources and lists on streams.
#![cfg(feature = "mcp")]

use crate::peer::{Client, SESSIONS, STATELESS, stateless};
use nanojsonrpc::Writer;
use nanojsonrpc::mcp::service::feature::{Features, Kind};
use nanojsonrpc::mcp::{PromptCall, ReadCall, Schema, Service, Subscriptions, ToolCall, uri_template};
use serde_json::{Value, json};

#[derive(Default)]
struct App {
    is_guest: bool,
    subscriptions: Subscriptions<4, 24>,
}

fn read(_: &mut App, call: ReadCall<'_>) -> nanojsonrpc::server::Replied {
    call.text("")
}

fn service() -> Service<App, impl Features<App>> {
    Service::new("tests", "1.2.3")
        .tool("on", "Switches on.", Schema::NO_ARGUMENTS, |_: &mut App, call: ToolCall<'_>| call.text("on"))
        .resource("lamp:state", "state", "text/plain", read)
        .subscriptions(|app| &mut app.subscriptions)
        .resource("lamp:é", "accented", "text/plain", read)
        .resource("lamp:secret", "secret", "text/plain", read)
        .resource_template(uri_template!("room:{id}"), "rooms", "text/plain", read)
        .shown_if(|app, offering| !app.is_guest || offering.name != "lamp:secret")
}

fn client(revision: &'static str) -> Client<App, impl Features<App>> {
    Client::new(service(), App::default(), revision)
}

/// Each message that `write` writes.
fn written(write: impl FnOnce(&mut Writer<'_>) -> Result<(), nanojsonrpc::Error>) -> Vec<Value> {
    let mut buffer = [0; 2048];
    let mut out = Writer::new(&mut buffer);
    write(&mut out).unwrap();
    serde_json::Deserializer::from_slice(out.written()).into_iter::<Value>().map(Result::unwrap).collect()
}

fn updated<F>(client: &Client<App, F>, uri: &str) -> Vec<Value> {
    written(|out| client.context.subscriptions.updated(uri, out))
}

fn changed<F>(client: &Client<App, F>, kind: Kind) -> Vec<Value> {
    written(|out| client.context.subscriptions.list_changed(kind, out))
}

fn notification(method: &str, params: &Value) -> Value {
    match params {
        Value::Null => json!({"jsonrpc": "2.0", "method": method}),
        params => json!({"jsonrpc": "2.0", "method": method, "params": params}),
    }
}

fn meta(stream: &Value) -> Value {
    json!({"io.modelcontextprotocol/subscriptionId": stream})
}

/// The answer to `subscriptions/listen` with the id `id` and the filter `filter`.
fn listen<F: Features<App>>(client: &mut Client<App, F>, id: &Value, filter: &Value) -> Value {
    let params = json!({"notifications": filter, "_meta": stateless()});
    client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params})).unwrap()
}

#[test]
fn a_session_is_told_of_the_resources_that_it_subscribes_to() {
    for revision in SESSIONS {
        let mut client = client(revision);
        assert_eq!(updated(&client, "lamp:state"), [Value::Null; 0]);
        for uri in ["lamp:state", "lamp:é", "room:7", "lamp:state"] {
            assert_eq!(client.result("resources/subscribe", json!({"uri": uri})), json!({}));
        }
        assert_eq!(client.context.subscriptions.len(), 3);
        for uri in ["lamp:state", "lamp:é", "room:7"] {
            assert!(client.context.subscriptions.is_subscribed(uri));
            let expected = notification("notifications/resources/updated", &json!({"uri": uri}));
            assert_eq!(updated(&client, uri), [expected], "{uri}");
        }
        assert_eq!(updated(&client, "room:8"), [Value::Null; 0]);
        assert_eq!(client.result("resources/unsubscribe", json!({"uri": "lamp:é"})), json!({}));
        assert!(!client.context.subscriptions.is_subscribed("lamp:é"));
        assert_eq!(client.result("resources/unsubscribe", json!({"uri": "lamp:é"})), json!({}));
        assert_eq!(client.context.subscriptions.len(), 2);
    }
}

#[test]
fn a_uri_is_compared_as_it_is_decoded() {
    let mut client = client(SESSIONS[2]);
    let escaped = r#"{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"lamp:\u00e9"}}"#;
    assert_eq!(client.text(escaped).unwrap()["result"], json!({}));
    assert!(client.context.subscriptions.is_subscribed("lamp:é"));
    assert_eq!(client.result("resources/unsubscribe", json!({"uri": "lamp:é"})), json!({}));
    assert!(client.context.subscriptions.is_empty());
}

#[test]
fn unknown_and_hidden_resources_cannot_be_subscribed_to() {
    for revision in SESSIONS {
        let mut client = client(revision);
        client.context.is_guest = true;
        for uri in ["lamp:none", "lamp:secret"] {
            assert_eq!(client.error("resources/subscribe", json!({"uri": uri})).0, -32002, "{uri}");
        }
        for params in [json!({}), json!({"uri": 1})] {
            assert_eq!(client.error("resources/subscribe", params).0, -32602);
        }
        assert!(client.context.subscriptions.is_empty());
    }
}

#[test]
fn more_than_the_capacity_is_refused_and_nothing_is_lost() {
    let mut client = client(SESSIONS[2]);
    for id in 0..4 {
        assert_eq!(client.result("resources/subscribe", json!({"uri": format!("room:{id}")})), json!({}));
    }
    let full = (-32603, "Internal error: too many subscriptions".to_owned());
    assert_eq!(client.error("resources/subscribe", json!({"uri": "room:4"})), full);
    assert_eq!(client.context.subscriptions.len(), 4);
    // one that is there already stays
    assert_eq!(client.result("resources/subscribe", json!({"uri": "room:3"})), json!({}));
    assert_eq!(client.result("resources/unsubscribe", json!({"uri": "room:0"})), json!({}));
    let long = "room:6789012345678901234";
    assert_eq!(client.error("resources/subscribe", json!({"uri": long})), full);
    assert_eq!(client.result("resources/subscribe", json!({"uri": &long[..22]})), json!({}));
}

#[test]
fn a_new_session_has_no_subscriptions() {
    let mut client = client(SESSIONS[2]);
    assert_eq!(client.result("resources/subscribe", json!({"uri": "room:1"})), json!({}));
    client.result("initialize", crate::peer::hello(SESSIONS[1]));
    assert!(client.context.subscriptions.is_empty());
}

#[test]
fn a_stream_is_acknowledged_and_told_with_its_id() {
    for id in [json!(7), json!("é\"1")] {
        let mut client = client(STATELESS);
        let filter = json!({
            "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": false,
            "resourceSubscriptions": ["lamp:state", "lamp:none", 5, "room:1"],
        });
        let honored = json!({"toolsListChanged": true, "resourceSubscriptions": ["lamp:state", "room:1"]});
        assert_eq!(
            listen(&mut client, &id, &filter),
            notification(
                "notifications/subscriptions/acknowledged",
                &json!({"notifications": honored, "_meta": meta(&id)})
            )
        );
        assert_eq!(client.context.subscriptions.len(), 3);
        let expected = notification("notifications/resources/updated", &json!({"uri": "room:1", "_meta": meta(&id)}));
        assert_eq!(updated(&client, "room:1"), [expected]);
        let expected = notification("notifications/tools/list_changed", &json!({"_meta": meta(&id)}));
        assert_eq!(changed(&client, Kind::Tool), [expected]);
        assert_eq!(changed(&client, Kind::Prompt), [Value::Null; 0]);
        assert_eq!(changed(&client, Kind::Resource), [Value::Null; 0]);
        assert_eq!(updated(&client, "lamp:none"), [Value::Null; 0]);
    }
}

#[test]
fn streams_stand_side_by_side_and_end_alone() {
    let mut client = client(STATELESS);
    let filter = json!({"resourceSubscriptions": ["lamp:state"]});
    for id in [json!(1), json!("1")] {
        listen(&mut client, &id, &filter);
    }
    // the same id again: in the place of the first
    listen(&mut client, &json!(1), &json!({"resourceSubscriptions": ["lamp:state"], "resourcesListChanged": true}));
    assert_eq!(client.context.subscriptions.len(), 3);
    assert_eq!(updated(&client, "lamp:state").len(), 2);
    for (id, left) in [(json!(2), 3), (json!("\u{31}"), 2), (json!(1), 0)] {
        let cancelled = notification("notifications/cancelled", &json!({"requestId": id}));
        assert_eq!(client.send(&cancelled), None);
        assert_eq!(client.context.subscriptions.len(), left, "{id}");
    }
}

#[test]
fn a_stream_that_does_not_fit_is_refused_whole() {
    let mut client = client(STATELESS);
    listen(&mut client, &json!(1), &json!({"resourceSubscriptions": ["room:1", "room:2"]}));
    let uris = ["room:1", "room:2", "room:3"];
    let answer = listen(&mut client, &json!(2), &json!({"resourceSubscriptions": uris}));
    assert_eq!(answer["error"]["message"], "Internal error: too many subscriptions");
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32603), &json!(2)));
    assert_eq!(client.context.subscriptions.len(), 2);
    let long = "x".repeat(30);
    let answer = listen(&mut client, &json!(long), &json!({"toolsListChanged": true}));
    assert_eq!(answer["error"]["code"], -32603);
    assert_eq!(client.context.subscriptions.len(), 2);
    for filter in [Value::Null, json!([]), json!(1)] {
        assert_eq!(listen(&mut client, &json!(3), &filter)["error"]["code"], -32602, "{filter}");
    }
}

#[test]
fn an_acknowledgement_that_does_not_fit_subscribes_to_nothing() {
    let mut client = client(STATELESS);
    client.room = 110;
    let answer = listen(&mut client, &json!(1), &json!({"resourceSubscriptions": ["room:1"]}));
    assert_eq!(answer["error"]["code"], -32603);
    assert!(client.context.subscriptions.is_empty());
}

#[test]
fn each_generation_has_its_own_requests() {
    let mut stateless = client(STATELESS);
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        assert_eq!(stateless.error(method, json!({"uri": "lamp:state"})).0, -32601);
    }
    for revision in SESSIONS {
        let mut session = client(revision);
        let params = json!({"notifications": {}});
        assert_eq!(session.error("subscriptions/listen", params).0, -32601);
    }
}

#[test]
fn the_capabilities_are_declared_and_lists_of_a_session_told() {
    for revision in SESSIONS {
        let mut client = client(revision);
        let opened = client.result("initialize", crate::peer::hello(revision));
        let expected = json!({"tools": {"listChanged": true}, "resources": {"subscribe": true, "listChanged": true}});
        assert_eq!(opened["capabilities"], expected);
        for (kind, method) in [
            (Kind::Tool, "notifications/tools/list_changed"),
            (Kind::Template, "notifications/resources/list_changed"),
            (Kind::Resource, "notifications/resources/list_changed"),
            (Kind::Prompt, "notifications/prompts/list_changed"),
        ] {
            assert_eq!(changed(&client, kind), [notification(method, &Value::Null)]);
        }
    }
}

#[test]
fn all_streams_end_with_a_result_each() {
    let mut client = client(SESSIONS[2]);
    assert_eq!(client.result("resources/subscribe", json!({"uri": "room:1"})), json!({}));
    listen(&mut client, &json!(1), &json!({"resourceSubscriptions": ["room:1", "room:2"]}));
    listen(&mut client, &json!("b"), &json!({"toolsListChanged": true}));
    let mut short = [0; 140];
    let mut out = Writer::new(&mut short);
    assert!(client.context.subscriptions.end(&mut out).is_err());
    assert_eq!((out.len(), client.context.subscriptions.len()), (0, 4));
    let results = written(|out| client.context.subscriptions.end(out));
    let result =
        |id: Value| json!({"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete", "_meta": meta(&id)}});
    assert_eq!(results, [result(json!(1)), result(json!("b"))]);
    assert!(client.context.subscriptions.is_empty());
}

#[test]
fn notifications_are_written_all_or_none() {
    let mut client = client(STATELESS);
    for id in [1, 2] {
        listen(&mut client, &json!(id), &json!({"resourceSubscriptions": ["room:1"]}));
    }
    let whole = updated(&client, "room:1").len();
    assert_eq!(whole, 2);
    for len in 0..300 {
        let mut buffer = vec![0; len];
        let mut out = Writer::new(&mut buffer);
        let is_whole = client.context.subscriptions.updated("room:1", &mut out).is_ok();
        assert!(is_whole || out.is_empty(), "{len}");
    }
}

#[test]
fn a_service_without_subscriptions_has_no_such_requests() {
    let service = || {
        Service::new("tests", "1")
            .resource("a:b", "b", "text/plain", |_: &mut (), call: ReadCall<'_>| call.text(""))
            .prompt("p", "", &[], |_: &mut (), call: PromptCall<'_>| call.user(""))
    };
    let mut session = Client::new(service(), (), SESSIONS[2]);
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        assert_eq!(session.error(method, json!({"uri": "a:b"})).0, -32601);
    }
    let mut stateless = Client::new(service(), (), STATELESS);
    assert_eq!(stateless.error("subscriptions/listen", json!({"notifications": {}})).0, -32601);
}

#[test]
fn a_stream_that_names_a_resource_twice_is_told_once() {
    let mut client = client(STATELESS);
    listen(&mut client, &json!(1), &json!({"resourceSubscriptions": ["lamp:state", "lamp:state"]}));
    assert_eq!(updated(&client, "lamp:state").len(), 1);
    assert_eq!(client.context.subscriptions.len(), 1);
    // repetitions take no capacity either
    let repeated = vec!["lamp:state"; 9];
    listen(&mut client, &json!(1), &json!({"resourceSubscriptions": repeated}));
    assert_eq!(updated(&client, "lamp:state").len(), 1);
}

#[test]
fn a_repeated_subscription_that_does_not_fit_keeps_the_first() {
    let mut client = client(SESSIONS[2]);
    assert_eq!(client.result("resources/subscribe", json!({"uri": "lamp:state"})), json!({}));
    let escaped: String = "lamp:state".bytes().map(|byte| format!("\\u{byte:04x}")).collect();
    let again = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{{"uri":"{escaped}"}}}}"#);
    assert_eq!(client.text(&again).unwrap()["result"], json!({}));
    assert!(client.context.subscriptions.is_subscribed("lamp:state"));
}

#[test]
fn a_stream_without_subscriptions_ends_with_a_result() {
    for filter in [json!({}), json!({"toolsListChanged": false, "resourceSubscriptions": ["lamp:none"]})] {
        let mut client = client(STATELESS);
        let acknowledged = listen(&mut client, &json!("s"), &filter);
        assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
        for kind in [Kind::Tool, Kind::Resource, Kind::Prompt] {
            assert_eq!(changed(&client, kind), [Value::Null; 0]);
        }
        let ended = written(|out| client.context.subscriptions.end(out));
        assert_eq!(ended.iter().map(|result| &result["id"]).collect::<Vec<_>>(), ["s"]);
    }
}

/// A cancellation of a stream reaches the service. A cancellation of any other request reaches the listener that is registered after the
/// service. Both hold for `process` and for `process_async`.
#[test]
fn a_cancelled_stream_is_for_the_service_and_another_request_for_the_next_listener() {
    use core::pin::pin;
    use core::task::{Context, Poll, Waker};
    use nanojsonrpc::{Dialect, Params, Server};

    struct Counted {
        app: App,
        heard: Vec<i64>,
    }

    let service = Service::new("tests", "1.2.3")
        .resource("lamp:state", "state", "text/plain", |_: &mut Counted, call: ReadCall<'_>| call.text(""))
        .subscriptions(|counted: &mut Counted| &mut counted.app.subscriptions);
    let hear = |counted: &mut Counted, params: Params<'_>| {
        counted.heard.extend(params.get("requestId").and_then(|id| id.as_i64()));
    };
    let router = service.router().notification("notifications/cancelled", hear);
    for is_blocking in [true, false] {
        let mut server = Server::new(router).with_dialect(Dialect::MCP);
        let mut context = Counted { app: App::default(), heard: Vec::new() };
        let mut send = |context: &mut Counted, message: &Value| {
            let (text, mut output) = (message.to_string(), [0; 1024]);
            if is_blocking {
                server.process(context, text.as_bytes(), &mut output);
            } else {
                let answering = pin!(server.process_async(context, text.as_bytes(), &mut output));
                assert!(matches!(answering.poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(_)));
            }
        };
        let params = json!({"notifications": {"resourceSubscriptions": ["lamp:state"]}, "_meta": stateless()});
        let listen = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params});
        send(&mut context, &listen);
        assert_eq!(context.app.subscriptions.len(), 1);
        for id in [2, 1, 1] {
            send(&mut context, &notification("notifications/cancelled", &json!({"requestId": id})));
        }
        assert_eq!((context.app.subscriptions.len(), context.heard), (0, vec![2, 1]), "blocking: {is_blocking}");
    }
}

#[test]
fn a_session_beside_a_stream_ends_its_own_subscriptions() {
    let mut client = client(SESSIONS[2]);
    let filter = json!({"toolsListChanged": true, "resourceSubscriptions": ["lamp:secret"]});
    listen(&mut client, &json!(7), &filter);
    assert_eq!(client.result("resources/subscribe", json!({"uri": "lamp:secret"})), json!({}));
    assert_eq!(client.context.subscriptions.len(), 3);
    // a subscription from before the resource was hidden is kept if it is repeated, and ends
    client.context.is_guest = true;
    assert_eq!(client.result("resources/subscribe", json!({"uri": "lamp:secret"})), json!({}));
    assert_eq!(updated(&client, "lamp:secret").len(), 2);
    assert_eq!(client.result("resources/unsubscribe", json!({"uri": "lamp:secret"})), json!({}));
    assert_eq!(client.context.subscriptions.len(), 2);
    assert_eq!(client.error("resources/subscribe", json!({"uri": "lamp:secret"})).0, -32002);
    assert_eq!(updated(&client, "lamp:secret")[0]["params"]["_meta"], meta(&json!(7)));
}
