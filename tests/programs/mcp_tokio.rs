//! The example `mcp_tokio`: progress, calls beside each other, cancellation.
#![cfg(all(not(miri), feature = "embedded-io-async", feature = "mcp"))]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::example::example;

#[test]
fn a_long_tool_reports_progress_beside_other_calls_and_is_cancelled() {
    let mut process = example("mcp_tokio").stderr(Stdio::piped()).spawn().expect("the example to start");
    let mut input = process.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(process.stdout.take().expect("a pipe")).lines();
    let mut send = |message: Value| writeln!(input, "{message}").expect("the example to read");
    let mut next = || -> Value { serde_json::from_str(&lines.next().expect("a line").expect("UTF-8")).expect("JSON") };
    let count = |id: u32, steps: u32| {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "progressToken": id,
        });
        let params = json!({"name": "count", "arguments": {"steps": steps}, "_meta": meta});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    send(count(1, 100));
    send(count(2, 3));
    let mut steps = Vec::new();
    let answer = loop {
        let message = next();
        assert_ne!(message["id"], 1);
        if message["id"] == 2 {
            break message;
        }
        assert_eq!(message["method"], "notifications/progress");
        steps.extend((message["params"]["progressToken"] == 2).then(|| message["params"]["progress"].as_i64()));
    };
    assert_eq!(steps, [Some(1), Some(2), Some(3)], "before the answer");
    assert_eq!(answer["result"]["content"][0]["text"], "counted to 3");

    send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}));
    send(count(3, 1));
    while next()["id"] != 3 {}
    drop(input);
    // nothing follows, and the end of the input ends the program although the first call would take ten seconds
    assert_eq!(lines.next().map(Result::unwrap), None);
    let mut said = String::new();
    process.stderr.take().expect("a pipe").read_to_string(&mut said).expect("UTF-8");
    assert!(said.starts_with("cancelled at ") && said.ends_with(" of 100\n"), "{said}");
    assert!(process.wait().expect("an end").success());
}
