//! `jrpc repl` without a terminal: a script of calls.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails so")]

mod common;

use std::io::{BufRead, BufReader, Write};

use common::{Running, answer_lines, device};

/// Runs these lines with these arguments behind the peer.
fn run(peer: &str, arguments: &[&str], lines: &[&str]) -> (Vec<String>, Vec<String>, Option<i32>) {
    let mut running = Running::start(&[&["repl", peer], arguments].concat());
    for line in lines {
        running.write(line);
    }
    running.end()
}

/// A device whose result is the text of the call, and that refuses `no`.
fn echo() -> String {
    device(|_, mut stream| {
        let reader = BufReader::new(stream.try_clone().expect("a clone"));
        for (count, line) in reader.lines().enumerate() {
            let line = line.expect("a line");
            let id = line.rsplit_once("\"id\":").map(|(_, id)| id.trim_end_matches('}').to_owned());
            let outcome = if line.contains("\"no\"") {
                r#""error":{"code":-32000,"message":"no"}"#.to_owned()
            } else {
                format!("\"result\":[{count},{line}]")
            };
            if let Some(id) = id {
                writeln!(stream, "{{\"jsonrpc\":\"2.0\",{outcome},\"id\":{id}}}").expect("written");
            }
            if line.contains("\"bye\"") {
                return;
            }
        }
    })
}

#[test]
fn lines_are_calls_and_notifications() {
    let lines =
        ["# a comment", "", "lamp.set level:=20 'reason=the evening'", "!lamp.off", "lamp.level [1]", ".quit", "never"];
    let (lines, errors, status) = run(&echo(), &[], &lines);
    assert_eq!((errors, status), (vec![], Some(0)));
    assert_eq!(
        lines,
        [
            r#"[0,{"jsonrpc":"2.0","method":"lamp.set","params":{"level":20,"reason":"the evening"},"id":1}]"#,
            r#"[2,{"jsonrpc":"2.0","method":"lamp.level","params":[1],"id":2}]"#
        ]
    );
}

#[test]
fn the_first_error_ends_a_script_unless_it_keeps_going() {
    for (line, status, told) in [
        ("no", 1, "error -32000: no"),
        ("lamp 'x", 2, "a quotation mark has no end"),
        ("lamp -", 2, "standard input has the lines"),
        (".list", 4, "it has no list of methods"),
        (".what", 2, ".what is neither"),
        ("lamp.set level:=x", 2, "level: "),
    ] {
        let (lines, errors, ended) = run(&echo(), &[], &["yes", line, "yes"]);
        assert_eq!((lines.len(), ended), (1, Some(status)), "{line}: {errors:?}");
        assert!(errors[0].contains(told), "{errors:?}");
        let (lines, errors, ended) = run(&echo(), &["--keep-going"], &["yes", line, "yes", "no"]);
        assert_eq!((lines.len(), ended), (2, Some(status)), "{line}: {errors:?}");
    }
}

#[test]
fn a_lost_connection_is_made_again_by_the_next_line() {
    let (lines, errors, status) = run(&echo(), &["--keep-going"], &["bye", "lost", "again"]);
    assert_eq!(status, Some(5), "{errors:?}");
    assert_eq!(lines.len(), 2, "{lines:?} {errors:?}");
    assert!(lines[1].starts_with("[0,") && lines[1].contains("again"), "{lines:?}");
    assert!(errors[0].contains("closed") || errors[0].contains("reset") || errors[0].contains("ipe"), "{errors:?}");
}

#[test]
fn a_script_needs_a_peer_that_is_not_standard_input() {
    let silent = device(|_, stream| answer_lines(&stream, |_| String::new()));
    let (_, errors, status) = run("-", &[], &[]);
    assert_eq!(status, Some(2), "{errors:?}");
    let (_, errors, status) = run(&silent, &["--timeout", "100ms"], &["level"]);
    assert_eq!((errors.len(), status), (1, Some(3)), "{errors:?}");
}
