//! The example `http` before and after a restart.
#![cfg(all(feature = "http", feature = "serde", not(miri)))]

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::example::example;

/// The lines of the first event that a client receives which has received `last`, after somebody has said `words`.
fn event_behind(last: &str, words: &str) -> Vec<String> {
    let mut process = example("http").spawn().expect("the example to start");
    let mut line = String::new();
    BufReader::new(process.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let address = line.trim().trim_start_matches("listening on http://").trim_end_matches("/rpc");
    let send = |request: &str| {
        let mut stream = TcpStream::connect(address).expect("the server");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        stream.write_all(request.as_bytes()).expect("the server to read");
        BufReader::new(stream).lines().map(|line| line.expect("a line"))
    };
    let body = format!(r#"{{"jsonrpc":"2.0","method":"say","params":["{words}"]}}"#);
    let head = format!("content-type: application/json\r\ncontent-length: {}", body.len());
    let status = send(&format!("POST /rpc HTTP/1.1\r\n{head}\r\n\r\n{body}")).next();
    assert_eq!(status.as_deref(), Some("HTTP/1.1 204 No Content"));
    let events = send(&format!("GET /rpc HTTP/1.1\r\nlast-event-id: {last}\r\n\r\n"));
    // comments keep the stream open
    let event = events.take(100).skip_while(|line| !line.starts_with("id: ")).take(2).collect();
    process.kill().expect("it to run");
    process.wait().expect("an end");
    event
}

#[test]
fn a_client_of_http_misses_no_event_after_a_restart() {
    let event = event_behind("", "before");
    assert!(event.concat().contains("before"), "{event:?}");
    let last = event[0].strip_prefix("id: ").expect("an id");
    let event = event_behind(last, "after");
    assert!(event.concat().contains("after"), "{event:?}");
}
