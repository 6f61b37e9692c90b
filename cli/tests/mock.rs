//! `jrpc mock`, called by `jrpc call` and by hand.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by a panic")]

mod common;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use common::{LAMP, LIMIT, Running, jrpc as run};
use tempfile::TempDir;

fn file(name: &str, text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("written");
    (folder, path)
}

/// A simulated lamp on TCP with these arguments.
fn lamp(arguments: &[&str]) -> (Running, String, TempDir) {
    let (folder, path) = file("lamp.openrpc.json", LAMP);
    let path = path.display().to_string();
    let mock = Running::start(&[&["mock", &path, "--listen", "tcp://127.0.0.1:0"], arguments].concat());
    let address = mock.next_address();
    (mock, address, folder)
}

fn connect(address: &str) -> TcpStream {
    let host = address.split("//").nth(1).expect("an address").split('/').next().expect("a host");
    let stream = TcpStream::connect(host).expect("connected");
    stream.set_read_timeout(Some(LIMIT)).expect("set");
    stream
}

/// What a device sends until it closes the stream, or within one line.
fn exchange(address: &str, text: &str, until_end: bool) -> String {
    let mut stream = connect(address);
    stream.write_all(text.as_bytes()).expect("sent");
    let mut answer = String::new();
    let mut reader = BufReader::new(stream);
    if until_end {
        _ = reader.read_to_string(&mut answer)
    } else {
        _ = reader.read_line(&mut answer)
    }
    answer
}

const CALL: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"lamp.set\",\"params\":{\"level\":20},\"id\":1}\n";
const ANSWER: &str = "{\"jsonrpc\":\"2.0\",\"result\":{\"before\":7},\"id\":1}\n";

#[test]
fn a_device_answers_on_every_transport() {
    let (folder, path) = file("lamp.json", LAMP);
    let (path, socket) = (path.display().to_string(), format!("unix:{}", folder.path().join("lamp.sock").display()));
    let arguments = ["mock", &path, "--listen", "tcp://127.0.0.1:0", "--listen", &socket];
    let more = ["--listen", "ws://127.0.0.1:0/rpc", "--listen", "pty:", "--listen", "http://127.0.0.1:0/rpc"];
    let mut mock = Running::start(&[&arguments[..], &more].concat());
    let mut addresses: Vec<_> = (0..5).map(|_| mock.next_address()).collect();
    let http = addresses.pop().expect("an address");
    addresses.push(format!("exec:{} mock {path} --listen -", env!("CARGO_BIN_EXE_jrpc")));
    for address in &addresses {
        for _ in 0..2 {
            let (status, output, errors) = run(&["call", address, "lamp.set", "level:=20"]);
            assert_eq!((status, output.as_str()), (0, "{\"before\":7}\n"), "{address}: {errors}");
        }
    }
    assert!(addresses.iter().zip(["tcp:", "unix:", "ws:", "serial:", "exec:"]).all(|(a, kind)| a.starts_with(kind)));
    let call = CALL.trim_end();
    let head = "Host: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\n";
    let post = format!("POST /rpc HTTP/1.1\r\n{head}Content-Length: {}\r\n\r\n{call}", call.len());
    let response = exchange(&http, &post, true);
    assert!(response.starts_with("HTTP/1.1 200") && response.ends_with(ANSWER.trim_end()), "{response}");
    for (path, address) in [("/rpc", &http), ("/rpc", &addresses[2])] {
        let page = format!("GET {path} HTTP/1.1\r\n{head}Origin: http://evil.example\r\n\r\n");
        assert!(exchange(address, &page, true).starts_with("HTTP/1.1 403"), "{address} refuses a foreign page");
    }
    mock.send_signal("TERM");
    assert!(mock.status().success());
    assert!(!folder.path().join("lamp.sock").exists());
}

#[test]
fn a_document_decides_what_is_answered() {
    let (_mock, address, _folder) = lamp(&[]);
    for (arguments, status, expected) in [
        (&["lamp.set", "level:=20"][..], 0, "{\"before\":7}"),
        (&["lamp.set", "level:=21", "reason=x"], 0, "{\"before\":0}"),
        (&["subtract", "[42,23]"], 0, "19"),
        (
            &["lamp.set", "level:=300"],
            1,
            "error -32602: Invalid params: /level: 300 is greater than the maximum of 100",
        ),
        (&["lamp.set"], 1, "error -32602: Invalid params: \"level\" is a required property"),
        (&["subtract", "{\"minuend\":1}"], 1, "error -32602: Invalid params: expected params by position"),
        (&["lamp.off"], 1, "error -32601"),
        (&["rpc.discover"], 0, "\"openrpc\":\"1.3.2\""),
    ] {
        let (found, output, errors) = run(&[&["call", &address], arguments].concat());
        assert!(found == status && (output + &errors).contains(expected), "{arguments:?}: {found} {errors}");
    }
}

#[test]
fn a_recording_answers_in_turn_and_notifies() {
    let line = |time: &str, direction: &str, text: &str| {
        format!("{{\"time\":\"2026-01-01T00:00:{time}Z\",\"direction\":\"{direction}\",\"text\":{text:?}}}\n")
    };
    let session = [
        line("00.000", "sent", r#"{"jsonrpc":"2.0","method":"level","id":7}"#),
        line("00.010", "received", r#"{"jsonrpc":"2.0","result":20,"id":7}"#),
        line("00.020", "received", r#"{"jsonrpc":"2.0","method":"changed","params":[30]}"#),
        line("00.030", "sent", r#"{"jsonrpc":"2.0","method":"level","id":8}"#),
        line("00.040", "received", r#"{"jsonrpc":"2.0","result":30,"id":8}"#),
    ];
    let (_folder, path) = file("session.jsonl", &session.concat());
    let path = path.display().to_string();
    let mut mock = Running::start(&["mock", &path, "--listen", "-", "--notifications"]);
    assert_eq!(mock.next_address(), "-");
    assert_eq!(mock.line(), r#"{"jsonrpc":"2.0","method":"changed","params":[30]}"#);
    for (id, result) in [("\"a\"", 20), ("5", 30), ("6", 20)] {
        mock.write(&format!("{{\"jsonrpc\":\"2.0\",\"method\":\"level\",\"id\":{id}}}"));
        assert_eq!(mock.line(), format!("{{\"jsonrpc\":\"2.0\",\"result\":{result},\"id\":{id}}}"));
    }
    mock.close_input();
    assert!(mock.status().success());
}

#[test]
fn each_fault_is_seen_by_a_client() {
    let call = |faults: &[&str]| {
        let (_mock, address, _folder) = lamp(faults);
        run(&["call", "--timeout", "1s", &address, "lamp.set", "level:=20"])
    };
    let (status, _, errors) = call(&["--fail", "100"]);
    assert!(status == 1 && errors.contains("error -32000: Simulated error"), "{errors}");
    assert_eq!(call(&["--drop", "100%"]).0, 3);
    let (status, output, errors) = call(&["--noise", "100"]);
    assert!(status == 0 && output == "{\"before\":7}\n" && errors.contains("skipped: I ("), "{errors}");
    assert_eq!(call(&["--cut", "100"]).0, 4, "half of an answer");
    assert_eq!(call(&["--delay", "5s"]).0, 3);

    let (_mock, address, _folder) = lamp(&["--garble", "100", "--seed", "3"]);
    let garbled = exchange(&address, CALL, false);
    let differences = garbled.bytes().zip(ANSWER.bytes()).filter(|(a, b)| a != b).count();
    assert_eq!((garbled.len(), differences), (ANSWER.len(), 1), "{garbled}");
    let (_mock, address, _folder) = lamp(&["--cut", "100"]);
    let cut = exchange(&address, CALL, true);
    assert_eq!(cut, ANSWER[..(ANSWER.len() - 1) / 2]);
}

#[test]
fn faults_are_those_of_the_transport() {
    let (_folder, path) = file("lamp.json", LAMP);
    let path = path.display().to_string();
    // a terminal that hangs up is an end or a fault, as its system has it
    for (fault, statuses) in [("--noise", &[0][..]), ("--cut", &[4, 5]), ("--drop", &[3])] {
        let listen = ["--listen", "ws://127.0.0.1:0", "--listen", "pty:", "--listen", "http://127.0.0.1:0"];
        let mock = Running::start(&[&["mock", &path, fault, "100"], &listen[..]].concat());
        for _ in 0..2 {
            let address = mock.next_address();
            let (found, _, errors) = run(&["call", "--timeout", "1s", &address, "lamp.set", "level:=20"]);
            assert!(statuses.contains(&found), "{fault}: {found} {errors}");
        }
        let post = format!(
            "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{CALL}",
            CALL.len()
        );
        let address = std::iter::repeat_with(|| mock.next_address()).find(|address| address.starts_with("http"));
        let mut stream = connect(&address.expect("an address"));
        stream.write_all(post.as_bytes()).expect("sent");
        let mut response = [0; 1024];
        match fault {
            "--drop" => {
                stream.set_read_timeout(Some(std::time::Duration::from_millis(300))).expect("set");
                assert!(stream.read(&mut response).is_err(), "no response");
            }
            _ => {
                let mut text = String::new();
                _ = stream.read_to_string(&mut text);
                assert_eq!(text.contains("wifi"), fault == "--noise", "{text}");
                assert_eq!(text.ends_with(ANSWER.trim_end()), fault == "--noise", "{text}");
            }
        }
    }
}

#[test]
fn a_seed_repeats_the_faults() {
    let outcomes = |seed: &str| {
        let (_mock, address, _folder) = lamp(&["--fail", "50", "--seed", seed]);
        let mut stream = BufReader::new(connect(&address));
        let outcomes = (0..40).map(|_| {
            stream.get_mut().write_all(CALL.as_bytes()).expect("sent");
            let mut line = String::new();
            stream.read_line(&mut line).expect("read");
            line.contains("error")
        });
        outcomes.collect::<Vec<_>>()
    };
    let first = outcomes("7");
    assert_eq!(first, outcomes("7"));
    assert_ne!(first, outcomes("8"));
    assert!(first.contains(&true) && first.contains(&false));
}

#[test]
fn a_call_ends_before_the_program_does() {
    let (folder, path) = file("lamp.json", LAMP);
    let (path, socket) = (path.display().to_string(), folder.path().join("lamp.sock"));
    let mut mock =
        Running::start(&["mock", &path, "--delay", "500ms", "--listen", &format!("unix:{}", socket.display())]);
    mock.next_address();
    let mut stream = UnixStream::connect(&socket).expect("connected");
    stream.set_read_timeout(Some(LIMIT)).expect("set");
    stream.write_all(CALL.as_bytes()).expect("sent");
    // more than the socket holds: when it is sent, the call has been read
    stream.write_all(&[b' '; 4 << 20]).expect("sent");
    mock.send_signal("TERM");
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).expect("read");
    assert_eq!(answer, ANSWER);
    assert!(mock.status().success());
}

#[test]
fn what_cannot_be_simulated_is_a_sentence_and_a_status() {
    let (_folder, path) =
        file("other.json", "{\"methods\":[{\"name\":\"m\",\"params\":[{\"name\":\"a\",\"schema\":{\"type\":5}}]}]}");
    let path = path.display().to_string();
    for (arguments, status, sentence) in [
        (&["/nowhere/lamp.json", "--listen", "-"][..], 6, "/nowhere/lamp.json: "),
        (&[&path, "--listen", "-"], 2, "the schema of \"m\": "),
        (&[&path], 2, "--listen <ADDRESS>"),
        (&[&path, "--listen", "tcp://x"], 2, "is no HOST:PORT"),
        (&[&path, "--listen", "-", "--fail", "101"], 2, "expected a number from 0 to 100"),
    ] {
        let (found, _, errors) = run(&[&["mock"], arguments].concat());
        assert!(found == status && errors.contains(sentence), "{arguments:?}: {found} {errors}");
    }
    let (_mock, address, _folder) = lamp(&[]);
    let (_folder, path) = file("lamp.json", LAMP);
    let (status, _, errors) = run(&["mock", &path.display().to_string(), "--listen", &address]);
    assert!(status == 5 && errors.contains("cannot listen on tcp://127.0.0.1:"), "{errors}");
}
