//! Compares the pass of 64-bit hosts with the byte-wise pass, on texts that are valid, nearly valid, and shifted over all block boundaries.

extern crate std;

mod checkpoints;
mod lexers;
mod members;
mod mutations;
mod names;
mod states;
mod utf8;
#[path = "../device/value_len.rs"]
mod value_len;

use self::std::format;
use self::std::string::String;
use self::std::vec::Vec;

use self::value_len::value_len;
use super::super::name_table::{Known, NameTable, Position, SLOTS};
use super::super::scan::{self, Checkpoint};
use super::super::{RawStr, RawValue, offset_in};
use super::{Captured, NONE_OPEN, SHORTEST, json_text, long, resume};
use crate::error::Error;

/// The members of a message.
struct Members;

impl Known for Members {
    const NAMES: &'static NameTable = &NameTable::new(
        const {
            &NameTable::table(
                &[*b"jsonrpc\"", *b"id\"\0\0\0\0\0", *b"method\"\0", *b"result\"\0", *b"params\"\0", *b"error\"\0\0"],
                &[*b"code\"\0\0\0", *b"message\"", *b"data\"\0\0\0"],
            )
        },
    );

    const BEGINNING: [u8; 16] = *b"{\"jsonrpc\":\"2.0\"";
}

// Miri takes a millisecond for each byte, so it tests only every n-th text, offset, byte and depth.
const TEXTS: usize = if cfg!(miri) { 5 } else { 1 };
const PLACES: usize = if cfg!(miri) { 97 } else { 1 };
const BYTES: usize = if cfg!(miri) { 67 } else { 1 };
const DEPTHS: usize = if cfg!(miri) { 14 } else { 1 };

/// Whether the pass accepts `text`, its captures, and its checkpoint.
fn read(text: &[u8]) -> (bool, Captured<'_>, Checkpoint) {
    let (mut captured, mut checkpoint) = (Captured::new(text), Checkpoint::FRONT);
    let is_valid = json_text::<Members>(text, &mut captured, (), &mut checkpoint).is_some();
    (is_valid, captured, checkpoint)
}

/// The verdict of the byte-wise pass on `text`, and its captures.
fn read_bytes(text: &[u8]) -> (Result<(), Error>, Captured<'_>) {
    let mut captured = Captured::new(text);
    (scan::scan_at(Position::OUTERMOST, text, Members::NAMES, &mut captured), captured)
}

/// Captures the members of the validated object at the front of `text` by a walk over them, and returns the length of the object.
fn capture_members<'a>(text: &'a [u8], captured: &mut Captured<'a>) -> usize {
    let object = RawValue::validated(text, &text[..value_len(text)]);
    for (name, value) in object.members() {
        let position = capture_member(captured, Position::OTHER, object, name, value);
        if position == Position::NESTED {
            for (name, inner) in value.members() {
                capture_member(captured, position.inside(), value, name, inner);
            }
        }
    }
    object.as_bytes().len()
}

fn capture_member<'a>(
    captured: &mut Captured<'a>,
    position: Position,
    object: RawValue<'a>,
    name: RawStr<'a>,
    value: RawValue<'a>,
) -> Position {
    let inside = &object.as_bytes()[offset_in(object.as_bytes(), name.as_bytes())..];
    let position = captured.begin(Members::NAMES, inside, position).beside(position);
    captured.set(position, value.as_bytes());
    position
}

/// White space that makes any text long enough for the fast pass.
const PADDING: &[u8] = &[b' '; SHORTEST];

/// Both passes agree on a text: on acceptance, on the captures, and on the verdict from the checkpoint and from the front.
fn assert_twins_agree(text: &[u8]) {
    if text.len() < SHORTEST {
        // the fast pass does not read so short a text, but the same value after white space
        assert!(!read(text).0);
        return assert_twins_agree(&[PADDING, text].concat());
    }
    let shown = String::from_utf8_lossy(text);
    let (verdict, plain) = read_bytes(text);
    let (is_valid, fast, checkpoint) = read(text);
    assert_eq!(is_valid, verdict.is_ok(), "{verdict:?}: {shown}");
    if !is_valid {
        assert_eq!(resume(text, checkpoint), verdict, "from {checkpoint:?}: {shown}");
    }
    for slot in (0..SLOTS).filter(|slot| is_valid && slot & 7 != 7) {
        let (plain, fast) = (plain.get(slot), fast.get(slot));
        assert!(fast.is_empty() || fast == b"[]" || fast.as_ptr() == plain.as_ptr(), "slot {slot}: {shown}");
        // the end of a repeated value is not compared
        assert!(fast == plain || slot == Captured::REPEAT && !fast.is_empty(), "slot {slot}: {shown}");
    }
    if is_valid {
        members::assert_kinds_are_marked(&fast, text, false);
        members::assert_kinds_are_marked(&plain, text, true);
    }
    let text = text.trim_ascii_start();
    if let [b'{' | b'[', ..] = text {
        // also in a window, however short the text is
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let mut checkpoint = Checkpoint::FRONT;
        let padded = [text, PADDING].concat();
        let text = if text.len() < SHORTEST { &padded } else { text };
        let len = long(text, 0, NONE_OPEN, NONE_OPEN, &mut checkpoint);
        let is_valid = len.is_some_and(|len| text[len..].iter().all(is_space));
        assert_eq!(is_valid, verdict.is_ok(), "{verdict:?}: {shown}");
        if len.is_none() {
            assert_eq!(resume(text, checkpoint), read_bytes(text).0, "from {checkpoint:?}: {shown}");
        }
    }
}

/// Both walks agree on a validated text: on the captures and the end of an object, and on the ends of strings and values.
fn assert_walks_agree(text: &[u8]) {
    if text.len() < SHORTEST {
        return assert_walks_agree(&[PADDING, text].concat());
    }
    let (is_valid, validated, _) = read(text);
    if !is_valid {
        // too deep inside another object
        return;
    }
    let (mut in_string, mut is_escaped) = (false, false);
    for at in 0..text.len() {
        // no value begins inside a string
        let begins = !in_string;
        (in_string, is_escaped) = match text[at] {
            _ if is_escaped => (true, false),
            b'\\' => (in_string, in_string),
            b'"' => (!in_string, false),
            _ => (in_string, false),
        };
        // the search for the end of a value also sees the bytes after it
        let rest = &text[at..];
        match rest {
            [b'"' | b'{' | b'[', ..] if begins => assert_eq!(super::value_len(rest), value_len(rest)),
            // letters and digits are a value only at the start of a value
            [b't' | b'f' | b'n' | b'-' | b'0'..=b'9', ..] if begins && matches!(text[..at], [.., b':' | b'[']) => {
                assert_eq!(super::value_len(rest), value_len(rest), "{}", String::from_utf8_lossy(rest));
            }
            _ => {}
        }
    }
    let nested = validated.get(Position::NESTED.slot());
    if nested.starts_with(b"{") && !validated.has(Captured::REPEAT) {
        let (mut captured, mut bytes) = (Captured::new(nested), Captured::new(nested));
        super::capture_nested::<Members>(nested, &mut captured);
        _ = scan::scan_at(Position::NESTED, nested, Members::NAMES, &mut bytes);
        for slot in (8..SLOTS).filter(|slot| slot & 7 != 7) {
            assert_eq!(captured.get(slot), validated.get(slot));
            assert_eq!(bytes.get(slot), validated.get(slot));
        }
    }
    if text.starts_with(b"{") {
        let followed = [text, b",{}]"].concat();
        let (mut captured, mut walked) = (Captured::new(&followed), Captured::new(&followed));
        let len = super::capture_object::<Members>(&followed, &mut captured);
        assert_eq!(len, capture_members(&followed, &mut walked));
        assert_eq!(len, text.trim_ascii_end().len());
        for slot in (0..SLOTS).filter(|slot| slot & 7 != 7) {
            if slot != Captured::REPEAT {
                assert_eq!(captured.get(slot), validated.get(slot));
                assert_eq!(captured.get(slot), walked.get(slot));
            }
            // the end of a repeated value is not compared
            assert_eq!(captured.get(slot).is_empty(), walked.get(slot).is_empty());
            assert_eq!(captured.get(slot).first(), walked.get(slot).first());
        }
    }
}

/// SplitMix64, by Sebastiano Vigna.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// Messages as most programs write them, with a value of every kind.
fn sample_messages(padding: &str) -> [String; 8] {
    [
        format!(r#"{{"jsonrpc":"2.0","method":"{padding}subtract","params":[42,-23,0.5,"x",true],"id":1}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":"a1b2","result":{{"a":1,"b":"","c":null,"{padding}d":false}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","method":"{padding}notify","params":{{}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":10.25,"result":"nineteen letters and {padding} a few more"}}"#),
        format!(r#"{{"jsonrpc":"2.0","params":["{padding}"],"method":"m","id":1234567}}"#),
        format!(r#"{{"jsonrpc":"2.0","result":-0,"id":"{padding}"}}"#),
        format!(r#"{{"jsonrpc":"2.0","error":{{"code":-32600,"message":"{padding}no","data":[1,{{}}]}},"id":null}}"#),
        format!(r#"{{"jsonrpc":"2.0","method":"]}}","params":["{padding}]","}}"],"id":1}}"#),
    ]
}

/// Valid texts that visit every corner of the fast pass.
fn texts() -> Vec<String> {
    let numbers =
        "1.5,-20,3e7,0,-0.25,1E+3,12345678901234567890,4,5,6,7,8,9,10.25,-1e-9,0.5,100,2000,30000,400000,5,6,7,8";
    let words = "the sensor in the garden reads every minute and the gateway returns what it has measured";
    let deep = format!("{}{}", "[".repeat(60), "]".repeat(60));
    let mut texts = Vec::from([
        r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#.into(),
        r#"{"jsonrpc":"2.0","id":"a\nb","result":{"x":[],"y":{},"z":null}}"#.into(),
        r#"{"m\u0065thod":"a","id":1,"\u0069d":2,"\u0000":3,"":4,"methods":5,"metho":6,"jsonrpc":"\u0032.0"}"#.into(),
        r#"{"error":{"code":-32600,"message":"no","data":{"code":1,"message":[{"code":2}]},"c\u006fde":7},"id":null}"#.into(),
        r#"{"error":{"code":1,"":2,"code":3},"error":{"code":4,"message":"x"},"id":1}"#.into(),
        r#"{"error":[{"code":1}],"id":1.5e3}"#.into(),
        r#"{"error":{},"params":{"error":{"code":1}},"result":{"id":2}}"#.into(),
        r#"[{"jsonrpc":"2.0","method":"a","id":1},{"id":2,"error":{"code":1,"message":"m"}},[],{},1,"x",null,true,false]"#.into(),
        format!(r#"{{"jsonrpc":"2.0","method":"n","params":{{"a":[{numbers}],"b":"{words}","c":[[1,2],[3,4]]}}}}"#),
        format!(r#"{{"params":[{numbers},{numbers},"x",{numbers}],"id":7}}"#),
        format!("{{\n  \"params\": {{\n    \"a\": [\n      1,\n      2.5\n    ],\n\t\r\n    \"b\": \"{words}\",\n    \"c\" : {{ }},\n        \"d\": [ ],\"e\":true\n  }},\n  \"id\": 1\n}}\n"),
        format!(r#"{{"result":"{words} \"quoted\" \\ and \\\" \u00e9\ud83d\ude00 \/ \b\f\n\r\t über 日本語 😀 \u2014","id":3}}"#),
        format!(r#"{{"result":["{words}","é{words}","{words}\n","\\","\\\\\\\\\\\"{words}","\u0041","ü","\"",""],"id":3}}"#),
        format!(r#"{{"result":{{"k\n{words}":1,"é{words}" : 2,"{words}":{{"a":{{"b":[{{"c":[[[]]]}}]}}}}}},"id":3}}"#),
        format!(r#"{{"result":{deep}}}"#),
        format!(r#"{{"result":[1,[2,{deep}],"{words}"]}}"#),
        format!("[{deep}]"),
        numbers.split(',').next().unwrap_or_default().into(),
        r#" "text" "#.into(),
        "true".into(),
        "\t-0.0e-0\r\n".into(),
        r#"{"jsonrpc":"2.0","id":"a\"b","method":"\\\"","params":["\"]\\","}"],"result":{"\"}":"}{"}}"#.into(),
    ]);
    let beyond_ascii = "é日😀\u{800}\u{D7FF}\u{10FFFF}".repeat(16);
    texts.push(format!(r#"["x{beyond_ascii}","xy{beyond_ascii}"]"#));
    let literals = r#"null,true,false,{"a":null,"b":true},[false,false],"n","#;
    texts.push(format!("[{literals}{literals}{literals}0]"));
    let objects = sample_messages("").join(",");
    texts.push(format!("[{objects},{objects}]"));
    texts.push(format!("[{objects},\n{{\"id\":1}},{objects} ]"));
    let pretty = texts[10].clone();
    texts.push(format!("[{pretty},{pretty}]"));
    texts.into_iter().step_by(TEXTS).collect()
}

#[test]
fn valid_texts_are_accepted_with_the_same_captures() {
    for text in texts() {
        assert!(read(text.as_bytes()).0 || text.len() < SHORTEST, "{text}");
        assert_twins_agree(text.as_bytes());
    }
}

#[test]
fn valid_texts_are_walked_alike_at_every_place_in_a_block() {
    for text in texts() {
        for padding in (0..130).step_by(PLACES) {
            let inside = format!("{{\"id\":\"{}\",\"params\":{text},\"error\":{text}}}", "x".repeat(padding));
            assert_walks_agree(inside.as_bytes());
        }
        assert_walks_agree(text.as_bytes());
    }
}

#[test]
fn every_text_is_read_alike_at_every_place_in_a_block() {
    for text in texts() {
        for padding in (0..130).step_by(PLACES) {
            let blanks = " ".repeat(padding);
            assert_twins_agree(format!("{blanks}{text}").as_bytes());
            assert_twins_agree(format!("{text}{blanks}").as_bytes());
            assert_twins_agree(format!("{{\"params\":[\"{blanks}\",{text},{text}]}}").as_bytes());
            assert_twins_agree(format!("{{\"params\":{{\n{blanks}\"a\":{text}{blanks}}}}}").as_bytes());
            let digits = "1".repeat(padding);
            let many = "1,22,3.5,".repeat(20);
            assert_twins_agree(format!("{{\"a\":1{digits},{many}\"b\":\"{}\"}}", "x".repeat(80)).as_bytes());
            assert_twins_agree(
                format!("[0,1{digits}.5,{digits}1,1,2,3,4,5,-{digits}0.{digits}7,1e{digits}9,{text}]").as_bytes(),
            );
        }
    }
}

#[test]
fn every_beginning_of_a_text_is_refused_alike() {
    for text in texts() {
        for len in (0..text.len()).step_by(PLACES) {
            assert_twins_agree(&text.as_bytes()[..len]);
        }
    }
}

#[test]
fn every_byte_is_read_alike_at_every_place() {
    for text in texts() {
        let mut text = text.into_bytes();
        for at in (0..text.len()).step_by(PLACES) {
            let byte = text[at];
            // a debug build is slow
            let others = (0..=255).filter(|other| {
                !cfg!(debug_assertions)
                    || b"\"\\{}[]:,.-e0tn \n\x1F\x80\x90\xA0\xC0\xC3\xE0\xED\xF0\xF4\xF5".contains(other)
            });
            for other in others.step_by(BYTES) {
                text[at] = other;
                assert_twins_agree(&text);
            }
            text[at] = byte;
        }
    }
}

#[test]
fn depth_is_limited_alike_everywhere() {
    for padding in [0, 1, 40, 100].into_iter().step_by(TEXTS) {
        for depth in (50..70).step_by(DEPTHS) {
            for (open, close) in
                [("[", "]"), ("{\"a\":", "}"), ("{\"error\":", "}"), ("[\n", "\n]"), ("[1,2,3,4,5,6,7,[", "]]")]
            {
                let blanks = " ".repeat(padding);
                let text = format!("{}\"{blanks}\"{}", open.repeat(depth), close.repeat(depth));
                assert_twins_agree(text.as_bytes());
                assert_twins_agree(format!("{}{{}}{}", open.repeat(depth), close.repeat(depth)).as_bytes());
                assert_twins_agree(format!("{}[]{}", open.repeat(depth), close.repeat(depth)).as_bytes());
            }
        }
    }
}

#[test]
fn every_byte_of_an_escape_is_read_alike() {
    for escape in [r#""\u1234""#, r#""\ud83d\ude00""#, r#""\ude00""#, r#""\uABCD""#] {
        for position in 1..escape.len() - 1 {
            for byte in (0..=u8::MAX).step_by(BYTES) {
                let mut text = escape.as_bytes().to_vec();
                text[position] = byte;
                assert_twins_agree(&text);
                // in a separate block, after other characters
                let long = [&b"\"\\t\\t\\t"[..], &b"x".repeat(50), &text[1..]].concat();
                assert_twins_agree(&long);
            }
        }
    }
}

#[test]
fn a_backslash_escapes_the_next_byte_wherever_a_block_ends() {
    for backslashes in 1..4 {
        for second in [b'n', b'"', b'/', b'x', b'u', 0xC3] {
            for shift in (0..130).step_by(PLACES) {
                let many = "\\t".repeat(5) + &"x".repeat(shift) + &"\\".repeat(backslashes);
                let text = [b"[\"", many.as_bytes(), &[second], "x".repeat(64).as_bytes(), b"\"]"].concat();
                assert_twins_agree(&text);
            }
        }
    }
}
