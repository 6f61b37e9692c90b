//! The example `http` before and after a restart, and the end of its connections.
#![cfg(all(feature = "http", feature = "serde", not(miri)))]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::time::Duration;

use crate::example::example;

/// The example, which ends with the test.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        self.0.kill().expect("it to run");
        self.0.wait().expect("an end");
    }
}

/// The example and its address.
fn start() -> (Program, String) {
    let mut process = example("http").spawn().expect("the example to start");
    let mut line = String::new();
    BufReader::new(process.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    (Program(process), line.trim().trim_start_matches("listening on http://").trim_end_matches("/rpc").to_owned())
}

/// The lines of the first event that a client receives which has received `last`, after somebody has said `words`.
fn event_behind(last: &str, words: &str) -> Vec<String> {
    let (_program, address) = start();
    let send = |request: &str| {
        let mut stream = TcpStream::connect(&address).expect("the server");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        stream.write_all(request.as_bytes()).expect("the server to read");
        BufReader::new(stream).lines().map(|line| line.expect("a line"))
    };
    let body = format!(r#"{{"jsonrpc":"2.0","method":"say","params":["{words}"]}}"#);
    let head = format!("content-type: application/json\r\ncontent-length: {}", body.len());
    let status = send(&format!("POST /rpc HTTP/1.1\r\nhost: here\r\n{head}\r\n\r\n{body}")).next();
    assert_eq!(status.as_deref(), Some("HTTP/1.1 204 No Content"));
    let events = send(&format!("GET /rpc HTTP/1.1\r\nhost: here\r\nlast-event-id: {last}\r\n\r\n"));
    // comments keep the stream open
    events.take(100).skip_while(|line| !line.starts_with("id: ")).take(2).collect()
}

#[test]
fn a_client_of_http_misses_no_event_after_a_restart() {
    let event = event_behind("", "before");
    assert!(event.concat().contains("before"), "{event:?}");
    let last = event[0].strip_prefix("id: ").expect("an id");
    let event = event_behind(last, "after");
    assert!(event.concat().contains("after"), "{event:?}");
}

#[test]
fn a_connection_of_http_closes_after_the_response_if_the_client_asks_for_it() {
    let (_program, address) = start();
    let call = r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
    for (version, headers, status, count) in [
        ("1.1", "host: here\r\n", "200 OK", 2),
        ("1.1", "host: here\r\nConnection: Close\r\n", "200 OK", 1),
        ("1.1", "host: here\r\nconnection: keep-alive, close\r\n", "200 OK", 1),
        // HTTP/1.0 has no interim responses
        ("1.0", "expect: 100-continue\r\n", "200 OK", 1),
        // "A server MUST respond with a 400 (Bad Request) status code to any HTTP/1.1 request message that lacks a Host header field"
        // (RFC 9112, section 3.2)
        ("1.1", "", "400 Bad Request", 1),
        ("1.1", "host: here\r\nhost: here\r\n", "400 Bad Request", 1),
    ] {
        let head =
            format!("POST /rpc HTTP/{version}\r\ncontent-type: application/json\r\ncontent-length: {}", call.len());
        let request = format!("{head}\r\n{headers}\r\n{call}");
        let mut stream = TcpStream::connect(&address).expect("the server");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        stream.write_all(request.repeat(2).as_bytes()).expect("the server to read");
        if count == 2 {
            stream.shutdown(std::net::Shutdown::Write).expect("an open stream");
        }
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("the end");
        assert!(text.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{request}: {text}");
        assert_eq!(text.matches("HTTP/1.1 ").count(), count, "{request}: {text}");
        assert_eq!(text.matches("connection: close\r\n").count(), 2 - count, "{request}: {text}");
    }
}

/// The next request begins behind the last chunk.
#[test]
fn a_body_of_http_in_chunks_is_read_and_another_refused() {
    let (_program, address) = start();
    let head =
        "POST /rpc HTTP/1.1\r\nhost: here\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let call =
        "1\r\n{\r\n3C;a=b\r\n\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[42,23],\"id\":1}\r\n0\r\n\r\n";
    for (body, status) in [("1\n{", 400), (&*format!("10001\r\n{}", " ".repeat(0x10001)), 413)] {
        let mut stream = TcpStream::connect(&address).expect("the server");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        stream.write_all([head, call, head, call, head, body].concat().as_bytes()).expect("the server to read");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("the end");
        let answers: Vec<&str> = text.split("HTTP/1.1 ").skip(1).collect();
        assert!(answers.len() == 3 && answers[2].starts_with(&status.to_string()), "{text}");
        assert!(
            answers[..2].iter().all(|answer| answer.ends_with(r#"{"jsonrpc":"2.0","result":19,"id":1}"#)),
            "{text}"
        );
    }
}

/// A client has received the head of a stream before another one says something. On a machine with other work, the server may pause
/// between the head and its next step.
#[test]
fn a_client_of_http_misses_no_event_after_the_head() {
    let (_program, address) = start();
    let connect = || {
        let stream = TcpStream::connect(&address).expect("the server");
        stream.set_nodelay(true).expect("a setting");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        stream
    };
    std::thread::scope(|scope| {
        for name in 0..8 {
            scope.spawn(move || {
                let mut speaker = connect();
                for round in 0..12 {
                    let words = format!("{name}.{round}.");
                    let body = format!(r#"{{"jsonrpc":"2.0","method":"say","params":["{words}"]}}"#);
                    let length = body.len();
                    let post = format!(
                        "POST /rpc HTTP/1.1\r\nhost: here\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
                    );
                    let mut stream = connect();
                    stream.write_all(b"GET /rpc HTTP/1.1\r\nhost: here\r\nsec-fetch-site: none\r\n\r\n").expect("the server to read");
                    let mut lines = BufReader::new(stream).lines().map(|line| line.expect("a line"));
                    assert!(lines.any(|line| line.is_empty()), "a head");
                    speaker.write_all(post.as_bytes()).expect("the server to read");
                    // two lines of a comment each 100 ms keep the stream open
                    assert!(lines.take(200).any(|line| line.contains(&words)), "{words}");
                }
            });
        }
    });
}
