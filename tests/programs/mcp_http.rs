//! The example `mcp_http` as clients talk to it: several requests on a connection, a stream of events, and one that is closed.
#![cfg(all(feature = "mcp", not(miri)))]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout};

use crate::example::example;
use serde_json::{Value, json};

const STATELESS: &str = "2026-07-28";

/// The example, which ends with the test.
struct Server {
    process: Child,
    said: BufReader<ChildStdout>,
    address: String,
}

impl Server {
    fn new() -> Self {
        let mut process = example("mcp_http").spawn().expect("the example to start");
        let mut said = BufReader::new(process.stdout.take().expect("a pipe"));
        let mut line = String::new();
        said.read_line(&mut line).expect("a line");
        let url = line.strip_prefix("listening on http://").and_then(|url| url.strip_suffix("/mcp\n"));
        Self { process, said, address: url.expect("an address").to_owned() }
    }

    fn connect(&self) -> Connection {
        Connection(BufReader::new(TcpStream::connect(&self.address).expect("a connection")))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().expect("it to end");
        self.process.wait().expect("it to end");
    }
}

struct Connection(BufReader<TcpStream>);

impl Connection {
    fn send(&mut self, method: &str, headers: &[(&str, &str)], body: &str) {
        let mut text = format!("{method} /mcp HTTP/1.1\r\nhost: here\r\ncontent-length: {}\r\n", body.len());
        headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\r\n"));
        self.0.get_mut().write_all((text + "\r\n" + body).as_bytes()).expect("the example to read");
    }

    /// A call of `count`, in 2026-07-28.
    fn count(&mut self, steps: u32, token: &Value) {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientCapabilities": {}, "progressToken": token});
        let params = json!({"name": "count", "arguments": {"steps": steps}, "_meta": meta});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let headers =
            [("MCP-Protocol-Version", STATELESS), ("Mcp-Method", "tools/call"), ("Mcp-Name", "=?base64?Y291bnQ=?=")];
        self.send("POST", &headers, &body.to_string());
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("a line");
        line.trim_end_matches("\r\n").to_owned()
    }

    /// The status, and the headers by their names.
    fn head(&mut self) -> (u16, Value) {
        let status = self.line();
        let mut headers = json!({});
        while let Some((name, value)) = self.line().split_once(": ") {
            headers[name] = json!(value);
        }
        (status[9..12].parse().expect("a status"), headers)
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.0.read_exact(&mut bytes).expect("as many bytes");
        bytes
    }

    fn answer(&mut self) -> (u16, Value) {
        let (status, headers) = self.head();
        let len = headers["content-length"].as_str().expect("a length").parse().expect("a number");
        (status, serde_json::from_slice(&self.bytes(len)).unwrap_or_default())
    }

    /// The message of the next event, which is a chunk; `None` at the end.
    fn event(&mut self) -> Option<Value> {
        let len = usize::from_str_radix(&self.line(), 16).expect("a length");
        let chunk = self.bytes(len + 2);
        let event = chunk.strip_suffix(b"\r\n").expect("the end of a chunk");
        if event.is_empty() {
            return None;
        }
        let data = event.strip_prefix(b"data: ").and_then(|data| data.strip_suffix(b"\n\n")).expect("one line of data");
        Some(serde_json::from_slice(data).expect("JSON"))
    }
}

#[test]
fn a_connection_serves_clients_of_all_revisions() {
    let server = Server::new();
    let mut connection = server.connect();
    for revision in ["2025-06-18", "2025-11-25"] {
        let params =
            json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        connection.send("POST", &[], &hello.to_string());
        let (status, answer) = connection.answer();
        assert_eq!((status, &answer["result"]["protocolVersion"]), (200, &json!(revision)));
        let version = [("mcp-protocol-version", revision)];
        connection.send("POST", &version, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        assert_eq!(connection.answer(), (202, Value::Null));
        connection.send("POST", &version, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
        assert_eq!(connection.answer().1["result"]["tools"][0]["name"], "count");
    }
    connection.count(1, &Value::Null);
    let (status, answer) = connection.answer();
    assert_eq!((status, &answer["result"]["content"][0]["text"]), (200, &json!("counted to 1")));
    connection.send("GET", &[], "");
    assert_eq!(connection.answer(), (405, Value::Null));
    connection.send("POST", &[("Origin", "http://evil.example.com")], "{}");
    assert_eq!(connection.answer(), (403, Value::Null));
}

#[test]
fn progress_makes_a_stream_of_events_that_ends_with_the_answer() {
    let server = Server::new();
    let mut connection = server.connect();
    for _ in 0..2 {
        connection.count(3, &json!("t"));
        let (status, headers) = connection.head();
        assert_eq!((status, &headers["content-type"]), (200, &json!("text/event-stream")));
        for step in 1..=3 {
            let params = json!({"progressToken": "t", "progress": step, "total": 3});
            assert_eq!(connection.event().expect("an event")["params"], params);
        }
        assert_eq!(connection.event().expect("an event")["result"]["content"][0]["text"], "counted to 3");
        assert_eq!(connection.event(), None);
    }
}

/// "Closing the SSE response stream MUST be treated by the server as cancellation of that request."
#[test]
fn closing_the_connection_cancels() {
    let mut server = Server::new();
    for token in [Value::Null, json!(7)] {
        let mut connection = server.connect();
        connection.count(1_000_000, &token);
        if !token.is_null() {
            connection.head();
        }
        drop(connection);
        let mut line = String::new();
        server.said.read_line(&mut line).expect("a line");
        assert!(line.starts_with("cancelled at "), "{line}");
    }
}

#[test]
fn what_is_no_http_is_refused() {
    let server = Server::new();
    for text in [
        "? HTTP\r\n\r\n",
        "POST /mcp HTTP/1.1\r\ncontent-length: x\r\n\r\n",
        "POST /mcp HTTP/1.1\r\ncontent-length: 999999999\r\n\r\n",
        "POST /mcp HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n",
    ] {
        let mut connection = server.connect();
        connection.0.get_mut().write_all(text.as_bytes()).expect("the example to read");
        assert_eq!(connection.answer(), (400, Value::Null), "{text}");
        assert_eq!(connection.line(), "", "it is closed");
    }
}
