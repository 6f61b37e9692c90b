//! Calls over HTTP that a client cancels by a notification in another request.
#![cfg(feature = "mcp")]

use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use nanojsonrpc::mcp::http::{Endpoint, Head, Session};
use nanojsonrpc::mcp::types::RequestId;
use nanojsonrpc::mcp::{Revision, Schema, Service, ToolCall, method};
use nanojsonrpc::server::Replied;
use nanojsonrpc::{Dialect, Params, RawValue, Router, Server};
use serde_json::{Value, json};

/// The calls in flight of all sessions: the session, the id as spelled, whether it is cancelled.
#[derive(Default)]
struct Calls {
    known: Mutex<Vec<(&'static str, String, bool)>>,
    changed: Condvar,
}

#[derive(Clone)]
struct Client {
    session: &'static str,
    calls: Arc<Calls>,
}

fn is_id(known: &str, id: RequestId<'_>) -> bool {
    RawValue::parse(known.as_bytes()).map(RequestId::read) == Ok(Ok(id))
}

/// Waits until its call is cancelled.
fn bake(client: &mut Client, call: ToolCall<'_>) -> Replied {
    let id = call.id().expect("a string or an integer");
    let spelled = String::from_utf8(id.raw().as_bytes().to_vec()).expect("UTF-8");
    let mut known = client.calls.known.lock().unwrap();
    known.push((client.session, spelled, false));
    client.calls.changed.notify_all();
    let is_mine = |call: &&(&str, String, bool)| call.0 == client.session && is_id(&call.1, id);
    let is_baking = |known: &mut Vec<(&str, String, bool)>| known.iter().find(is_mine).is_some_and(|call| !call.2);
    let (known, waited) = client.calls.changed.wait_timeout_while(known, Duration::from_secs(20), is_baking).unwrap();
    drop(known);
    if waited.timed_out() { call.text("done") } else { call.failed("cancelled") }
}

fn cancel(client: &mut Client, params: Params<'_>) {
    let Some(Ok(id)) = params.get("requestId").map(RequestId::read) else { return };
    for call in client.calls.known.lock().unwrap().iter_mut() {
        call.2 |= call.0 == client.session && is_id(&call.1, id);
    }
    client.calls.changed.notify_all();
}

fn post(mut client: Client, body: &Value) -> (u16, Value) {
    let oven = Service::new("oven", "1.0.0").tool("bake", "", Schema::NO_ARGUMENTS, bake);
    let router = Router::new().notification(method::CANCELLED, cancel).nest("", oven.router());
    let mut server = Server::new(router).with_dialect(Dialect::MCP);
    let (mut head, mut output) = (Head::new("POST"), [0; 256]);
    head.session = Session::Open(Revision::V2025_11_25);
    let response = Endpoint::new().answer(&mut server, &mut client, &head, body.to_string().as_bytes(), &mut output);
    (response.status(), serde_json::from_slice(response.body()).unwrap_or_default())
}

#[test]
fn a_cancellation_ends_the_call_of_its_session() {
    let calls = Arc::new(Calls::default());
    let client = |session| Client { session, calls: Arc::clone(&calls) };
    let call = |id: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "bake"}});
    let cancel =
        |id: Value| json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    thread::scope(|scope| {
        let one = scope.spawn(|| post(client("one"), &call(json!(7))));
        let two = scope.spawn(|| post(client("two"), &call(json!(7))));
        let text = scope.spawn(|| post(client("one"), &call(json!("7"))));
        let known = calls.known.lock().unwrap();
        drop(calls.changed.wait_while(known, |known| known.len() < 3).unwrap());
        let is_cancelled = || {
            let known = calls.known.lock().unwrap();
            let mut cancelled: Vec<_> =
                known.iter().filter(|call| call.2).map(|call| (call.0, call.1.clone())).collect();
            cancelled.sort();
            cancelled
        };
        let one_and = |more: &[(&'static str, &str)]| -> Vec<_> {
            [("one", "7")].iter().chain(more).map(|(session, id)| (*session, (*id).to_owned())).collect()
        };
        assert_eq!(post(client("one"), &cancel(json!(7))), (202, Value::Null));
        assert_eq!(is_cancelled(), one_and(&[]));
        assert_eq!(post(client("two"), &cancel(json!("7"))).0, 202);
        assert_eq!(is_cancelled(), one_and(&[]));
        assert_eq!(post(client("two"), &cancel(json!(7))).0, 202);
        assert_eq!(is_cancelled(), one_and(&[("two", "7")]));
        assert_eq!(post(client("one"), &cancel(json!("7"))).0, 202);
        for call in [one, two, text] {
            let (status, body) = call.join().unwrap();
            assert_eq!((status, &body["result"]["content"][0]["text"]), (200, &json!("cancelled")));
        }
    });
}
