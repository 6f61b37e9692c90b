//! Bare JSON values: where one ends is found by checking it, with the verdicts of `RawValue::parse`.

use std::fs;

use crate::common::{corpora, corpus, show};
use crate::frames::{Found, cut, frames, message};
use nanojsonrpc::frame::{Frame, FrameErrorKind, Framer, Values};
use nanojsonrpc::{ErrorKind, MAX_DEPTH, RawValue};

fn error(kind: FrameErrorKind, offset: u64) -> Found {
    Err((kind, offset))
}

fn not_json(kind: ErrorKind, offset: u64) -> Found {
    error(FrameErrorKind::NotJson(kind), offset)
}

/// The expected items of a stream of values, by `RawValue::parse` alone.
fn reference(stream: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut rest = stream;
    loop {
        let white_space = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
        rest = &rest[white_space..];
        let start = stream.len() - rest.len();
        if rest.is_empty() {
            return found;
        }
        if let Some(behind) = rest.strip_prefix(b"\xEF\xBB\xBF") {
            found.push(error(FrameErrorKind::ByteOrderMark, start as u64));
            rest = behind;
            continue;
        }
        let wrong = match RawValue::parse(rest) {
            Ok(value) => {
                found.push(Ok(value.as_bytes().escape_ascii().to_string()));
                return found;
            }
            Err(error) if error.kind() == ErrorKind::TrailingData => {
                let value = RawValue::parse(&rest[..error.offset()]).expect("it is what trails that is wrong");
                found.push(Ok(value.as_bytes().escape_ascii().to_string()));
                rest = &rest[error.offset()..];
                continue;
            }
            Err(error) => error,
        };
        let offset = wrong.offset();
        if wrong.is_incomplete() {
            found.push(error(FrameErrorKind::Truncated, (start + offset) as u64));
            return found;
        }
        found.push(not_json(wrong.kind(), (start + offset) as u64));
        match resumption(rest, offset) {
            Resumption::At(at) => rest = &rest[at..],
            Resumption::Over(at) => {
                found.push(error(FrameErrorKind::Unseparated, (start + at) as u64));
                return found;
            }
            Resumption::Never => return found,
        }
    }
}

enum Resumption {
    At(usize),
    /// An object ends there that follows a closing bracket without a line feed.
    Over(usize),
    Never,
}

/// Where a reader goes on after the wrong byte at `offset`.
fn resumption(text: &[u8], offset: usize) -> Resumption {
    let begins_line = |at: usize| at > 0 && matches!(text[at - 1..], [b'\n', b'{' | b'[', ..]);
    let (mut at, mut is_behind) = (offset, false);
    while at < text.len() {
        if begins_line(at) {
            return Resumption::At(at);
        }
        if is_behind && text[at] == b'{' {
            match RawValue::parse(&text[at..]) {
                Ok(object) => return Resumption::Over(at + object.as_bytes().len()),
                Err(error) if error.kind() == ErrorKind::TrailingData => {
                    let object = RawValue::parse(&text[at..at + error.offset()]).unwrap();
                    return Resumption::Over(at + object.as_bytes().len());
                }
                Err(error) if error.is_incomplete() => return Resumption::Never,
                Err(error) => (at, is_behind) = (at + error.offset(), false),
            }
            continue;
        }
        is_behind = match text[at] {
            b'}' | b']' => true,
            0..=b' ' | b'[' => is_behind,
            _ => false,
        };
        at += 1;
    }
    Resumption::Never
}

/// The frame and the reference on one stream, in chunks of some sizes.
fn agrees(stream: &[u8]) {
    let expected = reference(stream);
    for size in [1, 2, 3, 7, usize::MAX] {
        assert_eq!(cut::<Values, 4096>(stream, || size), expected, "chunks of {size}: {}", show(stream));
    }
}

#[test]
fn values_need_nothing_between_them() {
    let stream = b"{\"a\":[1,{}]}[]\"x\"\"y\"truefalse nullnull 1 2\n-3\t{}4[5]6\"7\"8true9";
    let expected =
        ["{\\\"a\\\":[1,{}]}", "[]", "\\\"x\\\"", "\\\"y\\\"", "true", "false", "null", "null", "1", "2", "-3", "{}"];
    let expected = expected.iter().chain(&["4", "[5]", "6", "\\\"7\\\"", "8", "true", "9"]);
    assert_eq!(frames::<Values, 16>(stream), expected.map(|text| message(text)).collect::<Vec<_>>());
}

#[test]
fn white_space_is_no_value() {
    assert_eq!(frames::<Values, 4>(b""), []);
    assert_eq!(frames::<Values, 4>(b" \t\r\n  \n "), []);
    assert_eq!(frames::<Values, 4>(b"      1      2      "), [message("1"), message("2")]);
}

#[test]
fn a_value_is_there_with_its_last_byte_and_a_number_with_the_one_behind() {
    for (text, is_there) in [("{}", true), ("[1]", true), ("\"\"", true), ("null", true), ("12", false), ("1e5", false)]
    {
        let mut framer = Framer::<Values, 16>::new();
        let (last, before) = text.as_bytes().split_last().unwrap();
        framer.push(before);
        assert_eq!(framer.next(), None, "{text}");
        framer.push(&[*last]);
        assert_eq!(framer.next().is_some(), is_there, "{text}");
        framer.push(b"\n");
        assert_eq!(framer.next().is_some(), !is_there, "{text}");
    }
}

#[test]
fn a_wrong_byte_is_refused_when_it_comes() {
    for (text, kind) in [
        (&b"{x"[..], ErrorKind::ExpectedName),
        (b"[01", ErrorKind::InvalidNumber),
        (b"\"\\x", ErrorKind::InvalidEscape),
        (b"\"\\ud800x", ErrorKind::LoneSurrogate),
        (b"\"\\udc", ErrorKind::LoneSurrogate),
        (b"\"\xED\xA0", ErrorKind::InvalidUtf8),
        (b"nulk", ErrorKind::InvalidLiteral),
        (b"\"\x1F", ErrorKind::ControlCharacter),
        (b"[1}", ErrorKind::ExpectedComma),
        (b"{\"a\"]", ErrorKind::ExpectedColon),
        (b"}", ErrorKind::ExpectedValue),
        (b"\0", ErrorKind::ExpectedValue),
        (b"'", ErrorKind::ExpectedValue),
    ] {
        let mut framer = Framer::<Values, 16>::new();
        framer.push(&text[..text.len() - 1]);
        assert_eq!(framer.next(), None, "{}", show(text));
        framer.push(&text[text.len() - 1..]);
        let found = framer.next().unwrap().unwrap_err();
        assert_eq!((found.kind(), found.offset()), (FrameErrorKind::NotJson(kind), text.len() as u64 - 1));
        agrees(text);
    }
}

#[test]
fn after_an_error_a_line_that_begins_with_a_bracket_counts() {
    let stream = b"{\"a\":x}, {\"b\":\n{\"c\":2}\n\n  \"d\n  {},\n}\n[3]";
    let expected = [
        not_json(ErrorKind::ExpectedValue, 5),
        message("{\\\"c\\\":2}"),
        not_json(ErrorKind::ControlCharacter, 28),
        message("[3]"),
    ];
    assert_eq!(frames::<Values, 32>(stream), expected);
    // the wrong byte may be that line feed
    assert_eq!(frames::<Values, 8>(b"[\"a\n[1]"), [not_json(ErrorKind::ControlCharacter, 3), message("[1]")]);
    assert_eq!(frames::<Values, 8>(b"}\n}\n\n{}"), [not_json(ErrorKind::ExpectedValue, 0), message("{}")]);
    assert_eq!(frames::<Values, 8>(b"} 1\n2\n"), [not_json(ErrorKind::ExpectedValue, 0)]);
}

/// The stream ends at the first evidence that the peer sends no line feed; an object in the broken text is never a message.
#[test]
fn after_an_error_values_without_a_line_feed_end_the_stream() {
    let over = |offset| error(FrameErrorKind::Unseparated, offset);
    let wrong = |offset| not_json(ErrorKind::ExpectedName, offset);
    for rest in ["", "{\"b\":2}", "\n{\"b\":2}\n", "\0"] {
        let stream = ["{'a'}{\"a\":1}", rest].concat();
        assert_eq!(frames::<Values, 16>(stream.as_bytes()), [wrong(1), over(12)], "{rest}");
    }
    for separator in [" ", "\0", "\x1E", "\r", "[", " \n "] {
        let stream = ["{'a'}", separator, "{\"a\":[\n 1]}"].concat();
        assert_eq!(frames::<Values, 16>(stream.as_bytes()), [wrong(1), over(stream.len() as u64)], "{separator:?}");
    }
    let embedded = "{\"a\":\"\\x {\"method\":1} {\"method\":2}\"}";
    assert_eq!(frames::<Values, 32>(embedded.as_bytes()), [not_json(ErrorKind::InvalidEscape, 7), over(34)]);
    // an object on a line of its own is a message, and so is what follows it
    for line in ["[tag] {x}", "[tag] [1] {", "[tag] text {\"a\":1}", "[tag], {\"a\":1}", "} {1}"] {
        let found = frames::<Values, 32>([line, "\n{\"b\":2}\n[3]{\"c\":4}"].concat().as_bytes());
        assert!(found[0].is_err() && found.len() == 4, "{line}: {found:?}");
        assert_eq!(found[1..], [message("{\\\"b\\\":2}"), message("[3]"), message("{\\\"c\\\":4}")], "{line}");
    }
    // until the framer is cleared
    let mut framer = Framer::<Values, 16>::new();
    framer.push(b"}{}{}\n{}");
    while framer.next().is_some() {}
    assert!(framer.frame().is_over());
    assert!(framer.push(b"\n{}\n") != 0 && framer.next().is_none() && framer.finish().is_none());
    framer.clear();
    assert!(!framer.frame().is_over() && framer.push(b"{}") != 0 && framer.next().is_some());
}

/// A peer stops within a message, and begins again on a new line.
#[test]
fn a_bracket_at_the_start_of_a_line_counts_where_it_is_refused() {
    assert_eq!(
        frames::<Values, 32>(b"{\"params\":{\n{\"id\":1}\n{\"id\":2}\n"),
        [not_json(ErrorKind::ExpectedName, 12), message("{\\\"id\\\":1}"), message("{\\\"id\\\":2}")]
    );
    // the first message becomes an element
    assert_eq!(frames::<Values, 16>(b"[\n[1]\n[2]\n"), [not_json(ErrorKind::ExpectedComma, 6), message("[2]")]);
    for stream in [
        &b"[1\n[2]\n{}"[..],
        b"{\n[2]",
        b"{\"a\"\n{}",
        b"{\"a\":1\n[2]",
        b"[1 [2]\n[3]",
        b"[1\n 2\n[3]",
        b"\n\xEF[1]\n[2]",
    ] {
        agrees(stream);
    }
    let deep = "[\n".repeat(MAX_DEPTH + 2) + "0" + &"\n]".repeat(2);
    agrees(deep.as_bytes());
    // also in a value that is too long
    for size in [1, 2, usize::MAX] {
        let found = cut::<Values, 4>(b"[1,2,3,4\n[1]\n{}", || size);
        assert_eq!(found, [error(FrameErrorKind::TooLong, 4), message("[1]"), message("{}")], "chunks of {size}");
    }
}

#[test]
fn a_value_may_fill_the_buffer_and_a_number_leaves_a_byte() {
    assert_eq!(
        frames::<Values, 8>(b"\"123456\"[1,2,34]1234567 1"),
        [message("\\\"123456\\\""), message("[1,2,34]"), message("1234567"), message("1")]
    );
    assert_eq!(frames::<Values, 8>(b"12345678 1"), [error(FrameErrorKind::TooLong, 8), message("1")]);
    assert_eq!(frames::<Values, 8>(b"12345678"), [error(FrameErrorKind::TooLong, 8)]);
}

#[test]
fn a_value_that_is_too_long_is_read_to_its_end() {
    let stream = b"[\"a\n{]\",{\"b\":\"\\\"]}\"}][1]".to_vec();
    let stream: Vec<u8> = stream.into_iter().filter(|byte| *byte != b'\n').collect();
    assert_eq!(frames::<Values, 8>(&stream), [error(FrameErrorKind::TooLong, 8), message("[1]")]);
    let long = [b"\"".as_slice(), &[b'x'; 1000], b"\"2"].concat();
    assert_eq!(frames::<Values, 8>(&long), [error(FrameErrorKind::TooLong, 8), message("2")]);
    // or until it is no JSON, which is not a second error
    assert_eq!(frames::<Values, 4>(b"[1,2,3,+]\n[1]"), [error(FrameErrorKind::TooLong, 4), message("[1]")]);
    assert_eq!(frames::<Values, 4>(b"[1,2,3"), [error(FrameErrorKind::TooLong, 4)]);
}

#[test]
fn a_byte_order_mark_is_an_error_and_the_value_counts() {
    let mark = |offset| error(FrameErrorKind::ByteOrderMark, offset);
    assert_eq!(
        frames::<Values, 4>(b"\xEF\xBB\xBF1\n \xEF\xBB\xBF\xEF\xBB\xBF{}"),
        [mark(0), message("1"), mark(6), mark(9), message("{}")]
    );
    assert_eq!(frames::<Values, 4>(b"\xEF\xBB{}\n{}"), [not_json(ErrorKind::ExpectedValue, 0), message("{}")]);
    assert_eq!(frames::<Values, 4>(b" \xEF\xBB"), [not_json(ErrorKind::ExpectedValue, 1)]);
}

#[test]
fn a_stream_that_ends_inside_a_value_is_truncated() {
    let text = br#"{"a":[1,-2.5e+3,true,"\u00e4\ud83d\ude00"],"b":null}"#;
    for len in (1..text.len()).step_by(if cfg!(miri) { 11 } else { 1 }) {
        assert_eq!(cut::<Values, 64>(&text[..len], || 3), [error(FrameErrorKind::Truncated, len as u64)], "{len}");
    }
    for number in ["-", "1.", "1e", "1e+", "1E-"] {
        assert_eq!(frames::<Values, 8>(number.as_bytes()), [error(FrameErrorKind::Truncated, number.len() as u64)]);
    }
}

#[test]
fn nesting_has_the_limit_of_the_pass() {
    let nested = |depth| [vec![b'['; depth], vec![b']'; depth]].concat();
    assert_eq!(cut::<Values, 256>(&nested(MAX_DEPTH), || 5).len(), 1);
    assert_eq!(frames::<Values, 256>(&nested(MAX_DEPTH + 1)), [not_json(ErrorKind::TooDeep, MAX_DEPTH as u64)]);
    agrees(&[b"{\"a\":".repeat(MAX_DEPTH), b"{".to_vec()].concat());
    agrees(&[b"[{\"a\":".repeat(31), b"[]".to_vec(), b"}]".repeat(31)].concat());
}

#[test]
fn every_text_of_the_suite_gets_the_verdict_of_the_pass() {
    let Some(folder) = corpora() else { return };
    let mut seen = 0;
    for entry in fs::read_dir(folder.join("JSONTestSuite")).expect("a folder") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let text = fs::read(&path).expect("a file that can be read");
            if text.len() > 4096 {
                continue;
            }
            agrees(&text);
            agrees(&[&text, b"\n[".as_slice(), &text, b"]".as_slice()].concat()[..text.len().min(2000) * 2]);
            seen += 1;
        }
    }
    assert!(seen > 300, "{seen}");
}

#[test]
fn recorded_traffic_comes_out_as_it_went_in() {
    for name in ["ethereum-execution-apis.jsonl", "mcp-schema-examples.jsonl", "jsonrpc-spec-section-7.jsonl"] {
        let Some(text) = corpus(name) else { return };
        for line in text.lines().filter(|line| line.len() < 4096) {
            agrees(line.as_bytes());
        }
    }
}

/// Everything a value can hold, twice.
const BOTH: &[u8] = br#"{"a\n\u00e4":[1,-0.5e+30,true,false,null,"\ud83D\uDE00 \\ \"","#;
const REST: &[u8] = "\"\u{7f}ä€😀\u{fffff}\"],\"b\":{\"\":[ ]} }\r\n{ \"c\" : 12E1 , \"d\":0}\n[]".as_bytes();

#[test]
fn every_prefix_gets_the_verdict_of_the_pass() {
    let stream = [BOTH, REST].concat();
    for len in (0..=stream.len()).step_by(if cfg!(miri) { 23 } else { 1 }) {
        agrees(&stream[..len]);
    }
}

#[test]
fn every_replaced_byte_gets_the_verdict_of_the_pass() {
    let mut stream = [BOTH, REST].concat();
    for at in (0..stream.len()).step_by(if cfg!(miri) { 17 } else { 1 }) {
        let original = stream[at];
        for byte in (0..=u8::MAX).step_by(if cfg!(miri) { 61 } else { 1 }) {
            stream[at] = byte;
            let expected = reference(&stream);
            assert_eq!(cut::<Values, 256>(&stream, || 1), expected, "byte {at}: {}", show(&stream));
            assert_eq!(cut::<Values, 256>(&stream, || usize::MAX), expected, "byte {at}: {}", show(&stream));
        }
        stream[at] = original;
    }
}

#[test]
fn every_deleted_or_inserted_byte_gets_the_verdict_of_the_pass() {
    let stream = [BOTH, REST].concat();
    for at in (0..stream.len()).step_by(if cfg!(miri) { 113 } else { 1 }) {
        let mut text = stream.clone();
        text.remove(at);
        agrees(&text);
        for byte in b"{}[]:,\"\\ \n0-.eutdD\x00\x80\xEF\xF0" {
            let mut text = stream.clone();
            text.insert(at, *byte);
            agrees(&text);
        }
    }
}

#[test]
fn every_short_string_inside_gets_the_verdict_of_the_pass() {
    // all pairs of bytes where two matter: UTF-8, escapes, surrogates, numbers, literals
    for (before, after) in [
        ("\"", "\""),
        ("\"\u{7f}", "x\""),
        ("\"\\u", "00\""),
        ("\"\\ud8", "\\udc00\""),
        ("\"\\ud800\\u", "00\""),
        ("-", "1"),
        ("1", "0"),
        ("1.5e", "1"),
        ("[tr", "]"),
        ("{\"", "1}"),
    ] {
        for first in 0..=u8::MAX {
            for second in 0..=u8::MAX {
                let text = [before.as_bytes(), &[first, second], after.as_bytes()].concat();
                let found = cut::<Values, 32>(&text, || 2);
                assert_eq!(found, reference(&text), "{}", show(&text));
            }
        }
    }
}

#[test]
fn a_value_is_written_with_a_line_feed() {
    let mut out = [0; 8];
    assert_eq!(Values::encode(b"[1,\n2]", &mut out), Ok(7));
    assert_eq!(&out[..7], b"[1,\n2]\n");
    assert_eq!((Values::head(3).as_ref(), Values::tail()), (&b""[..], &b"\n"[..]));
    assert_eq!(Values::encode(b"[1,\n2]", &mut [0; 6]).map_err(|error| error.kind()), Err(ErrorKind::OutputFull));
}
