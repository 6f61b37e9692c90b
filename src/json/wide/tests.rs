//! The fast pass and its plain twin, on texts that are valid, nearly valid, and shifted over all block boundaries.

extern crate std;

use self::std::format;
use self::std::string::String;
use self::std::vec::Vec;

use super::super::noted::{Names, Noted, SLOTS};
use super::super::scan;
use super::super::walk::plain;
use super::planes::Planes;
use super::reached::Reached;
use super::{block, json_text, space, string, structure, usual, value, word};
use crate::error::Error;

static NAMES: Names = Names::new(
    const {
        &[
            *b"jsonrpc\"",
            *b"id\"\0\0\0\0\0",
            [0; 8],
            *b"method\"\0",
            *b"result\"\0",
            *b"params\"\0",
            [0; 8],
            *b"error\"\0\0",
            [0; 8],
            [0; 8],
            [0; 8],
            *b"message\"",
            *b"code\"\0\0\0",
            [0; 8],
            [0; 8],
            *b"data\"\0\0\0",
        ]
    },
    *b"{\"jsonrpc\":\"2.0\"",
);

/// Both passes on one text: accepted or not, and with which notes.
fn assert_twins_agree(text: &[u8]) {
    let (mut plain, mut fast) = (Noted::new(text), Noted::new(text));
    let verdict = scan::scan(text, &NAMES, &mut plain);
    let mut reached = Reached::nothing();
    let is_valid = json_text(text, &NAMES, &mut fast, &mut reached).is_some();
    if !is_valid {
        // the verdict of the plain pass from the front of the text
        assert_eq!(scan::resume(text, reached.start()), verdict, "{}", String::from_utf8_lossy(text));
    }
    assert_eq!(is_valid, verdict.is_ok(), "{verdict:?}: {}", String::from_utf8_lossy(text));
    if text.trim_ascii_start().starts_with(b"{") || text.trim_ascii_start().starts_with(b"[") {
        // in blocks, however short it is
        let text = text.trim_ascii_start();
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let mut reached = Reached::nothing();
        let len = structure::container(text, value::NONE, value::NONE, 0, &mut reached);
        let is_valid = len.is_some_and(|len| text[len..].iter().all(is_space));
        assert_eq!(is_valid, verdict.is_ok(), "{verdict:?}: {}", String::from_utf8_lossy(text));
        if len.is_none() {
            let from_front = scan::scan(text, &NAMES, &mut Noted::new(text));
            assert_eq!(scan::resume(text, reached.start()), from_front, "{}", String::from_utf8_lossy(text));
        }
    }
    if is_valid {
        for slot in 0..SLOTS {
            let (plain, fast) = (plain.get(slot), fast.get(slot));
            assert_eq!(fast, plain, "slot {slot}: {}", String::from_utf8_lossy(text));
            assert!(fast.is_empty() || fast == b"[]" || fast.as_ptr() == plain.as_ptr());
        }
    }
}

/// Both walks over one text that has been validated: the notes and the end of an object, the ends of strings and values.
fn assert_walks_agree(text: &[u8]) {
    if json_text(text, &NAMES, &mut Noted::new(text), &mut Reached::nothing()).is_none() {
        // deep in a deep one
        return;
    }
    for at in 0..text.len() {
        // what follows a value in a text is still there when the value is looked at
        let rest = &text[at..];
        match rest {
            [b'"' | b'{' | b'[', ..] => assert_eq!(super::value_len(rest), plain::value_len(rest)),
            // letters and digits are a value only where one begins
            [b't' | b'f' | b'n' | b'-' | b'0'..=b'9', ..] if matches!(text[..at], [.., b':' | b'[']) => {
                assert_eq!(super::value_len(rest), plain::value_len(rest), "{}", String::from_utf8_lossy(rest));
            }
            _ => {}
        }
    }
    if text.starts_with(b"{") {
        let (mut validated, mut trusted, mut walked) = (Noted::new(text), Noted::new(text), Noted::new(text));
        _ = json_text(text, &NAMES, &mut validated, &mut Reached::nothing());
        let followed = [text, b",{}]"].concat();
        let len = super::note_object(&followed, &NAMES, &mut trusted);
        assert_eq!(len, plain::note_object(&followed, &NAMES, &mut walked));
        assert_eq!(len, text.trim_ascii_end().len());
        for slot in 0..SLOTS {
            // where members go that are not noticed
            if slot & 7 == 6 {
                continue;
            }
            if slot != Noted::REPEAT {
                assert_eq!(trusted.get(slot), validated.get(slot));
                assert_eq!(trusted.get(slot), walked.get(slot));
            }
            // where the value ends that repeats a member is nobody's concern
            assert_eq!(trusted.get(slot).is_empty(), walked.get(slot).is_empty());
            assert_eq!(trusted.get(slot).first_chunk::<2>(), walked.get(slot).first_chunk());
        }
        for followed in [&*followed, text] {
            let Some((members, behind)) = usual::members(followed, &NAMES) else { continue };
            assert_eq!(followed.len() - behind.len(), len, "{}", String::from_utf8_lossy(text));
            for slot in 0..8 {
                assert_eq!(members.get(slot), walked.get(slot), "slot {slot}: {}", String::from_utf8_lossy(text));
                let is_seen = members.seen() & usual::Members::bit(slot) != 0;
                assert_eq!(is_seen, !walked.get(slot).is_empty(), "slot {slot}: {}", String::from_utf8_lossy(text));
            }
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
fn usual_objects(padding: &str) -> [String; 7] {
    [
        format!(r#"{{"jsonrpc":"2.0","method":"{padding}subtract","params":[42,-23,0.5,"x",true],"id":1}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":"a1b2","result":{{"a":1,"b":"","c":null,"{padding}d":false}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","method":"{padding}notify","params":{{}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":10.25,"result":"nineteen letters and {padding} a few more"}}"#),
        format!(r#"{{"jsonrpc":"2.0","params":["{padding}"],"method":"m","id":1234567}}"#),
        format!(r#"{{"jsonrpc":"2.0","result":-0,"id":"{padding}"}}"#),
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
    ]);
    let usual = usual_objects("").join(",");
    texts.push(format!("[{usual},{usual}]"));
    texts.push(format!("[{usual},\n{{\"id\":1}},{usual} ]"));
    let pretty = texts[10].clone();
    texts.push(format!("[{pretty},{pretty}]"));
    texts
}

#[test]
fn valid_texts_are_accepted_with_the_same_notes() {
    for text in texts() {
        assert!(json_text(text.as_bytes(), &NAMES, &mut Noted::new(b""), &mut Reached::nothing()).is_some(), "{text}");
        assert_twins_agree(text.as_bytes());
    }
}

#[test]
fn valid_texts_are_walked_alike_at_every_place_in_a_block() {
    for text in texts() {
        for padding in 0..130 {
            let inside = format!("{{\"id\":\"{}\",\"params\":{text},\"error\":{text}}}", "x".repeat(padding));
            assert_walks_agree(inside.as_bytes());
        }
        assert_walks_agree(text.as_bytes());
    }
}

#[test]
fn every_text_is_read_alike_at_every_place_in_a_block() {
    for text in texts() {
        for padding in 0..130 {
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
fn usual_objects_are_read_alike_wherever_a_window_ends() {
    // what stands behind an object that is read in windows
    let rest = "1,".repeat(100);
    for padding in 0..140 {
        let padding = "x".repeat(padding);
        let objects = usual_objects(&padding);
        assert_twins_agree(format!("[{},{rest}{}]", objects.join(","), objects.join(",")).as_bytes());
        for object in &objects {
            assert_walks_agree(object.as_bytes());
            let behind = usual::members(object.as_bytes(), &NAMES).map(|(_, behind)| behind.len());
            assert_eq!(behind, Some(0), "{object}");
            // a value and its name fit in a window
            if padding.len() < 16 {
                let elements = format!("{object},{rest}");
                assert_eq!(usual::elements(elements.as_bytes(), &NAMES), object.len() + 1, "{object}");
            }
        }
    }
}

#[test]
fn what_is_not_usual_is_for_others() {
    let rest = ",1".repeat(100);
    for object in [
        r#"{"id":1,"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"2.0" ,"id":1}"#,
        r#"{"jsonrpc":"2.0","id": 1}"#,
        r#"{"jsonrpc":"2.0","id" :1}"#,
        r#"{"jsonrpc":"2.0","id":1 }"#,
        r#"{"jsonrpc":"2.0","ids":1}"#,
        r#"{"jsonrpc":"2.0","params1":1}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"},"id":1}"#,
        r#"{"jsonrpc":"2.0","method":"\u0061"}"#,
    ] {
        assert!(usual::members(object.as_bytes(), &NAMES).is_none(), "{object}");
        assert_eq!(usual::elements(format!("{object}{rest}").as_bytes(), &NAMES), 0, "{object}");
    }
    for twice in [r#"{"jsonrpc":"2.0","id":1,"id":2}"#, r#"{"jsonrpc":"2.0","jsonrpc":"2.0"}"#] {
        assert!(usual::members(twice.as_bytes(), &NAMES).is_none(), "{twice}");
    }
    // valid, but these the whole pass reads
    for wrong in [
        "01",
        "1e5",
        "-",
        "1.",
        ".5",
        "+1",
        "tru",
        "[1,]",
        "[1 ]",
        "[,]",
        "{\"a\"}",
        "{\"a\":}",
        "{1:2}",
        "[1}",
        "{\"a\":1,}",
        "\"\t\"",
        "\"é\"",
        "[[]]",
        "12345678901",
    ] {
        let object = format!(r#"{{"jsonrpc":"2.0","params":{wrong}}}{rest}"#);
        assert_eq!(usual::elements(object.as_bytes(), &NAMES), 0, "{object}");
    }
}

#[test]
fn every_beginning_of_a_text_is_refused_alike() {
    for text in texts() {
        for len in 0..text.len() {
            assert_twins_agree(&text.as_bytes()[..len]);
        }
    }
}

#[test]
fn every_byte_is_judged_alike_at_every_place() {
    for text in texts() {
        let mut text = text.into_bytes();
        for at in 0..text.len() {
            let byte = text[at];
            // a debug build is slow
            for other in
                (0..=255).filter(|other| !cfg!(debug_assertions) || b"\"\\{}[]:,.-e0tn \n\x1F\x80\xC3".contains(other))
            {
                text[at] = other;
                assert_twins_agree(&text);
            }
            text[at] = byte;
        }
    }
}

#[test]
fn depth_is_limited_alike_everywhere() {
    for padding in [0, 1, 40, 100] {
        for depth in 50..70 {
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
fn every_byte_is_told_in_every_lane() {
    for other in [b'a', b'0', b'9', b'"', 0x7F, 0x80, 0xFF] {
        for byte in 0..=u8::MAX {
            for lane in 0..16 {
                let mut text = [other; 16];
                text[lane] = byte;
                let plain = |is: &dyn Fn(u8) -> bool| text.iter().position(|byte| is(*byte));
                let lowest = |mask: u32| (mask != 0).then(|| mask.trailing_zeros() as usize);
                let bytes = block::sixteen(&text, 0).unwrap_or_default();
                assert_eq!(
                    lowest(string::special(bytes)),
                    plain(&|byte| !(0x20..0x80).contains(&byte) || byte == b'"' || byte == b'\\'),
                    "{byte:#x} in lane {lane} of {other:#x}"
                );
                assert_eq!(lowest(!block::bits(block::digit(bytes)) & 0xFFFF), plain(&|byte| !byte.is_ascii_digit()));
                assert_eq!(word::is_plain(&text), plain(&|byte| byte >= 0x80 || byte == b'\\').is_none());
                for len in 0..16 {
                    let front = &text[..len];
                    assert_eq!(word::is_plain(front), front.iter().all(|byte| *byte < 0x80 && *byte != b'\\'));
                }
                assert_eq!(word::has_backslash(&text), text.contains(&b'\\'));
                let all_digits = word::eight(&text, 0);
                for (lane, byte) in text[..8].iter().enumerate() {
                    assert_eq!(word::not_digit(all_digits) >> (lane * 8) & 0xFF == 0, byte.is_ascii_digit());
                }
                let quote = word::bytes_below(word::quote_or_backslash(all_digits));
                assert_eq!(
                    (quote < 8).then_some(quote),
                    plain(&|byte| byte == b'"' || byte == b'\\').filter(|at| *at < 8)
                );
                let spaces = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
                assert_eq!(space::lines(&text), plain(&|byte| !spaces(byte)).unwrap_or(16));
            }
        }
    }
}

/// What a kind of byte is called, how a block tells it, and how one does.
type ByteKind = (&'static str, fn(Planes) -> u64, fn(u8) -> bool);

#[test]
fn every_byte_is_told_by_its_bits_in_every_lane() {
    let kinds: [ByteKind; 18] = [
        ("quote", Planes::quote, |byte| byte == b'"'),
        ("blank", Planes::blank, |byte| byte == b' '),
        ("comma", Planes::comma, |byte| byte == b','),
        ("colon", Planes::colon, |byte| byte == b':'),
        ("minus", Planes::minus, |byte| byte == b'-'),
        ("plus", Planes::plus, |byte| byte == b'+'),
        ("point", Planes::point, |byte| byte == b'.'),
        ("digit", Planes::digit, |byte| byte.is_ascii_digit()),
        ("zero", Planes::zero, |byte| byte == b'0'),
        ("opening", Planes::opening, |byte| byte == b'[' || byte == b'{'),
        ("closing", Planes::closing, |byte| byte == b']' || byte == b'}'),
        ("brace", |planes| planes.brace() & (planes.opening() | planes.closing()), |byte| byte == b'{' || byte == b'}'),
        ("backslash", Planes::backslash, |byte| byte == b'\\'),
        ("letter", Planes::letter, |byte| (0x60..0x80).contains(&byte)),
        ("e", Planes::e, |byte| byte == b'e' || byte == b'E'),
        ("n", Planes::n, |byte| byte == b'n'),
        ("control or not ASCII", Planes::control_or_not_ascii, |byte| !(0x20..0x80).contains(&byte)),
        ("line break or tab", Planes::line_break_or_tab, |byte| matches!(byte, b'\n' | b'\r' | b'\t')),
    ];
    for byte in 0..=u8::MAX {
        for lane in 0..block::LEN {
            // its neighbours differ from it in one bit each
            let mut text = [byte; block::LEN];
            for (at, other) in text.iter_mut().enumerate().filter(|(at, _)| *at != lane) {
                *other ^= 1 << (at & 7);
            }
            for (kind, told, plain) in kinds {
                let expected = text.iter().rev().fold(0, |mask, byte| mask << 1 | u64::from(plain(*byte)));
                assert_eq!(told(Planes::of(&text)), expected, "{kind}, {byte:#x} in lane {lane}");
            }
        }
    }
}

#[test]
fn every_byte_of_an_escape_is_judged_alike() {
    for place in 3..7 {
        for byte in 0..=u8::MAX {
            for escape in [r#""\u1234""#, r#""\ud83d\ude00""#, r#""\ude00""#, r#""\uABCD""#] {
                let mut text = escape.as_bytes().to_vec();
                text[place] = byte;
                assert_twins_agree(&text);
                // in a block of its own, behind others
                let long = [&b"\"\\t\\t\\t"[..], &b"x".repeat(50), &text[1..]].concat();
                assert_twins_agree(&long);
            }
        }
    }
}

/// What mutations are made of, so that they come near to valid text.
const PIECES: [&[u8]; 64] = [
    b"\"",
    b"\\",
    b"\\\\",
    b"\\\"",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"{}",
    b"[]",
    b"0",
    b"1",
    b"-",
    b".",
    b"e",
    b"E+",
    b"e-",
    b"1.5",
    b"-0",
    b"00",
    b"1e5",
    b",1,2,3,4,5,6,7,8,",
    b"true",
    b"null",
    b"false",
    b"tru",
    b" ",
    b"  ",
    b"\n",
    b"\n    ",
    b"\t",
    b"\r",
    b"\0",
    b"\x1F",
    b"\x7F",
    b"\x80",
    b"\xBF",
    b"\xC0",
    b"\xC1",
    b"\xC3\xA9",
    b"\xE0\x9F",
    b"\xE0\xA0\x80",
    b"\xED\xA0\x80",
    b"\xED\x9F\xBF",
    b"\xEF\xBF\xBF",
    b"\xF0\x8F\xBF\xBF",
    b"\xF0\x9F\x98\x80",
    b"\xF4\x8F\xBF\xBF",
    b"\xF4\x90\x80\x80",
    b"\xF5",
    b"\xFF",
    b"\\u0041",
    b"\\u",
    b"\\ud83d",
    b"\\ude00",
    b"\\ud83d\\ude00",
    b"\\n",
    b"\"code\":1,",
    b"\"error\":{",
    b"\"id\":1,",
    b"\"\":1,",
    b"                                                                  ",
];

#[test]
fn mutated_texts_are_read_alike() {
    let rounds = if cfg!(debug_assertions) { 200_000 } else { 5_000_000 };
    let texts = texts();
    let mut random = Random(1);
    let mut text = Vec::new();
    for _ in 0..rounds {
        text.clear();
        text.extend_from_slice(texts[random.below(texts.len())].as_bytes());
        for _ in 0..=random.below(3) {
            let at = random.below(text.len() + 1);
            let end = (at + random.below(3) * random.below(8)).min(text.len());
            match random.below(4) {
                0 => _ = text.splice(at..end, core::iter::empty()),
                1 => {
                    let from = random.below(text.len() + 1);
                    let to = (from + random.below(20)).min(text.len());
                    let part = text[from..to].to_vec();
                    _ = text.splice(at..end, part);
                }
                _ => _ = text.splice(at..end, PIECES[random.below(PIECES.len())].iter().copied()),
            }
        }
        assert_twins_agree(&text);
    }
}

#[test]
fn a_refused_text_is_read_on_from_near_what_is_wrong() {
    let long = "[1,\"two\",{\"three\":[4.5,null,{}],\"six\" : \"s\\n\"},[[true],\"\"],\n\t\"日本\"]";
    for part in [
        format!("{long},").repeat(50),
        format!("\"{}\",", "plain ".repeat(500)),
        format!("\"{}\",", "\\u00e9\\ud83d\\ude00é😀\\n\\\\".repeat(120)),
        format!("{{\"{}\":1}},", "é\\u0031".repeat(200)),
    ] {
        let whole = [
            format!("[{part}1]"),
            format!("{{\"id\":[{part}1],\"params\":[2],\"x\":3}}"),
            format!("{{\"error\":{{\"data\":[{part}1]}}}}"),
        ];
        for text in whole {
            for at in (0..text.len()).step_by(if cfg!(debug_assertions) { 7 } else { 1 }) {
                for wrong in *b"!\\\x1F\x80" {
                    let mut text = text.clone().into_bytes();
                    text[at] = wrong;
                    let mut reached = Reached::nothing();
                    if json_text(&text, &NAMES, &mut Noted::new(&text), &mut reached).is_some() {
                        continue;
                    }
                    let verdict = scan::scan(&text, &NAMES, &mut Noted::new(&text));
                    let start = reached.start();
                    assert_eq!(scan::resume(&text, start), verdict, "byte {at} of {}", String::from_utf8_lossy(&text));
                    let wrong = verdict.map_or_else(Error::offset, |()| 0);
                    assert!(start.at <= wrong && wrong - start.at < 1200, "byte {wrong}, read on from {}", start.at);
                }
            }
        }
    }
}
