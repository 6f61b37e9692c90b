//! The example `client` ends at its deadline, although signals interrupt its reads and its writes.
//!
//! Linux interrupts a read or write of a socket with a timeout if the process is stopped and continued, even without a handler (signal(7)).
#![cfg(all(target_os = "linux", not(miri), feature = "embedded-io"))]

use std::io::{BufWriter, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::example::example;

/// The deadline of the client.
const DEADLINE: Duration = Duration::from_secs(1);
/// The limit of the test, much later than the deadline.
const LATE: Duration = Duration::from_secs(8);

/// Starts the client, and returns it with its connection.
fn start() -> (Child, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let seconds = DEADLINE.as_secs().to_string();
    let mut client = example("client");
    client.args(["--timeout", &seconds, &address, "wait"]).stderr(Stdio::piped());
    let client = client.spawn().expect("the example to start");
    (client, listener.accept().expect("the client").0)
}

/// Stops and continues the client until it ends; asserts that it ends soon.
fn interrupt(mut client: Child) {
    let begin = Instant::now();
    let id = client.id().to_string();
    while client.try_wait().expect("a process").is_none() {
        if begin.elapsed() > LATE {
            let _ = client.kill();
            panic!("the client is still running after {LATE:?}");
        }
        thread::sleep(DEADLINE / 10);
        for signal in ["-STOP", "-CONT"] {
            let _ = Command::new("kill").args([signal, &id]).stderr(Stdio::null()).status();
        }
    }
    let output = client.wait_with_output().expect("an output");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "client: no answer within 1 s\n");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_read_that_signals_interrupt_ends_at_its_deadline() {
    let (client, stream) = start();
    interrupt(client);
    drop(stream);
}

/// The server sends requests and reads no answer, so that the client has to wait while it writes.
#[test]
fn a_write_that_signals_interrupt_ends_at_its_deadline() {
    let (client, mut stream) = start();
    let mut call = [0; 64];
    assert!(stream.read(&mut call).expect("a call") > 0);
    stream.set_write_timeout(Some(LATE)).expect("a timeout");
    let flood = thread::spawn(move || {
        let mut stream = BufWriter::new(stream);
        // ends when the client is gone
        while stream.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1}\n").is_ok() {}
    });
    interrupt(client);
    flood.join().expect("the server");
}
