//! The example `mcp_stdio` as a client runs it: lines in, lines out.
#![cfg(feature = "mcp")]

use std::io::{BufRead, BufReader, Write};

use crate::example::example;
use serde_json::{Value, json};

/// Feeds these messages to the example and returns its output after it has ended by itself.
fn said(messages: &[Value]) -> Vec<Value> {
    let mut child = example("mcp_stdio").spawn().expect("the example to start");
    let mut stdin = child.stdin.take().expect("a pipe");
    for message in messages {
        writeln!(stdin, "{message}").expect("the example to read");
    }
    drop(stdin);
    let output = child.wait_with_output().expect("the example to end");
    assert!(output.status.success(), "{:?}", output.status);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25",
        "capabilities": {}, "clientInfo": {"name": "tests", "version": "0"}}})
}

#[test]
fn it_ends_with_its_input() {
    assert_eq!(said(&[]), Vec::<Value>::new());
}

#[test]
fn it_serves_both_generations_on_one_stream() {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}});
    let sum = |id, meta| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": "add", "arguments": {"a": 20, "b": 22}, "_meta": meta}})
    };
    let said = said(&[
        sum(1, meta.clone()),
        initialize(),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        sum(2, json!({})),
        json!({"jsonrpc": "2.0", "id": 3, "method": "server/discover", "params": {"_meta": meta}}),
    ]);
    assert_eq!(said.len(), 4, "{said:?}");
    for (at, kind) in [(0, json!("complete")), (2, Value::Null)] {
        assert_eq!(said[at]["result"]["content"], json!([{"type": "text", "text": "42"}]));
        assert_eq!(said[at]["result"]["resultType"], kind);
    }
    for capabilities in [&said[1]["result"]["capabilities"], &said[3]["result"]["capabilities"]] {
        assert_eq!(*capabilities, json!({"tools": {}, "resources": {}, "prompts": {}, "completions": {}}));
    }
}

#[test]
fn its_slow_tool_tells_how_far_it_is_while_it_works() {
    let mut child = example("mcp_stdio").spawn().expect("the example to start");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut next =
        || -> Value { serde_json::from_str(&stdout.next().expect("a line").expect("a line")).expect("JSON") };
    writeln!(stdin, "{}", initialize()).unwrap();
    next();
    let count = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "count",
        "arguments": {"steps": 3}, "_meta": {"progressToken": "t"}}});
    writeln!(stdin, "{count}").unwrap();
    for step in 1..=3 {
        let notification = next();
        assert_eq!(notification["method"], "notifications/progress");
        let params = json!({"progressToken": "t", "progress": step, "total": 3, "message": "counting"});
        assert_eq!(notification["params"], params);
    }
    assert_eq!(next()["result"]["content"][0]["text"], "counted to 3");
    drop(stdin);
    assert!(child.wait().expect("the example to end").success());
}

#[test]
fn a_line_that_is_too_long_or_no_json_is_answered_without_an_id() {
    let long = json!({"jsonrpc": "2.0", "id": 1, "method": "x".repeat(65 * 1024)});
    for message in [long, json!([]), json!("x")] {
        let said = said(&[message, initialize()]);
        assert_eq!(said[0]["error"]["code"], -32600);
        assert_eq!(said[0].get("id"), None);
        assert_eq!(said[1]["id"], 0);
    }
}
