//! `jrpc bench` at devices that answer, refuse, and vanish.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails so")]

mod common;

use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, Instant};

use common::{Running, answer_lines, device};
use nanojsonrpc::{Message, RawValue};

/// The answer to a call, of which `outcome` is a member.
fn answer(line: &str, outcome: &str) -> String {
    let call: Message<'_> = Message::parse(line.as_bytes()).expect("valid");
    let Message::Request(call) = call else { panic!("{line}") };
    format!(r#"{{"jsonrpc":"2.0",{outcome},"id":{}}}"#, call.id)
}

/// A member of the object that `--json` prints.
fn number(object: RawValue<'_>, pointer: &str) -> u64 {
    object.pointer(pointer).and_then(RawValue::as_u64).unwrap_or_else(|| panic!("{pointer} of {object}"))
}

#[test]
fn a_number_of_calls_is_measured_without_the_first() {
    let device = device(|_, stream| answer_lines(&stream, |line| answer(line, r#""result":3"#)));
    let (lines, errors, status) = Running::start(&["bench", &device, "lamp.level", "--count", "400", "--json"]).end();
    assert_eq!((lines.len(), status), (1, Some(0)), "{errors:?}");
    let object = RawValue::parse(lines[0].as_bytes()).expect("valid");
    assert_eq!(number(object, "/calls"), 400);
    let ranges = object.get("histogram").expect("a histogram").elements();
    assert_eq!(ranges.map(|range| number(range, "/1")).sum::<u64>(), 380);
    let times =
        ["min", "p50", "p90", "p99", "p99.9", "max"].map(|name| number(object, &format!("/round_trips/{name}")));
    assert!(times[0] > 0 && times.is_sorted(), "{times:?}");
}

#[test]
fn errors_are_counted_by_kind_and_do_not_stop_it() {
    let device = device(|_, stream| {
        let mut count = 0;
        answer_lines(&stream, |line| {
            count += 1;
            answer(
                line,
                if count % 3 == 0 { r#""error":{"code":-32000,"message":"h\u001bot"}"# } else { r#""result":[]"# },
            )
        });
    });
    let (lines, errors, status) = Running::start(&["bench", &device, "lamp.level", "[1]", "--count", "30"]).end();
    assert_eq!(status, Some(1), "{errors:?}");
    assert!(lines[0].starts_with("30 answers in ") && lines[0].ends_with(" calls a second"), "{lines:?}");
    assert_eq!(lines[1], r"10 times error -32000: h\u{1b}ot");
    assert_eq!(lines[2], "round trips:");
    let names: Vec<_> = lines[3..9].iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["min", "p50", "p90", "p99", "p99.9", "max"]);
    assert!(lines[9..].iter().all(|line| line.starts_with("  up to ")) && lines.len() > 9, "{lines:?}");
}

#[test]
fn calls_wait_for_their_answers_at_once() {
    let device = device(|_, mut stream| {
        let reader = BufReader::new(stream.try_clone().expect("a clone"));
        let mut calls = Vec::new();
        for line in reader.lines() {
            calls.push(line.expect("a line"));
            // no answer before four calls have come
            if calls.len() == 4 {
                for call in calls.drain(..).rev() {
                    writeln!(stream, "{}", answer(&call, r#""result":null"#)).expect("written");
                }
            }
        }
    });
    let arguments = ["bench", &device, "level", "--count", "40", "--in-flight", "4", "--json", "--timeout", "20s"];
    let (lines, errors, status) = Running::start(&arguments).end();
    assert_eq!((lines.len(), status), (1, Some(0)), "{errors:?}");
    assert!(lines[0].contains(r#""calls":40"#), "{lines:?}");
}

#[test]
fn a_closed_connection_ends_it_with_the_results() {
    let device = device(|_, stream| {
        let mut lines = BufReader::new(stream.try_clone().expect("a clone")).lines();
        for _ in 0..10 {
            let line = lines.next().expect("a call").expect("a line");
            writeln!(&stream, "{}", answer(&line, r#""result":0"#)).expect("written");
        }
    });
    let (lines, errors, status) = Running::start(&["bench", &device, "level", "--for", "60s"]).end();
    assert_eq!(status, Some(5));
    assert!(lines[0].starts_with("10 answers in "), "{lines:?}");
    assert_eq!(errors.len(), 1, "{errors:?}");
}

#[test]
fn a_time_or_a_signal_ends_it_and_late_calls_are_errors() {
    let device = device(|_, stream| answer_lines(&stream, |_| String::new()));
    let begin = Instant::now();
    let (lines, _, status) = Running::start(&["bench", &device, "level", "--for", "300ms", "--timeout", "100ms"]).end();
    assert!(begin.elapsed() >= Duration::from_millis(300));
    assert_eq!(status, Some(1));
    assert!(lines[0].starts_with("0 answers in ") && lines[1].ends_with(" times no answer in time"), "{lines:?}");
    let folder = tempfile::tempdir().expect("a folder");
    let script = common::script(folder.path(), "read -r line\necho up >&2\nexec sleep 60");
    let running = Running::start(&["bench", &script, "level"]);
    assert_eq!(running.error(), "up");
    running.send_signal("INT");
    let (lines, _, status) = running.end();
    assert_eq!((lines.len(), status), (1, Some(0)), "{lines:?}");
}
