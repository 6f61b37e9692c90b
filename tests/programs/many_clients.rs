//! The examples that serve many clients, with more clients than the system allows open files: they complain, go on, and serve the next
//! client as soon as one has disconnected.
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

/// Limits of open files, which include those of the runtime: one odd and one even, for a program that would need two for a client.
const FILES: [u32; 2] = [24, 25];
const CLIENTS: usize = 40;

/// Asserts that the example `name` answers each of too many clients with `first` as its first line.
fn goes_on(name: &str, request: &str, first: &str) {
    for files in FILES {
        let mut direct = example(name);
        direct.args(["--listen", "127.0.0.1:0"]);
        let mut limited = Command::new("sh");
        limited.args(["-c", &format!("ulimit -n {files}; exec \"$@\""), "sh"]).arg(direct.get_program());
        limited.args(direct.get_args()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut server = limited.spawn().expect("the example to start");
        let mut output = BufReader::new(server.stdout.take().expect("a pipe"));
        let mut errors = BufReader::new(server.stderr.take().expect("a pipe"));
        let (mut said, mut complaint) = (String::new(), String::new());
        output.read_line(&mut said).expect("a line");
        let address = said.trim().trim_start_matches("listening on ").trim_start_matches("http://");
        let address = address.split('/').next().expect("an address");
        let clients: Vec<_> = (0..CLIENTS).map(|_| TcpStream::connect(address).expect("the server")).collect();
        errors.read_line(&mut complaint).expect("a complaint");
        assert!(complaint.contains("cannot serve a client"), "{name}: {complaint}");
        // each client disconnects before the next one is answered
        for (n, stream) in clients.into_iter().enumerate() {
            stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
            (&stream).write_all(request.as_bytes()).expect("the server to read");
            let mut line = String::new();
            let read = BufReader::new(&stream).read_line(&mut line);
            assert!(read.is_ok() && line == first, "{name}, {files} files, client {n}: {read:?} {line}");
        }
        server.kill().expect("it to run");
        server.wait().expect("an end");
    }
}

const CALL: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[42,23],\"id\":1}\n";
const RESULT: &str = "{\"jsonrpc\":\"2.0\",\"result\":19,\"id\":1}\n";
const GET: &str = "GET /nothing HTTP/1.1\r\nhost: here\r\n\r\n";

#[test]
fn tcp_goes_on() {
    goes_on("tcp", CALL, RESULT);
}

#[test]
fn tokio_goes_on() {
    goes_on("tokio", CALL, RESULT);
}

#[test]
fn websocket_goes_on() {
    goes_on("websocket", GET, "HTTP/1.1 426 \r\n");
}

#[test]
fn http_goes_on() {
    goes_on("http", GET, "HTTP/1.1 404 Not Found\r\n");
}

#[test]
fn mcp_http_goes_on() {
    goes_on("mcp_http", GET, "HTTP/1.1 405 \r\n");
}
