//! The example `tokio` as a user runs it: many clients over TCP, some of which break off, and a shutdown.
// A test that fails should say so loudly.
#![cfg(all(unix, not(miri), feature = "embedded-io-async", feature = "serde"))]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command};
use std::time::Duration;

use crate::example::example;

/// The server, which ends with the test.
struct Server {
    child: Child,
    address: String,
    output: BufReader<std::process::ChildStdout>,
}

impl Server {
    fn start() -> Self {
        let mut child = example("tokio").args(["--listen", "127.0.0.1:0"]).spawn().expect("the example to start");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        output.read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening on ").expect("an address").to_owned();
        Self { child, address, output }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("the server");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        stream
    }

    /// Sends what Ctrl-C sends.
    fn interrupt(&self) {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().expect("a signal");
        assert!(sent.success());
    }

    fn expect_stopped(&mut self) {
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("the end");
        assert_eq!(rest, "stopped\n");
        assert!(self.child.wait().expect("an end").success());
    }

    /// A hundred calls in flight. Returns the number of right answers.
    fn call(&self) -> usize {
        let stream = self.connect();
        let calls = (0..100).map(|id| CALL.replace("\"id\":1", &format!("\"id\":{id}")));
        (&stream).write_all(calls.collect::<String>().as_bytes()).expect("the server to read");
        let answers = BufReader::new(&stream).lines().take(100).map(|line| line.expect("a line"));
        let is_right =
            |(id, line): (usize, String)| line == format!("{{\"jsonrpc\":\"2.0\",\"result\":19,\"id\":{id}}}");
        answers.enumerate().map(is_right).filter(|is_right| *is_right).count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const CALL: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[42,23],\"id\":1}\n";
const ANSWER: &str = "{\"jsonrpc\":\"2.0\",\"result\":19,\"id\":1}\n";

fn line(stream: &TcpStream) -> String {
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).expect("a line");
    line
}

#[test]
fn a_hundred_calls_in_flight_are_answered_while_others_break_off() {
    let server = Server::start();
    // each breaks off at another byte of its call, or without reading the answer
    for len in 0..=CALL.len() {
        server.connect().write_all(CALL.as_bytes().get(..len).expect("a part")).expect("the server to read");
    }
    let waiting = server.connect();
    let calls: Vec<_> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..4).map(|_| scope.spawn(|| server.call())).collect();
        calls.into_iter().map(|call| call.join().expect("an end")).collect()
    });
    assert_eq!(calls, [100; 4]);
    // one that came before them is still served
    (&waiting).write_all(CALL.as_bytes()).expect("the server to read");
    assert_eq!(line(&waiting), ANSWER);
}

#[test]
fn a_handler_that_takes_too_long_is_answered_with_an_error() {
    let server = Server::start();
    let stream = server.connect();
    (&stream)
        .write_all(CALL.replace("subtract", "slow").replace("42,23", "20000").as_bytes())
        .expect("the server to read");
    assert_eq!(line(&stream), "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":\"too slow\"},\"id\":1}\n");
}

#[test]
fn a_call_that_is_being_answered_is_answered_before_the_server_ends() {
    let mut server = Server::start();
    let stream = server.connect();
    (&stream)
        .write_all(CALL.replace("subtract", "slow").replace("42,23", "500").as_bytes())
        .expect("the server to read");
    std::thread::sleep(Duration::from_millis(100));
    server.interrupt();
    assert_eq!(line(&stream), "{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":1}\n");
    server.expect_stopped();
    assert_eq!((&stream).read(&mut [0; 1]).expect("the end"), 0);
}

#[test]
fn a_client_that_reads_no_answer_does_not_keep_the_server_from_ending() {
    let mut server = Server::start();
    let stream = server.connect();
    stream.set_write_timeout(Some(Duration::from_secs(1))).expect("a timeout");
    // until the server is blocked: its answers fill the buffers of the client, then the calls those of the server
    let calls = CALL.replace("\"id\":1", &format!("\"id\":\"{}\"", "i".repeat(300))).repeat(100);
    while (&stream).write_all(calls.as_bytes()).is_ok() {}
    server.interrupt();
    server.expect_stopped();
    drop(stream);
}
