//! `jrpc explain` as a user runs it.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// The output of `jrpc explain` and its status.
fn explain(arguments: &[&str], input: &[u8]) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jrpc"));
    command.arg("explain").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program to start");
    let (mut stdin, input) = (child.stdin.take().expect("a pipe"), input.to_vec());
    // a program that has read enough may end before all is written
    let writer = std::thread::spawn(move || _ = stdin.write_all(&input));
    let output = child.wait_with_output().expect("the program to end");
    writer.join().expect("written");
    let text = String::from_utf8(output.stdout).expect("UTF-8") + &String::from_utf8(output.stderr).expect("UTF-8");
    (text, output.status.code().expect("no panic and no signal"))
}

/// Asserts that the output has all these parts.
#[track_caller]
fn has((text, status): (String, i32), expected: i32, parts: &[&str]) {
    assert_eq!(status, expected, "{text}");
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

#[test]
fn a_valid_message_is_told_with_its_parts_and_its_answer() {
    has(
        explain(&[r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":"a"}"#], b""),
        0,
        &[
            "request\n",
            "method: subtract\n",
            "params: [42,23]\n",
            r#"id: "a""#,
            r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":"a"}"#,
        ],
    );
    has(
        explain(&[r#"{"jsonrpc":"2.0","method":"on"}"#], b""),
        0,
        &["notification\n", "params: none\n  a server does not answer"],
    );
    has(
        explain(&[r#"{"jsonrpc":"2.0","result":[1],"id":"7"}"#], b""),
        0,
        &["success\n", "payload: [1]\n", "ends its call \"7\" with it; a lenient one also its call 7"],
    );
    has(
        explain(&[r#"{"jsonrpc":"2.0","error":{"code":1,"message":"no"},"id":null}"#], b""),
        0,
        &["error\n", "ends its call with it if only one is in flight"],
    );
}

#[test]
fn a_refused_text_is_told_with_its_byte_its_rule_and_its_answer() {
    has(
        explain(&[r#"{"jsonrpc":"2.0","method":"x","params":7,"id":1}"#], b""),
        1,
        &[
            "refused: invalid params at byte 39",
            "\n                                       ^ byte 39 of 48",
            "(JSON-RPC 2.0 §4.2)",
            r#"a server answers: {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":1}"#,
            "with --dialect lenient it is valid: request",
        ],
    );
    has(
        explain(&[r#"{"jsonrpc":"2.0","result":1,"error":2,"id":1}"#], b""),
        1,
        &["does not answer: an answer could end a call of the peer", "a client ends its call 1 with an error"],
    );
    has(
        explain(&[r#"{"jsonrpc":"2.0","method":"x","params":7}"#], b""),
        1,
        &["does not answer: it is a notification", "with --dialect lenient it is valid: notification"],
    );
    has(explain(&["[01]"], b""), 1, &["invalid number at byte 2", "RFC 8259 §6", "-32700", r#""id":null"#]);
}

#[test]
fn a_dialect_has_its_own_rules_and_another_one_is_named() {
    let null = r#"{"jsonrpc":"2.0","method":"ping","id":null}"#;
    has(explain(&[null], b""), 0, &["request", "discouraged"]);
    has(explain(&[null, "--dialect", "mcp"], b""), 1, &["invalid id", "with --dialect strict it is valid: request"]);
    has(explain(&["[1]", "--mcp"], b""), 1, &["batch not allowed", "with --dialect strict it is valid: batch"]);
    has(explain(&[r#"{"method":"on"}"#, "--dialect", "lenient"], b""), 0, &["notification"]);
}

#[test]
fn each_element_of_a_batch_is_told() {
    let batch = r#"[{"jsonrpc":"2.0","method":"on"},1,[],{"jsonrpc":"2.0","result":1,"id":4}]"#;
    let parts = ["batch:", "element 1\nnotification", "element 2\nrefused: not an object or array at byte 33"];
    has(explain(&[batch], b""), 1, &parts);
    has(explain(&[batch], b""), 1, &["element 3\nrefused: ", "element 4\nsuccess"]);
    let long = format!("[{}]", ["{\"jsonrpc\":\"2.0\",\"method\":\"on\"}"; 101].join(","));
    has(explain(&["-"], long.as_bytes()), 0, &["element 100\n", "… 101 elements, 0 refused"]);
}

#[test]
fn a_file_has_one_text_or_one_in_each_line_or_frame() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("texts");
    let argument = format!("@{}", path.display());
    let message = r#"{"jsonrpc":"2.0","method":"on"}"#;
    std::fs::write(&path, format!("{message}\r\n\nboot\n{message}\n")).expect("written");
    let parts = ["message 1\nnotification", "message 2\nrefused: expected a value", "message 3\nnotification"];
    has(explain(&[&argument], b""), 1, &parts);
    std::fs::write(&path, message.replace(',', ",\n")).expect("written");
    let (text, status) = explain(&[&argument], b"");
    assert!(status == 0 && text.starts_with("notification"), "{text}");
    for (frame, end) in [("etx", "\x03"), ("bytes:3c3e", "<>"), ("nul", "\0"), ("values", ""), ("cr", "\r")] {
        let texts = format!("{message}{end}{message}{end}");
        has(explain(&["--frame", frame], texts.as_bytes()), 0, &["message 1\nnotification", "message 2\nnotification"]);
    }
    let framed = format!("Content-Length: {}\r\n\r\n{message}Content-Length: x\r\n\r\n", message.len());
    has(
        explain(&["--frame", "content-length"], framed.as_bytes()),
        1,
        &["message 1\nnotification", "invalid Content-Length"],
    );
    has(explain(&["@/nowhere/text"], b""), 6, &["/nowhere/text"]);
}

#[test]
fn bytes_that_are_no_text_are_refused_without_a_panic_and_never_reach_the_terminal() {
    for (input, part) in [
        (&b""[..], "unexpected end at byte 0"),
        (b"\xff\xfe", "expected a value at byte 0"),
        (b"\"a\xff\"", "invalid UTF-8 at byte 2"),
        (b"{\"a\":\"\x1b[31m\"}", "control character in a string at byte 6"),
        (b"\xef\xbb\xbf{}", "at byte 0"),
    ] {
        let (text, status) = explain(&[], input);
        assert!(status == 1 && text.contains(part) && !text.contains('\x1b'), "{input:?}: {text}");
    }
    // a batch is read once, not once for each of its elements
    let batch = format!("[{}1]", "1,".repeat(1 << 20));
    has(explain(&[], batch.as_bytes()), 1, &["… 1048577 elements, 1048577 refused"]);
    let deep = vec![b'['; 16 << 20];
    has(explain(&[], &deep), 1, &["nested too deeply at byte 63", "RFC 8259 §9"]);
    let long = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{}\",\"id\":1}}", "x".repeat(16 << 20));
    let (text, status) = explain(&["-"], long.as_bytes());
    assert!(status == 0 && text.len() < 2000, "{}", text.len());
}
