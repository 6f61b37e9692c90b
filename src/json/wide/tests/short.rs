//! Messages that are read at once, and those that are not.

use super::super::block::Halves;
use super::super::compact::object;
use super::super::flat::Flat;
use super::super::{Names, Noted};
use super::std::format;
use super::std::string::String;
use super::std::vec::Vec;
use super::{NAMES, PLACES, SLOTS, TEXTS, assert_twins_agree, usual_objects};

/// Whether `text` is read at once.
fn is_read(text: &str) -> bool {
    assert_twins_agree(text.as_bytes());
    object(text.as_bytes(), &NAMES, &mut Noted::new(b"")).is_ok()
}

/// Short messages with a value of every kind, and `padding` in different places.
pub(super) fn messages(padding: &str) -> Vec<String> {
    let digits = padding.replace('x', "7");
    let mut messages = usual_objects(padding).to_vec();
    for value in [
        format!(r#"[{digits}1,-{digits}2,0.{digits}3,-1{digits}.5,2e{digits}1,-0.0E-{digits}9]"#),
        format!(r#"{{"{padding}":{{"a":[[],{{}},[{{"b":null}}]],"{padding}c":[true,false,""]}},"d":"{padding}"}}"#),
        format!(r#"[["{padding}"],["]","}}","{{",":",","],[[["{padding}"]],0]]"#),
        format!("{}\"{padding}\"{}", "[".repeat(50), "]".repeat(50)),
        format!("{}1{}", "{\"a\":".repeat(50), "}".repeat(50)),
    ] {
        messages.push(format!(r#"{{"jsonrpc":"2.0","method":"m","params":{value},"id":"{padding}"}}"#));
        messages.push(format!(r#"{{"jsonrpc":"2.0","id":{digits}8,"result":{value}}}"#));
        messages.push(format!(r#"{{"jsonrpc":"2.0","params":{value},"method":"{padding}"}}"#));
    }
    messages
}

#[test]
fn short_messages_are_read_at_once_wherever_sixty_four_bytes_end() {
    for padding in (0..100).step_by(PLACES) {
        for message in messages(&"x".repeat(padding)).into_iter().step_by(TEXTS) {
            assert_eq!(is_read(&message), message.len() <= 512, "{message}");
        }
    }
}

#[test]
fn a_message_of_five_hundred_and_twelve_bytes_is_the_longest_that_is_read_at_once() {
    let message = |len: usize| format!(r#"{{"jsonrpc":"2.0","method":"{}","id":1}}"#, "x".repeat(len - 36));
    assert_eq!(message(512).len(), 512);
    assert!(is_read(&message(512)));
    assert!(!is_read(&message(513)));
}

#[test]
fn every_string_of_a_message_that_is_read_at_once_is_known_to_have_no_escapes() {
    let text = br#"{"jsonrpc":"2.0","method":"a","result":"b","id":"c"}"#;
    let mut noted = Noted::new(text);
    assert!(object(text, &NAMES, &mut noted).is_ok());
    for slot in (0..SLOTS).filter(|slot| noted.has(*slot)) {
        assert!(noted.unescaped(slot).is_some(), "slot {slot}");
    }
}

#[test]
fn of_the_shortest_messages_one_look_sees_where_members_begin() {
    let mut seen = 0;
    for padding in (0..60).step_by(if cfg!(miri) { 9 } else { 1 }) {
        for message in usual_objects(&"x".repeat(padding)) {
            let text = message.as_bytes();
            let flat = Halves::of(text, 16).and_then(|halves| Flat::of(&text[16..], halves));
            let Some(Flat { begins, end }) = flat else {
                assert!(text.len() > 80, "{message}");
                continue;
            };
            assert!(text.len() <= 80, "{message}");
            seen += 1;
            assert_eq!(end, 1 << (text.len() - 17), "{message}");
            let places = (16..text.len()).filter(|at| begins >> (at - 16) & 1 != 0);
            let names: Vec<_> = places.map(|at| &text[at..at + 4]).collect();
            let all = [",\"me", ",\"pa", ",\"id", ",\"re"].map(str::as_bytes);
            assert!(names.iter().all(|name| all.contains(name)), "{message}");
            let members = all.iter().filter(|name| text.windows(4).any(|part| part == **name)).count();
            assert_eq!(names.len(), members, "{message}");
        }
    }
    assert!(seen > if cfg!(miri) { 10 } else { 100 });
    // of fewer bytes there are no two halves
    assert!(Halves::of(&[b'x'; 31], 0).is_none());
}

#[test]
fn a_short_message_that_is_wrong_in_one_byte_is_not_read() {
    for message in messages("xxx").into_iter().step_by(TEXTS) {
        let mut text = message.into_bytes();
        for at in (0..text.len()).step_by(PLACES) {
            let byte = text[at];
            for other in b"\"\\{}[]:,.-+eE019atn \n\x1F\x80".iter().copied().step_by(TEXTS) {
                text[at] = other;
                assert_twins_agree(&text);
            }
            text[at] = byte;
        }
        for len in (0..text.len()).step_by(PLACES) {
            assert_twins_agree(&text[..len]);
        }
        for other in *b" \n,}]x\0" {
            let longer = [&text[..], &[other]].concat();
            assert_twins_agree(&longer);
            assert!(object(&longer, &NAMES, &mut Noted::new(b"")).is_err());
        }
    }
}

#[test]
fn what_is_not_usual_is_read_by_others_and_nothing_is_noted() {
    for text in [
        r#"{"jsonrpc":"2.0","method":"m","id":1,"id":2}"#,
        r#"{"jsonrpc":"2.0","method":"m","jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"2.0","method":"m","extra":1,"id":2}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1, 2]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a\u0062","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":["é"]}"#,
        r#"{"jsonrpc": "2.0","id":1,"method":"m","params":[1]}"#,
        r#"{"id":1,"jsonrpc":"2.0","method":"m","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"a"}"#,
    ] {
        assert!(!is_read(text), "{text}");
    }
    // as deep as it may be, and one deeper
    let deep = |depth: usize| {
        format!(r#"{{"jsonrpc":"2.0","method":"m","params":{}{}}}"#, "[".repeat(depth), "]".repeat(depth))
    };
    assert!(is_read(&deep(62)));
    assert!(!is_read(&deep(63)));
}

#[test]
fn who_notices_nothing_reads_nothing_at_once() {
    static NOTHING: Names = Names::NONE;
    let text = br#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
    let mut noted = Noted::new(text);
    assert_eq!(object(text, &NOTHING, &mut noted), Err(0));
    assert!((0..SLOTS).all(|slot| !noted.has(slot)));
}
