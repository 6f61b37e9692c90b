//! The example `threads` at peers that answer out of order, call back, and break off.
#![cfg(all(feature = "serde", not(miri)))]

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::example::example;

/// Runs the example, whose connection `talk` serves.
fn run(talk: impl FnOnce(&mut BufReader<TcpStream>)) -> Output {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let process = example("threads").arg(address).stderr(Stdio::piped()).spawn().expect("the example to start");
    let (stream, _) = listener.accept().expect("a connection");
    stream.set_nodelay(true).expect("a setting");
    talk(&mut BufReader::new(stream));
    process.wait_with_output().expect("an end")
}

fn next(reader: &mut BufReader<TcpStream>) -> Value {
    let mut line = String::new();
    reader.read_line(&mut line).expect("a line");
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
}

fn send(reader: &BufReader<TcpStream>, message: &Value) {
    writeln!(reader.get_ref(), "{message}").expect("the example to read");
}

fn answer(call: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": call["id"], "result": call["params"][0].as_i64().unwrap() - call["params"][1].as_i64().unwrap()})
}

#[test]
fn threads_that_share_a_connection_each_get_their_answers() {
    let output = run(|reader| {
        for round in 0..25 {
            // each of the four threads waits for one call
            let calls: Vec<_> = (0..4).map(|_| next(reader)).collect();
            send(reader, &json!({"jsonrpc": "2.0", "id": round, "method": "ping"}));
            assert_eq!(next(reader), json!({"jsonrpc": "2.0", "id": round, "result": "pong"}));
            if round % 2 == 0 {
                calls.iter().rev().for_each(|call| send(reader, &answer(call)));
            } else {
                send(reader, &calls.iter().map(answer).collect());
            }
        }
        assert_eq!(next(reader), json!({"jsonrpc": "2.0", "method": "done", "params": [4]}));
    });
    assert_eq!(String::from_utf8_lossy(&output.stdout), "4 of 4 threads have the right answers\n");
    assert!(output.status.success());
}

#[test]
fn threads_stop_waiting_when_the_connection_ends_or_the_peer_refuses() {
    let start = std::time::Instant::now();
    let output = run(|reader| {
        let refused = next(reader);
        send(reader, &json!({"jsonrpc": "2.0", "id": refused["id"], "error": {"code": -32001, "message": "no"}}));
        // the other three
        (0..3).for_each(|_| drop(next(reader)));
    });
    assert!(!output.status.success(), "no thread has all answers: {output:?}");
    assert!(start.elapsed().as_secs() < 8, "no thread waits for its time limit");
}

/// The only answer of a call cannot be read: the call ends at once, not at its time limit.
#[test]
fn a_refused_answer_ends_its_call() {
    let start = std::time::Instant::now();
    let output = run(|reader| {
        for _ in 0..4 {
            let call = next(reader);
            send(reader, &json!({"jsonrpc": "2.0", "id": call["id"], "error": {"code": "E7", "message": "no"}}));
        }
    });
    assert!(!output.status.success(), "{output:?}");
    assert!(start.elapsed().as_secs() < 8, "a call waits for its time limit");
}
