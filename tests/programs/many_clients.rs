//! The examples that serve many clients, with more clients than the system allows open files: they complain, go on, and serve the next
//! client when others have disconnected.
#![cfg(all(
    target_os = "linux",
    not(miri),
    feature = "embedded-io-async",
    feature = "mcp",
    feature = "serde",
    feature = "websocket"
))]

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::example::example;

/// The maximum number of open files, which includes those of the runtime.
const FILES: &str = "ulimit -n 24; exec \"$@\"";
const CLIENTS: usize = 40;

/// The first line of the answer of the example `name` to `request`, after too many clients.
fn answer(name: &str, arguments: &[&str], request: &str) -> String {
    let mut direct = example(name);
    direct.args(arguments);
    let mut limited = Command::new("sh");
    limited.args(["-c", FILES, "sh"]).arg(direct.get_program()).args(direct.get_args());
    let mut server = limited.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the example to start");
    let mut output = BufReader::new(server.stdout.take().expect("a pipe"));
    let mut errors = BufReader::new(server.stderr.take().expect("a pipe"));
    let (mut said, mut complaint) = (String::new(), String::new());
    output.read_line(&mut said).expect("a line");
    let address = said.trim().trim_start_matches("listening on ").trim_start_matches("http://");
    let address = address.split('/').next().expect("an address");
    let connect = || TcpStream::connect(address).expect("the server");
    let clients: Vec<_> = (0..CLIENTS).map(|_| connect()).collect();
    errors.read_line(&mut complaint).expect("a complaint");
    assert!(complaint.contains("cannot serve a client"), "{name}: {complaint}");
    drop(clients);
    let stream = connect();
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    (&stream).write_all(request.as_bytes()).expect("the server to read");
    let mut line = String::new();
    BufReader::new(&stream).read_line(&mut line).expect("a line");
    server.kill().expect("it to run");
    server.wait().expect("an end");
    line
}

const CALL: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[42,23],\"id\":1}\n";
const RESULT: &str = "{\"jsonrpc\":\"2.0\",\"result\":19,\"id\":1}\n";
const GET: &str = "GET /nothing HTTP/1.1\r\nhost: here\r\n\r\n";

#[test]
fn tcp_goes_on() {
    assert_eq!(answer("tcp", &["--listen", "127.0.0.1:0"], CALL), RESULT);
}

#[test]
fn tokio_goes_on() {
    assert_eq!(answer("tokio", &["127.0.0.1:0"], CALL), RESULT);
}

#[test]
fn websocket_goes_on() {
    assert_eq!(answer("websocket", &["--listen", "127.0.0.1:0"], GET), "HTTP/1.1 426 \r\n");
}

#[test]
fn http_goes_on() {
    assert_eq!(answer("http", &["127.0.0.1:0"], GET), "HTTP/1.1 404 Not Found\r\n");
}

#[test]
fn mcp_http_goes_on() {
    assert_eq!(answer("mcp_http", &["127.0.0.1:0"], GET), "HTTP/1.1 405 \r\n");
}
