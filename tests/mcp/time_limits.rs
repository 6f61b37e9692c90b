//! Tools that take longer than their time limit.
#![cfg(all(feature = "mcp", feature = "serde"))]

use core::future::{pending, ready};

use nanojsonrpc::mcp::{Schema, Service};
use nanojsonrpc::{Dialect, Router, Server};
use serde_json::{Value, json};

use crate::tasks::{run, wait};

#[test]
fn a_late_tool_is_dropped_and_its_call_answered() {
    let service = Service::new("oven", "1.0.0")
        .tool_async("bake", "", Schema::NO_ARGUMENTS, async |baked: &mut u8| {
            *baked += 1;
            pending::<&str>().await
        })
        .tool_async("toast", "", Schema::NO_ARGUMENTS, async |_: &mut u8| {
            wait().await;
            wait().await;
            "toast"
        });
    // the limit depends on the tool
    let router = service.router().limited_by(|call| {
        let is_toast = call.params().get("name").is_some_and(|name| name.as_str() == Some("toast"));
        async move {
            wait().await;
            if is_toast { pending().await } else { ready(()).await }
        }
    });
    let router = Router::new().nest("", router);
    let mut server = Server::new(router).with_dialect(Dialect::MCP);
    let (mut baked, mut output) = (0, [0; 512]);
    let mut answer = |call: Value| -> Value {
        let call = call.to_string();
        let processed = run(server.process_async(&mut baked, call.as_bytes(), &mut output));
        serde_json::from_slice(processed.answer().expect("an answer")).expect("JSON")
    };
    let client = json!({"name": "c", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    answer(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}));
    let mut call =
        |id, tool| answer(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool}}));
    let late = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32001, "message": "Request timed out"}});
    assert_eq!(call(1, "bake"), late);
    assert_eq!(call(2, "toast")["result"]["content"][0]["text"], "toast");
    assert_eq!(call(1, "bake"), late);
    assert_eq!(baked, 2);
}

#[test]
fn a_late_tool_is_answered_over_http() {
    use nanojsonrpc::mcp::http::{Endpoint, Head};

    let service = Service::new("oven", "1.0.0")
        .tool_async("bake", "", Schema::NO_ARGUMENTS, async |_: &mut u8| pending::<&str>().await);
    let mut server = Server::new(service.router().limited_by(|_| ready(()))).with_dialect(Dialect::MCP);
    let body = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bake"}}"#;
    let mut head = Head::new("POST");
    head.version = Some(b"2025-11-25");
    let (mut baked, mut output) = (0, [0; 256]);
    let response = run(Endpoint::new().answer_async(&mut server, &mut baked, &head, body, &mut output));
    let late = br#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"Request timed out"},"id":1}"#;
    assert_eq!((response.status(), response.body()), (200, &late[..]));
}
