//! Messages with white space that are read at once, and those that are not.

use super::super::spaced::object;
use super::super::{Names, Noted};
use super::short::messages;
use super::std::format;
use super::std::string::String;
use super::std::vec::Vec;
use super::{NAMES, PLACES, SLOTS, TEXTS, assert_twins_agree};

/// Whether `text` is read at once.
fn is_read(text: &str) -> bool {
    assert_twins_agree(text.as_bytes());
    object(text.as_bytes(), &NAMES, &mut Noted::new(b"")).is_ok()
}

/// `compact` with each member and element on a line of its own, indented by `indent`.
fn lines(compact: &str, line: &str, indent: &str) -> String {
    let mut text = String::new();
    let (mut level, mut in_string) = (0usize, false);
    for byte in compact.chars() {
        in_string ^= byte == '"';
        let close = !in_string && matches!(byte, '}' | ']');
        if close {
            level -= 1;
            text += &format!("{line}{}", indent.repeat(level));
        }
        text.push(byte);
        if in_string || byte == '"' || close {
            continue;
        }
        match byte {
            '{' | '[' => level += 1,
            ':' => text.push(' '),
            _ => {}
        }
        if matches!(byte, '{' | '[' | ',') {
            text += &format!("{line}{}", indent.repeat(level));
        }
    }
    text + line
}

#[test]
fn spaced_messages_are_read_at_once_wherever_a_block_ends() {
    for padding in (0..100).step_by(PLACES) {
        for message in messages(&"x".repeat(padding)).into_iter().step_by(TEXTS) {
            for text in [lines(&message, "\n", "  "), lines(&message, " ", ""), lines(&message, "\n\n", "")] {
                assert_eq!(is_read(&text), text.len() <= 1024, "{text}");
            }
        }
    }
}

#[test]
fn a_message_of_a_kilobyte_is_the_longest_that_is_read_at_once() {
    let message = |len: usize| format!("{{ \"method\": \"{}\" }}", "x".repeat(len - 16));
    assert_eq!(message(1024).len(), 1024);
    assert!(is_read(&message(1024)));
    assert!(!is_read(&message(1025)));
}

#[test]
fn whatever_is_behind_a_kilobyte_is_judged() {
    // the object is of eleven bytes
    for blanks in [1012, 1013, 2000] {
        for behind in ["", "x", "\n", "{}", "\"", ","].into_iter().step_by(TEXTS) {
            let text = format!("{{ \"id\": 1 }}{}{behind}", " ".repeat(blanks));
            assert_eq!(is_read(&text), text.len() <= 1024 && behind.trim().is_empty(), "{blanks}, {behind:?}");
        }
    }
}

#[test]
fn every_byte_of_a_spaced_message_is_judged_alike() {
    for message in [
        r#"{"jsonrpc":"2.0","id":"a1","method":"tools/call","params":{"a":[1,-2.5e3,[]],"b":{"c":null,"d":{}},"e":true}}"#,
        r#"{"id":17,"result":[[0,1],["x","y"]],"jsonrpc":"2.0","other":false}"#,
    ] {
        for text in [lines(message, "\n", "  "), lines(message, " ", "")] {
            assert!(is_read(&text), "{text}");
            let mut text = text.into_bytes();
            for at in (0..text.len()).step_by(PLACES) {
                let byte = text[at];
                for other in b"\"\\{}[]:,.-+eE019atny_Y \n\r\t\x0C\x1F\x7F\x80".iter().copied().step_by(TEXTS) {
                    text[at] = other;
                    assert_twins_agree(&text);
                }
                text[at] = byte;
                assert_twins_agree(&text[..at]);
                // one byte less, and one more
                let (front, rest) = text.split_at(at);
                assert_twins_agree(&[front, &rest[1..]].concat());
                for other in *b" \n,1x\"" {
                    assert_twins_agree(&[front, &[other], rest].concat());
                }
            }
        }
    }
}

#[test]
fn every_member_of_a_spaced_message_is_noted_as_it_stands() {
    let text = b"{ \"id\" : 17 ,\n\"params\" : [ 1 , 2 ]\n,\n\"method\": \"a\"  ,\"x\":1,\"result\" :\nnull\n}\n\n";
    let mut noted = Noted::new(text);
    assert_eq!(object(text, &NAMES, &mut noted), Ok(()));
    let values: Vec<_> = (0..SLOTS).map(|slot| noted.get(slot)).filter(|value| !value.is_empty()).collect();
    assert_eq!(values.len(), 4);
    for value in [b"17".as_slice(), b"[ 1 , 2 ]", b"\"a\"", b"null"] {
        assert!(values.contains(&value), "{}", String::from_utf8_lossy(value));
    }
    assert!(
        (0..SLOTS)
            .filter(|slot| noted.has(*slot))
            .all(|slot| noted.get(slot) != b"\"a\"" || noted.unescaped(slot).is_some())
    );
}

#[test]
fn what_is_noted_before_something_unusual_is_kept() {
    for (text, end) in [
        ("{ \"id\": 1, \"method\": \"\\u0061\" }", 0),
        ("{ \"id\": 1, \"method\": \"a\", \"id\": 2 }", 24),
        ("{ \"id\": 1, \"error\": {} }", 9),
        ("{ \"id\": 1,\t\"method\": \"a\" }", 9),
        ("{ \"id\": 1, \"x\": 2, \"method\": 3 ]", 30),
        ("{ \"x\": 1, \"id\": 01 }", 0),
        ("{\t\"id\": 1 }", 0),
        ("{\"id\": 1 }", 0),
        (" { \"id\": 1 }", 0),
        ("{ }", 0),
    ] {
        assert_twins_agree(text.as_bytes());
        assert_eq!(object(text.as_bytes(), &NAMES, &mut Noted::new(text.as_bytes())), Err(end), "{text}");
    }
}

#[test]
fn who_notices_nothing_is_told_so() {
    static NOTHING: Names = Names::NONE;
    let text = b"{ \"id\": 1 }";
    let mut noted = Noted::new(text);
    assert_eq!(object(text, &NOTHING, &mut noted), Ok(()));
    assert!((0..SLOTS).all(|slot| !noted.has(slot)));
}
