//! What the quick ways take. What they leave, others read as well, so that it shows only here.

use super::super::block::Look as _;
use super::super::cursor::{self, AHEAD, Ahead, Cursor, End};
use super::super::object::{Validate, known_name, plain_name};
use super::super::usual::Window;
use super::super::{block, foreseen, json_text, numbers, string, trusted, value, word};
use super::std::format;
use super::std::string::String;
use super::{NAMES, Names, Noted, PLACES, Reached, TEXTS, assert_twins_agree, assert_walks_agree, scan};
use crate::json::names::Place;

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
    let is_number = |text: &[u8]| scan::scan(text, &Names::NONE, &mut Noted::new(text)).is_ok();
    for text in all_texts("01.-+eE,", 5) {
        let are_numbers = text.split(',').all(|text| is_number(text.as_bytes()));
        // at the front of a block, behind another number, and up to its end
        for front in ["", "1,", &format!("{},", "1".repeat(block::LEN - 2 - text.len()))] {
            let mut whole = format!("{front}{text},").into_bytes();
            let skipped = if are_numbers { whole.len() } else { 0 };
            whole.resize(block::LEN, b'1');
            assert_eq!(numbers::skip(&whole), skipped, "{}", whole.escape_ascii());
        }
    }
}

/// All texts of up to `len` of the bytes of `alphabet`, of which Miri gets some.
fn all_texts(alphabet: &str, len: u32) -> impl Iterator<Item = String> {
    let letters = alphabet.len();
    (0..=len)
        .flat_map(move |len| (0..letters.pow(len)).map(move |nth| (nth, len)))
        .step_by(if cfg!(miri) { 997 } else { 1 })
        .map(move |(nth, len)| {
            (0..len).map(|place| char::from(alphabet.as_bytes()[nth / letters.pow(place) % letters])).collect()
        })
}

#[test]
fn whatever_is_behind_a_literal_or_number_is_judged_alike() {
    for behind in all_texts("01.-+eE", 3) {
        for front in ["", "true", "null", "false", "1", "\"\"", "{}"] {
            // one literal, and so many that they are told together
            assert_twins_agree(format!("[{front}{behind}]").as_bytes());
            assert_twins_agree(format!("[null,true,false,{front}{behind},false]").as_bytes());
        }
    }
}

#[test]
fn a_number_that_fills_a_block_stands_where_a_value_may() {
    for front in
        ["", "[", "[\"x\"", "[{}", "[1,", "[1", "{", "{\"a\"", "{\"a\":", "{\"a\":1,", "{\"a\":1", "[true,", "[true"]
    {
        for blanks in (0..block::LEN).step_by(PLACES) {
            let (blanks, digits) = (" ".repeat(blanks), "1".repeat(2 * block::LEN));
            for close in ["]", "}", ",1]"] {
                assert_twins_agree(format!("{front}{blanks}{digits}{close}").as_bytes());
            }
        }
    }
}

#[test]
fn every_other_backslash_of_a_run_escapes() {
    for front in (0..block::LEN).step_by(PLACES) {
        for run in (0..=3 * block::LEN).step_by(PLACES) {
            let text = format!("{}{}{}", "x".repeat(front), "\\".repeat(run), "x".repeat(block::LEN));
            let mut carry = 0;
            for (at, part) in text.as_bytes().chunks(block::LEN).enumerate() {
                let bits = |is: &dyn Fn(usize) -> bool| {
                    (0..part.len()).filter(|lane| is(*lane)).fold(0, |bits, lane| bits | 1 << lane)
                };
                let from = at * block::LEN;
                let expected =
                    bits(&|lane| (front..=front + run).contains(&(from + lane)) && (from + lane - front) % 2 == 1);
                assert_eq!(string::escaped(bits(&|lane| part[lane] == b'\\'), &mut carry), expected, "{text}");
            }
        }
    }
}

#[test]
fn a_byte_is_seen_among_others_of_its_kind() {
    for byte in 0..=u8::MAX {
        for places in (1..16u8).step_by(TEXTS) {
            // in the same lane of some of the four quarters
            let text =
                core::array::from_fn(|lane| if lane % 16 == 5 && places >> (lane / 16) & 1 != 0 { byte } else { b'x' });
            assert_eq!(
                block::Block::new(&text).any(block::not_plain),
                !(0x20..0x80).contains(&byte) || byte == b'\\',
                "{byte:#x} in {places:#b}"
            );
        }
    }
}

#[test]
fn a_short_plain_string_is_read_at_once() {
    for (text, len) in [
        ("\"\"", Some(2)),
        ("\"fifteen letters\"", Some(17)),
        ("\"sixteen letters!\"", None),
        ("\"a\\n\"", None),
        ("\"é\"", None),
        ("\"\t\"", None),
        ("\"", None),
    ] {
        for start in 0..=20 {
            let ahead = ahead(&format!("{}{text}", " ".repeat(start)));
            assert_eq!(string::short_string(&ahead, start), len.map(|len| start + len), "{text}");
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
    assert!(json_text(text.as_bytes(), 0, &NAMES, &mut noted, &mut Reached::nothing()).is_some());
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
        (r#""a": 1"#, Some(5)),
        (r#""a":  1"#, None),
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

#[test]
fn the_end_of_a_short_array_or_object_is_told_by_one_look() {
    for letters in all_texts("{}[]\"\\xX,", 5) {
        // runs, so that quotation marks stand far from each other, too
        let mut text = letters.replace('X', "xxxxx");
        text.truncate(16);
        let (mut is_inside, mut len) = (false, None);
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                b'"' => is_inside = !is_inside,
                b'\\' => break,
                b'{' | b'[' if !is_inside => break,
                b'}' | b']' if !is_inside => {
                    len = Some(at + 2);
                    break;
                }
                _ => {}
            }
        }
        text.push_str(&" ".repeat(16 - text.len()));
        let bytes = block::sixteen(text.as_bytes(), 0).unwrap_or_default();
        assert_eq!(trusted::short_container(bytes), len, "{text}");
    }
}

#[test]
fn the_end_of_a_usual_value_is_told_by_its_window() {
    for (value, is_usual) in [
        ("\"\"", true),
        ("\"]}\"", true),
        ("0", true),
        ("1234567", true),
        ("12345678", true),
        ("123456789", false),
        ("-1", false),
        ("1.5", false),
        ("true", false),
        ("[]", true),
        ("[1,\"]\",2]", true),
        ("{}", true),
        ("{\"a\":\"}\",\"b\":1}", true),
        ("[[1],2]", false),
        ("[{\"a\":1},2]", false),
        ("{\"a\":{\"b\":1},\"id\":2}", false),
        ("{\"a\":[1],\"id\":2}", false),
    ] {
        for start in (0..40).step_by(PLACES) {
            // whatever stands in front, or behind
            let front = "[[{]\"\"".chars().cycle().take(start / 6 * 6).collect::<String>() + &",".repeat(start % 6);
            let text = format!("{front}{value},\"b\":[{{}}]]}}");
            let ahead = block::last(text.as_bytes(), 0);
            let window = Window::of(&ahead);
            let end = window.map(|window| window.trusted_value(start));
            assert_eq!(end, Some(is_usual.then_some(start + value.len())), "{text}");
        }
    }
}

#[test]
fn a_short_integer_may_begin_behind_the_window_of_its_name() {
    // a name may begin with the last byte of the window, and is of up to sixteen with what is around it
    for start in (0..block::LEN + 16).step_by(PLACES) {
        let ahead = block::last(format!("{}12345678,", " ".repeat(start)).as_bytes(), 0);
        let window = Window::of(&ahead);
        assert_eq!(window.map(|window| window.trusted_value(start)), Some(Some(start + 8)), "from {start} on");
    }
}

#[test]
fn members_of_an_object_inside_are_not_those_of_the_message() {
    for inside in
        [r#"{"a":{"b":1},"id":5}"#, r#"{"a":[1],"id":5}"#, r#"{"a":"}","id":5}"#, r#"[{"a":1,"id":5},{"id":6}]"#]
    {
        assert_walks_agree(format!(r#"{{"jsonrpc":"2.0","method":"m","params":{inside},"id":1}}"#).as_bytes());
    }
}

#[test]
fn a_member_with_a_short_name_is_read_with_its_value() {
    for (text, read) in [
        (r#"{"a":"b"}"#, Some('}')),
        (r#"{"a":"","#, Some(',')),
        (r#"{"eleven....":"twelve......","#, Some(',')),
        (r#"{"a": "b"}"#, Some('}')),
        (r#"{"a":-1}"#, Some('}')),
        (r#"{"a":12}"#, Some('}')),
        (r#"{"a": 12,"#, Some(',')),
        (r#"{"a":true]"#, Some(']')),
        (r#"{"a":"more than sixteen letters and more than thirty"}"#, None),
        (r#"{"a":"\n"}"#, None),
        (r#"{"a":[1]}"#, None),
        (r#"{"a":{}}"#, None),
        (r#"{"a\n":1}"#, None),
        (r#"{"a" :1}"#, None),
        (r#"{"a":  1}"#, None),
        (r#"{"sixteen letters!":1}"#, None),
    ] {
        let mut end = End::EMPTY;
        end.fill(text.as_bytes());
        let mut cursor = Cursor::new(text.as_bytes(), &end);
        let word = value::member(&mut cursor, (value::NONE << 1) | 1, &mut Reached::nothing());
        assert_eq!(word.map(|word| word.map(|word| char::from(word as u8))), Some(read), "{text}");
        // up to behind the value, or to the byte before it
        let value = text.find(':').map(|colon| text.len() - text[colon + 1..].trim_start().len());
        let at = if read.is_some() { Some(text.len() - 1) } else { value.map(|value| value - 1) };
        assert_eq!(Some(cursor.at()), at, "{text}");
    }
}

#[test]
fn a_word_is_cut_byte_by_byte() {
    let text = *b"eightchr";
    for len in 0..8 {
        assert_eq!(word::behind(word::eight(&text, 0), len), word::eight(&text[len..], 0));
    }
}

#[test]
fn a_refused_token_is_where_the_plain_pass_goes_on() {
    for marked in [
        r#"{"jsonrpc":"2.0","method":"m","params":[1,2,^x]}"#,
        r#"{"jsonrpc":"2.0","method":"m","params":{"a":1 ^2}}"#,
        r#"{"jsonrpc":"2.0","method":"m" ^"id":1}"#,
        r#"{"id"^;1}"#,
        r#"{^1}"#,
        r#"{"id":^01}"#,
        r#"[1,2]^]"#,
    ] {
        let text = marked.replace('^', "");
        let mut reached = Reached::nothing();
        assert!(json_text(text.as_bytes(), 0, &NAMES, &mut Noted::new(b""), &mut reached).is_none(), "{text}");
        assert_eq!(Some(reached.start().at), marked.find('^'), "{text}");
        assert_twins_agree(text.as_bytes());
    }
    // from a char of a string
    let text = format!(r#"{{"id":"{}","params":1}}"#, "é".repeat(40) + "\u{1F}");
    let mut reached = Reached::nothing();
    assert!(json_text(text.as_bytes(), 0, &NAMES, &mut Noted::new(b""), &mut reached).is_none());
    assert!(reached.start().in_string && text[..reached.start().at].starts_with("{\"id\":\"é"));
}

#[test]
fn what_may_come_next_is_known_wherever_a_block_ends() {
    for element in ["{}", "[]", "{ }", "[ ]", "[1]", "{\"a\":1}", "{\"a\" : true , \"b\":[{}]}", "\"a\"", "-1.5"] {
        // each of its bytes comes to stand where it is remembered what is valid
        for shift in 0..=element.len() {
            let elements = format!("{element},").repeat(3000 / element.len());
            assert_twins_agree(format!("[{}{elements}!]", " ".repeat(shift)).as_bytes());
            assert_twins_agree(format!("{{\"params\":[{}{elements}!]}}", " ".repeat(shift)).as_bytes());
        }
    }
}
