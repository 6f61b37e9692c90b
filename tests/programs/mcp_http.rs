//! The example `mcp_http` as clients talk to it: several requests on a connection, a stream of events, and one that is closed.
#![cfg(all(feature = "mcp", not(miri)))]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout};
use std::time::Duration;

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
        let stream = TcpStream::connect(&self.address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        Connection(BufReader::new(stream))
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
        if method == "POST" {
            text += "content-type: application/json\r\n";
        }
        headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\r\n"));
        self.0.get_mut().write_all((text + "\r\n" + body).as_bytes()).expect("the example to read");
    }

    /// A call of `count`, in 2026-07-28.
    fn count(&mut self, steps: u32, token: &Value) {
        self.count_with(steps, token, &[]);
    }

    fn count_with(&mut self, steps: u32, token: &Value, more: &[(&str, &str)]) {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientCapabilities": {}, "progressToken": token});
        let params = json!({"name": "count", "arguments": {"steps": steps}, "_meta": meta});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let headers =
            [("MCP-Protocol-Version", STATELESS), ("Mcp-Method", "tools/call"), ("Mcp-Name", "=?base64?Y291bnQ=?=")];
        self.send("POST", &[&headers, more].concat(), &body.to_string());
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
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
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
        connection.count(100, &token);
        if !token.is_null() {
            connection.head();
        }
        drop(connection);
        let mut line = String::new();
        server.said.read_line(&mut line).expect("a line");
        assert!(line.starts_with("cancelled at "), "{line}");
    }
}

const HEAD: &str = "POST /mcp HTTP/1.1\r\nhost: here\r\ncontent-type: application/json\r\n";
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
/// The headers of `PING`, which has 40 bytes.
const REST: &str = "mcp-protocol-version: 2025-11-25\r\ncontent-length: 40\r\n";

#[test]
fn a_refused_head_closes_the_connection() {
    let server = Server::new();
    // the second length hides this request from one of two readers
    let smuggled = format!("{HEAD}{REST}\r\n{PING}");
    let two = format!("{HEAD}content-length: 0\r\ncontent-length: {}\r\n\r\n{smuggled}", smuggled.len());
    for (text, status) in [
        ("? HTTP\r\n\r\n", 400),
        (&two, 400),
        (&format!("{HEAD}content-length: +40\r\n\r\n{PING}"), 400),
        (&format!("{HEAD}content-length: x\r\n\r\n"), 400),
        (&format!("{HEAD}content-length: 40\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"), 400),
        (&format!("{HEAD}host: there\r\n{REST}\r\n{PING}"), 400),
        (&format!("POST /mcp HTTP/1.1\r\ncontent-type: application/json\r\n{REST}\r\n{PING}"), 400),
        // a bare line feed ends this head
        (&format!("GET /mcp HTTP/1.1\nhost: here\n\n{smuggled}"), 400),
        (&format!("{HEAD}content-length: 999999999\r\n\r\n"), 413),
        (&format!("{HEAD}transfer-encoding: chunked\r\n\r\n28\n{PING}\n0\n\n"), 400),
        (&format!("{HEAD}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n"), 501),
        (&format!("{}transfer-encoding: chunked\r\n\r\n0\r\n\r\n", HEAD.replace("1.1", "1.0")), 400),
        (&format!("{HEAD}\r\n"), 411),
        (&format!("DELETE /mcp HTTP/1.1\r\nhost: here\r\ncontent-length: 40\r\n\r\n{PING}"), 405),
    ] {
        let mut connection = server.connect();
        connection.0.get_mut().write_all(text.as_bytes()).expect("the example to read");
        assert_eq!(connection.answer(), (status, Value::Null), "{text}");
        assert_eq!(connection.line(), "", "it is closed: {text}");
    }
}

/// The next request begins behind the last chunk.
#[test]
fn a_body_in_chunks_is_read_and_one_that_is_too_long_refused() {
    let server = Server::new();
    let mut connection = server.connect();
    let chunked = format!("{HEAD}mcp-protocol-version: 2025-11-25\r\ntransfer-encoding: chunked\r\n\r\n");
    let ping = format!("{chunked}1\r\n{{\r\n27;a=b\r\n{}\r\n0\r\nX: y\r\n\r\n", &PING[1..]);
    connection.0.get_mut().write_all(ping.repeat(2).as_bytes()).expect("the example to read");
    for _ in 0..2 {
        assert_eq!(connection.answer().0, 200);
    }
    for byte in ping.bytes() {
        connection.0.get_mut().write_all(&[byte]).expect("the example to read");
    }
    assert_eq!(connection.answer().0, 200);
    let long = format!("{chunked}40001\r\n{}", " ".repeat(0x40001));
    connection.0.get_mut().write_all(long.as_bytes()).expect("the example to read");
    assert_eq!(connection.answer(), (413, Value::Null));
    assert_eq!(connection.line(), "");
}

#[test]
fn a_client_that_waits_for_100_receives_it_before_the_body() {
    let server = Server::new();
    let mut connection = server.connect();
    let text = format!("{HEAD}{REST}expect: 100-continue\r\n\r\n");
    connection.0.get_mut().write_all(text.as_bytes()).expect("the example to read");
    assert_eq!((connection.line(), connection.line()), ("HTTP/1.1 100 Continue".into(), String::new()));
    connection.0.get_mut().write_all(PING.as_bytes()).expect("the example to read");
    assert_eq!(connection.answer().0, 200);
}

#[test]
fn a_connection_closes_after_the_response_if_the_client_asks_for_it() {
    let server = Server::new();
    let old = HEAD.replace("1.1", "1.0");
    for (head, headers) in [
        (HEAD, "Connection: Close\r\n"),
        (HEAD, "connection: keep-alive, close\r\n"),
        // HTTP/1.0 has no interim responses
        (&old, "expect: 100-continue\r\n"),
    ] {
        let mut connection = server.connect();
        let text = format!("{head}{REST}{headers}\r\n{PING}");
        connection.0.get_mut().write_all(text.repeat(2).as_bytes()).expect("the example to read");
        let (status, headers) = connection.head();
        assert_eq!((status, &headers["connection"]), (200, &json!("close")), "{text}");
        let mut rest = String::new();
        connection.0.read_to_string(&mut rest).expect("the end");
        assert_eq!(rest.matches("jsonrpc").count(), 1, "{rest}");
    }
    // such a stream has no chunks, which HTTP/1.0 does not know
    let mut connection = server.connect();
    connection.count_with(1, &json!("t"), &[("connection", "close")]);
    let (status, headers) = connection.head();
    assert_eq!((status, &headers["connection"], &headers["transfer-encoding"]), (200, &json!("close"), &Value::Null));
    let mut rest = String::new();
    connection.0.read_to_string(&mut rest).expect("the end");
    assert!(rest.starts_with("data: ") && rest.ends_with("\n\n"), "{rest}");
}
