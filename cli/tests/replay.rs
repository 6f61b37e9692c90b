//! `jrpc replay` at devices that answer as recorded, and at others.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails so")]

mod common;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use common::{Running, answer_lines, device};

/// A recording: texts that were sent, with the milliseconds of their time and the answers.
fn record(folder: &Path, texts: &[(u32, &str, &str)]) -> String {
    let line = |millis: u32, direction: &str, text: &str| {
        let text = text.replace('"', "\\\"");
        format!(
            "{{\"time\":\"2026-01-01T00:00:{:06.3}Z\",\"direction\":\"{direction}\",\"text\":\"{text}\"}}\n",
            f64::from(millis) / 1e3
        )
    };
    let lines = texts.iter().map(|(millis, sent, answer)| {
        let answer = if answer.is_empty() { String::new() } else { line(*millis, "received", answer) };
        line(*millis, "sent", sent) + &answer
    });
    let path = folder.join("session.jsonl");
    std::fs::write(&path, lines.collect::<String>()).expect("written");
    path.to_str().expect("UTF-8").to_owned()
}

const LEVEL: &str = r#"{"jsonrpc":"2.0","method":"lamp.level","id":1}"#;
const SET: &str = r#"{"jsonrpc":"2.0","method":"lamp.set","params":[9],"id":"a"}"#;
const OFF: &str = r#"{"jsonrpc":"2.0","method":"lamp.off"}"#;
const AT_3: &str = r#"{"jsonrpc":"2.0","result":{"level":3,"time":1},"id":1}"#;
const REFUSED: &str = r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"hot"},"id":"a"}"#;

/// A lamp at this level that refuses to be set; its members have another order and another time.
fn lamp(level: u8) -> String {
    device(move |_, stream| {
        answer_lines(&stream, |line| match line {
            LEVEL => format!(r#"{{"id":1, "result":{{"time":2, "level":{level}.0}},"jsonrpc":"2.0"}}"#),
            SET => REFUSED.replace("hot", "h\\u006ft"),
            _ => String::new(),
        });
    })
}

#[test]
fn the_same_answers_end_it_with_0_and_others_are_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = record(folder.path(), &[(0, LEVEL, AT_3), (1, OFF, ""), (2, SET, REFUSED), (3, LEVEL, AT_3)]);
    let (lines, errors, status) =
        Running::start(&["replay", &file, &lamp(3), "--now", "--ignore", "/result/time"]).end();
    assert_eq!((lines, status), (vec![], Some(0)), "{errors:?}");
    assert_eq!(errors, ["3 answers are the same, 0 differ"]);
    let (lines, errors, status) = Running::start(&["replay", &file, &lamp(4), "--ignore", "/result/time"]).end();
    let received = r#"  received: {"id":1, "result":{"time":2, "level":4.0},"jsonrpc":"2.0"}"#;
    let recorded = format!("  recorded: {AT_3}");
    let difference = ["lamp.level, id 1: /result/level differs", &recorded, received];
    assert_eq!(lines, [difference, difference].concat(), "{errors:?}");
    assert_eq!(status, Some(1));
    assert_eq!(errors, ["1 answers are the same, 2 differ"]);
}

#[test]
fn missing_and_unreadable_answers_are_differences() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = record(folder.path(), &[(0, LEVEL, AT_3), (1, SET, REFUSED)]);
    let device = device(|_, stream| {
        answer_lines(&stream, |line| {
            if line == SET { r#"{"jsonrpc":"2.0","result":1,"error":2,"id":"a"}"#.to_owned() } else { String::new() }
        });
    });
    let (lines, errors, status) = Running::start(&["replay", &file, &device, "--timeout", "300ms"]).end();
    assert_eq!((lines.len(), status), (5, Some(1)), "{lines:?} {errors:?}");
    assert_eq!(lines[0], "lamp.level, id 1: no answer in time");
    assert!(lines[2].starts_with("lamp.set, id \"a\": ") && lines[4].starts_with("  received: {"), "{lines:?}");
}

#[test]
fn pauses_are_those_of_the_recording_divided_by_the_speed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = record(folder.path(), &[(0, LEVEL, AT_3), (2000, SET, REFUSED)]);
    for (arguments, least) in [(&["--speed", "4"][..], 500), (&["--now"], 0), (&["--speed", "2"], 1000), (&[], 2000)] {
        let begin = Instant::now();
        let lamp = lamp(3);
        let arguments = [&["replay", &file, &lamp, "--ignore", "/result/time"], arguments].concat();
        let (lines, errors, status) = Running::start(&arguments).end();
        let elapsed = begin.elapsed();
        assert_eq!((lines, status), (vec![], Some(0)), "{errors:?}");
        assert!(elapsed >= Duration::from_millis(least), "{elapsed:?} {arguments:?}");
    }
}

#[test]
fn with_now_a_text_waits_for_the_answers_of_the_one_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = record(folder.path(), &[(0, LEVEL, AT_3), (0, SET, REFUSED)]);
    let device = device(|_, mut stream| {
        let mut reader = BufReader::new(stream.try_clone().expect("a clone"));
        let mut line = String::new();
        reader.read_line(&mut line).expect("a line");
        // nothing else has come, and nothing comes before the answer
        stream.set_read_timeout(Some(Duration::from_millis(300))).expect("a timeout");
        let is_early = reader.read_line(&mut line).is_ok();
        writeln!(stream, "{}", if is_early { "early" } else { AT_3 }).expect("written");
        stream.set_read_timeout(None).expect("no timeout");
        reader.read_line(&mut line).expect("a line");
        writeln!(stream, "{REFUSED}").expect("written");
    });
    let (lines, errors, status) = Running::start(&["replay", &file, &device, "--now", "--timeout", "5s"]).end();
    assert_eq!((lines, status), (vec![], Some(0)), "{errors:?}");
}

#[test]
fn faults_have_their_status() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = record(folder.path(), &[(0, LEVEL, AT_3)]);
    let closing = device(|_, stream| _ = BufReader::new(stream).read_line(&mut String::new()).expect("a line"));
    let received = folder.path().join("received.jsonl");
    std::fs::write(&received, AT_3).expect("written");
    let received = received.to_str().expect("UTF-8");
    for (arguments, status, reason) in [
        (&[&file[..], &closing][..], 5, "closed"),
        (&["/nowhere/x.jsonl", &closing], 6, "/nowhere/x.jsonl"),
        (&[received, &closing], 2, "no text was sent"),
        (&[&file, &closing, "--speed", "0"], 2, "between 0.001"),
        (&[&file, &closing, "--ignore", "result"], 2, "begins with /"),
    ] {
        let (_, errors, ended) = Running::start(&[&["replay"], arguments].concat()).end();
        assert_eq!(ended, Some(status), "{errors:?}");
        assert!(errors.iter().any(|line| line.contains(reason)), "{errors:?}");
    }
}
