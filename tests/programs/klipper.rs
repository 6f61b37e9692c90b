//! The example `klipper` at a stand-in for a printer.
#![cfg(all(unix, feature = "embedded-io", feature = "serde", not(miri)))]

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use crate::example::example;

/// A socket that is removed at the end.
struct Socket(PathBuf);

impl Drop for Socket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The outputs and the status of the example with these arguments, at a printer that answers with these bytes and hangs up, except if it
/// is `open`; and the call.
fn called(options: &[&str], call: &[&str], answer: &[u8], is_open: bool) -> (String, String, Option<i32>, String) {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("klippy-{}-{number}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let listener = UnixListener::bind(&path).expect("a socket");
    let socket = Socket(path);
    let mut client = example("klipper");
    client.args(options).arg(&socket.0).args(call).stderr(Stdio::piped());
    let client = client.spawn().expect("the example to start");
    let (mut stream, _): (UnixStream, _) = listener.accept().expect("the client");
    stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a timeout");
    let mut sent = Vec::new();
    BufReader::new(&stream).read_until(3, &mut sent).expect("a call");
    stream.write_all(answer).expect("the client to read");
    let open = is_open.then_some(stream);
    let output = client.wait_with_output().expect("an output");
    drop(open);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr), output.status.code(), text(sent))
}

/// The id of the call, in answers.
const ID: &str = "4503599627370496";

#[test]
fn a_printer_is_called_with_messages_that_end_in_etx() {
    let answer = format!("{{\"id\": {ID}, \"result\": {{\"state\": \"ready\", \"hostname\": \"printer\"}}}}\x03");
    let (output, errors, status, sent) = called(&[], &["info"], answer.as_bytes(), true);
    assert_eq!(sent, format!("{{\"method\":\"info\",\"id\":{ID}}}\x03"));
    assert_eq!((errors.as_str(), status), ("", Some(0)));
    assert_eq!(output, "{\"state\": \"ready\", \"hostname\": \"printer\"}\n");
}

#[test]
fn the_text_of_an_error_without_a_code_is_shown() {
    let answer = format!(
        "{{\"id\": {ID}, \"error\": {{\"message\": \"Must home axis first\", \"error\": \"WebRequestError\"}}}}\x03"
    );
    let (output, errors, status, sent) =
        called(&[], &["gcode/script", r#"{"script":"G1 X10"}"#], answer.as_bytes(), true);
    assert!(sent.starts_with(r#"{"method":"gcode/script","params":{"script":"G1 X10"},"id":"#), "{sent}");
    assert_eq!((output.as_str(), errors.as_str()), ("", "klipper: refused: Must home axis first\n"));
    assert_eq!(status, Some(1));
}

#[test]
fn events_are_shown_before_and_after_the_answer() {
    let before = "{\"params\": {\"response\": \"ok B:22.8 /0.0\"}, \"key\": 345}\x03";
    let after = "{\"params\": {\"response\": \"ok T:20\"}, \"method\": \"output\"}\x03";
    let stream = format!("{before}{{\"id\": {ID}, \"result\": {{}}}}\x03{after}{before}");
    let (output, errors, status, _) =
        called(&["--follow"], &["gcode/subscribe_output", "{}"], stream.as_bytes(), false);
    let event = r#"{"params": {"response": "ok B:22.8 /0.0"}, "key": 345}"#;
    assert_eq!(errors, format!("klipper: {event}\n"));
    assert_eq!(output, format!("{{}}\noutput: {{\"response\": \"ok T:20\"}}\n{event}\n"));
    assert_eq!(status, Some(0));
}

#[test]
fn a_printer_without_an_answer_costs_no_more_than_the_time_limit() {
    let (output, errors, status, _) = called(&["--timeout", "0.5"], &["info"], b"", true);
    assert_eq!((output.as_str(), errors.as_str()), ("", "klipper: no answer within 0.5 s\n"));
    assert_eq!(status, Some(3));
    let (_, errors, status, _) = called(&[], &["info"], b"", false);
    assert_eq!((errors.as_str(), status), ("klipper: the stream ended before the answer\n", Some(3)));
    // a text that may be the answer, and is not valid JSON
    let answer = format!("{{\"id\": {ID}, \"result\": {{\"temperature\": nan}}}}\x03");
    let (_, errors, status, _) = called(&[], &["info"], answer.as_bytes(), true);
    assert_eq!((errors.as_str(), status), ("klipper: answer: invalid literal at byte 52\n", Some(3)));
}
