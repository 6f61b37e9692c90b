//! The example `subscriptions`: its server with a client of this test, and with its own.
#![cfg(all(unix, not(miri), feature = "embedded-io-async", feature = "serde"))]

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::Child;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::example::example;

/// The server, which ends with the test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start() -> Self {
        let mut child =
            example("subscriptions").args(["--listen", "127.0.0.1:0"]).spawn().expect("the example to start");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening on ").expect("an address").to_owned();
        Self { child, address }
    }

    fn connect(&self) -> Client {
        let stream = TcpStream::connect(&self.address).expect("the server");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        Client(BufReader::new(stream))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Client(BufReader<TcpStream>);

impl Client {
    fn send(&mut self, method: &str, param: u32, id: u32) {
        let call = json!({"jsonrpc": "2.0", "method": method, "params": [param], "id": id});
        writeln!(self.0.get_ref(), "{call}").expect("the server to read");
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).expect("JSON")
    }

    /// The subscription and the value of the next message, a reading.
    fn reading(&mut self) -> (u64, u64) {
        let message = self.next();
        assert_eq!((&message["method"], message.get("id")), (&json!("reading"), None));
        let number = |name: &str| message["params"][name].as_u64().expect("a number");
        (number("subscription"), number("value"))
    }
}

#[test]
fn a_client_receives_its_readings_until_it_unsubscribes() {
    let server = Server::start();
    let mut client = server.connect();
    client.send("subscribe", 1, 7);
    assert_eq!(client.next(), json!({"jsonrpc": "2.0", "result": 1, "id": 7}), "the answer precedes the readings");
    assert_eq!((0..5).map(|_| client.reading()).collect::<Vec<_>>(), [(1, 0), (1, 1), (1, 2), (1, 3), (1, 4)]);
    client.send("unsubscribe", 1, 8);
    let answer = loop {
        let message = client.next();
        if message.get("id").is_some() {
            break message;
        }
    };
    assert_eq!(answer, json!({"jsonrpc": "2.0", "result": true, "id": 8}));
    // no reading follows: the next messages are answers
    client.send("unsubscribe", 1, 9);
    std::thread::sleep(Duration::from_millis(50));
    client.send("unsubscribe", 2, 10);
    assert_eq!((client.next()["id"].take(), client.next()["id"].take()), (json!(9), json!(10)));

    // a subscription has a number of its own, and other clients receive nothing
    let mut other = server.connect();
    other.send("subscribe", 10_000, 1);
    client.send("subscribe", 10_000, 11);
    assert_eq!((other.next()["result"].take(), client.next()["result"].take()), (json!(1), json!(2)));
    assert_eq!((other.reading(), client.reading()), ((1, 0), (2, 0)));
    for id in 2..=8 {
        other.send("subscribe", 10_000, id);
    }
    other.send("subscribe", 10_000, 9);
    let mut answers = Vec::new();
    while answers.len() < 8 {
        let message = other.next();
        answers.extend(message.get("id").map(|id| (id.as_u64(), message.get("error").is_some())));
    }
    assert_eq!(answers, (2..=9).map(|id| (Some(id), id == 9)).collect::<Vec<_>>(), "at most eight");
}

#[test]
fn a_client_that_does_not_read_delays_no_other() {
    let server = Server::start();
    let mut lazy = server.connect();
    for id in 0..8 {
        lazy.send("subscribe", 0, id);
    }
    std::thread::sleep(Duration::from_millis(200));
    let start = Instant::now();
    let output = example("subscriptions").arg(&server.address).output().expect("the example to run");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let readings: String = (0..5).map(|value| format!("reading {value} of subscription 1\n")).collect();
    assert!(said.starts_with(&readings) && said.ends_with("unsubscribed: true\n"), "{said}");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    drop(lazy);
}
