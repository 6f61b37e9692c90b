//! What the quick ways take. What they leave, others read as well, so that it shows only here.

use super::super::cursor::{self, AHEAD, Ahead, Cursor, End};
use super::super::object::{Validate, known_name, plain_name};
use super::super::{block, foreseen, json_text, numbers};
use super::std::format;
use super::std::vec::Vec;
use super::{NAMES, Names, Noted, Reached, assert_twins_agree, scan};
use crate::json::noted::Place;

/// The slots of members.
const METHOD: usize = 4;
const ID: usize = 6;

/// What is ahead of the front of `text`.
fn ahead(text: &str) -> Ahead {
    let mut ahead = [0; AHEAD];
    for (place, byte) in ahead.iter_mut().zip(text.bytes()) {
        *place = byte;
    }
    ahead
}

#[test]
fn sixteen_bytes_are_those_that_are_asked_for() {
    let ahead: Ahead = core::array::from_fn(|at| at as u8);
    for at in 0..=24 {
        let bytes: [i8; 16] = core::array::from_fn(|lane| (at + lane) as i8);
        assert_eq!(cursor::sixteen(&ahead, at).to_array(), bytes, "from {at} on");
    }
}

#[test]
fn a_block_of_numbers_is_skipped_if_each_of_them_is_one() {
    let alphabet = b"01.-+eE,";
    let is_number = |text: &[u8]| scan::scan(text, &Names::NONE, &mut Noted::new(text)).is_ok();
    for len in 0..=5 {
        for nth in 0..alphabet.len().pow(len) {
            let text: Vec<u8> = (0..len).map(|place| alphabet[nth >> (3 * place) & 7]).collect();
            let are_numbers = text.split(|byte| *byte == b',').all(is_number);
            // at the front of a block, behind another number, and up to its end
            for front in ["", "1,", &format!("{},", "1".repeat(block::LEN - 2 - text.len()))] {
                let mut whole = [front.as_bytes(), &text, b","].concat();
                let skipped = if are_numbers { whole.len() } else { 0 };
                whole.resize(block::LEN, b'1');
                assert_eq!(numbers::skip(&whole), skipped, "{}", whole.escape_ascii());
            }
        }
    }
}

/// What is noted of a `text` that begins as most do, where the members that are foreseen end, and the byte there.
fn foreseen(text: &str) -> (Noted<'_>, usize, Option<u8>) {
    let mut end = End::EMPTY;
    end.fill(text.as_bytes());
    let mut cursor = Cursor::new(text.as_bytes(), &end);
    let mut noted = Noted::new(text.as_bytes());
    noted.put(Place::OUTERMOST.member(b'j'), &text.as_bytes()[11..16]);
    assert_eq!(cursor.skip(16), Some(()));
    let next = foreseen::members::<Validate>(text.as_bytes(), &mut cursor, &NAMES, &mut noted, &mut Reached::nothing());
    (noted, cursor.at(), next.map(|word| word as u8))
}

#[test]
fn usual_members_are_foreseen_up_to_the_first_one_that_is_not() {
    for (usual, rest) in [
        (r#"{"jsonrpc":"2.0","method":"m","params":[1,{"a":2}],"id":1"#, "}"),
        (r#"{"jsonrpc":"2.0","id":"a","result":"more than sixteen bytes of text""#, "}"),
        (r#"{"jsonrpc":"2.0","id":123456789,"result":true"#, "}"),
        (r#"{"jsonrpc":"2.0","method":"m""#, r#","error":{"code":1}}"#),
        (r#"{"jsonrpc":"2.0","method":"m""#, r#","method":"n"}"#),
        (r#"{"jsonrpc":"2.0","method":"m""#, r#","jsonrpc":"2.0"}"#),
        (r#"{"jsonrpc":"2.0","method":"m""#, r#","id": 1}"#),
        (r#"{"jsonrpc":"2.0","method":"m""#, r#","id" :1}"#),
        (r#"{"jsonrpc":"2.0","method":"m""#, r#", "id":1}"#),
        (r#"{"jsonrpc":"2.0","method":"m""#, r#","ids":1}"#),
        (r#"{"jsonrpc":"2.0""#, r#" ,"id":1}"#),
    ] {
        let text = format!("{usual}{rest}");
        let (noted, at, next) = foreseen(&text);
        assert_eq!((at, next), (usual.len(), rest.bytes().next()), "{text}");
        assert_eq!(noted.unescaped(METHOD).is_some(), usual.contains(r#""method":"m""#), "{text}");
        assert_eq!(noted.unescaped(ID).is_some(), usual.contains(r#""id":"a""#), "{text}");
    }
    // and the whole pass begins so
    let text = r#"{"jsonrpc":"2.0","method":"m"}"#;
    let mut noted = Noted::new(text.as_bytes());
    assert!(json_text(text.as_bytes(), &NAMES, &mut noted, &mut Reached::nothing()).is_some());
    assert!(noted.unescaped(METHOD).is_some());
}

#[test]
fn an_integer_of_up_to_eight_digits_is_read_at_once() {
    for (digits, is_short) in
        [("0", true), ("1", true), ("10", true), ("12345678", true), ("123456789", false), ("00", false), ("01", false)]
    {
        for (follows, may_follow) in
            [(",", true), ("}", true), ("]", false), (" ", false), (".5", false), ("e5", false)]
        {
            let text = format!("abc{digits}{follows}");
            let end = if is_short && may_follow { Some(3 + digits.len()) } else { None };
            assert_eq!(foreseen::short_number(&ahead(&text), 3), end, "{text}");
        }
    }
}

#[test]
fn a_known_name_is_told_by_a_word_if_its_value_is_near() {
    let other = Place::OUTERMOST.inside(true);
    for (member, value) in [
        (r#""id":1"#, Some(5)),
        (r#""id": 1"#, Some(6)),
        (r#""id":  1"#, None),
        (r#""id":"#, None),
        (r#""id": "#, None),
        ("\"id\":\t1", None),
        ("\"id\":\n 1", None),
        (r#""id" :1"#, None),
        (r#""ids":1"#, None),
        (r#""params":1"#, Some(9)),
    ] {
        let ahead = ahead(member);
        let found = NAMES.find_word(other, cursor::word(&ahead, 1));
        let mut noted = Noted::new(b"");
        let known = known_name(&ahead, found, &noted);
        assert_eq!(known.map(|(_, start)| start), value, "{member}");
        if let Some((place, _)) = known {
            noted.put(place, b"1");
            assert!(known_name(&ahead, found, &noted).is_none(), "{member} twice");
        }
    }
}

#[test]
fn a_short_name_that_nobody_knows_is_told_by_one_look() {
    for (member, value) in [
        (r#""a":1"#, Some(4)),
        (r#""":1"#, Some(3)),
        (r#""fifteen letters":1"#, Some(18)),
        (r#""sixteen letters!":1"#, None),
        (r#""a": 1"#, None),
        (r#""a":"#, None),
        (r#""a" :1"#, None),
        (r#""a\"":1"#, None),
        (r#""é":1"#, None),
    ] {
        assert_eq!(plain_name(&ahead(member)), value, "{member}");
    }
}

#[test]
fn what_only_looks_like_a_batch_of_usual_objects_is_refused_alike() {
    let objects = r#"{"jsonrpc":"2.0","id":1},"#.repeat(9);
    for front in ["[", "", "1", "]", ",", "\"", "{"] {
        assert_twins_agree(format!("{front}{objects}1]").as_bytes());
    }
}
