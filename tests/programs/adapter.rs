//! The example `adapter` at a hub that accepts connections and closes them.
#![cfg(all(feature = "embedded-io", feature = "serde", not(miri)))]

use std::io::Write;
use std::net::TcpListener;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::example::example;

#[test]
fn an_adapter_waits_longer_after_each_connection_without_a_message() {
    let hub = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = hub.local_addr().expect("an address").to_string();
    let mut process = example("adapter").arg(address).stderr(Stdio::null()).spawn().expect("the example to start");
    let mut since = Instant::now();
    for pause in [0, 50, 100, 200] {
        let (stream, _) = hub.accept().expect("a connection");
        let elapsed = since.elapsed();
        since = Instant::now();
        drop(stream);
        assert!(elapsed >= Duration::from_millis(pause), "{elapsed:?} instead of {pause} ms");
    }
    let (mut stream, _) = hub.accept().expect("a connection");
    let stop = r#"{"jsonrpc":"2.0","method":"stop"}"#;
    write!(stream, "Content-Length: {}\r\n\r\n{stop}", stop.len()).expect("the example to read");
    assert!(process.wait().expect("an end").success());
}
