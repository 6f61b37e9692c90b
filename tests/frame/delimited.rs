//! Messages that end with other control characters than a line feed, and line separators as escapes.

use crate::frames::{Found, frames, message};
use nanojsonrpc::ErrorKind;
use nanojsonrpc::frame::{Delimited, Delimiter, Frame, FrameErrorKind, Lines};

macro_rules! delimiters {
    ($($name:ident $ends:literal $tail:literal)*) => {$(
        struct $name;

        impl Delimiter for $name {
            const ENDS: &'static [u8] = $ends;
            const TAIL: &'static [u8] = $tail;
        }
    )*};
}

delimiters! {
    Cr b"\r" b"\r"
    CrLf b"\r\n" b"\r\n"
    LfOnly b"\n" b"\r\n"
    Any b"\0\x03\x1E\n" b"\x1E\n"
}

struct Nul;

impl Delimiter for Nul {
    const ENDS: &'static [u8] = b"\0";
}

struct Etx;

impl Delimiter for Etx {
    const ENDS: &'static [u8] = b"\x03";
}

/// Lines for a peer that reads them with Node.
struct Node;

impl Delimiter for Node {
    const ENDS: &'static [u8] = b"\n";
    const ESCAPES_LINE_SEPARATORS: bool = true;
}

fn texts(texts: &[&str]) -> Vec<Found> {
    texts.iter().map(|text| message(&text.as_bytes().escape_ascii().to_string())).collect()
}

fn encoded<F: Frame>(text: &str) -> Vec<u8> {
    let mut out = vec![0; 2 * text.len() + 8];
    let len = F::encode(text.as_bytes(), &mut out).unwrap();
    // whole or not at all
    assert_eq!(F::encode(text.as_bytes(), &mut vec![0; len]), Ok(len));
    for room in 0..len {
        let error = F::encode(text.as_bytes(), &mut vec![0; room]).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::OutputFull, room));
    }
    out.truncate(len);
    out
}

#[test]
fn each_end_ends_a_message() {
    assert_eq!(frames::<Delimited<Cr>, 8>(b"[1]\r[2]\r\r\r[\n3]\r\n"), texts(&["[1]", "[2]", "[\n3]"]));
    assert_eq!(frames::<Delimited<CrLf>, 8>(b"[1]\r[2]\n[3]\r\n[4]"), texts(&["[1]", "[2]", "[3]", "[4]"]));
    assert_eq!(frames::<Delimited<Nul>, 8>(b"[1]\0\0[\r\n2]\n\0 \0[3]\0"), texts(&["[1]", "[\r\n2]\n", "[3]"]));
    assert_eq!(frames::<Delimited<Etx>, 8>(b"[1]\x03[2]\x03"), texts(&["[1]", "[2]"]));
    // also the form of RFC 7464
    assert_eq!(frames::<Delimited<Any>, 8>(b"\x1E[1]\n\x1E[2]\n[3]\0[4]\x03"), texts(&["[1]", "[2]", "[3]", "[4]"]));
    assert_eq!(frames::<Delimited<LfOnly>, 8>(b"[1]\r\n[2]\n"), frames::<Lines, 8>(b"[1]\r\n[2]\n"));
}

#[test]
fn limits_and_recovery_are_those_of_lines() {
    let too_long = |offset| Err((FrameErrorKind::TooLong, offset));
    let stream = |end: &str| ["[1,2,3]", "[1,2,34]", "\u{feff}[3]", "[4]"].map(|text| text.to_string() + end).concat();
    let expected =
        [message("[1,2,3]"), too_long(16), Err((FrameErrorKind::ByteOrderMark, 17)), message("[3]"), message("[4]")];
    assert_eq!(frames::<Lines, 8>(stream("\n").as_bytes()), expected);
    assert_eq!(frames::<Delimited<Nul>, 8>(stream("\0").as_bytes()), expected);
    assert_eq!(frames::<Delimited<Cr>, 8>(stream("\r").as_bytes()), expected);
    assert_eq!(frames::<Delimited<Any>, 8>(stream("\x1E").as_bytes()), expected);
    let http = b"POST / HTTP/1.1\r\n\r\n[1]\0[2]\0";
    assert_eq!(frames::<Delimited<Nul>, 64>(http), [Err((FrameErrorKind::OtherProtocol, 0))]);
}

#[test]
fn a_message_is_written_with_its_tail_and_without_an_end_in_it() {
    let text = "[1,\r\n\t2]";
    assert_eq!(encoded::<Delimited<Cr>>(text), b"[1, \n\t2]\r");
    assert_eq!(encoded::<Delimited<CrLf>>(text), b"[1,  \t2]\r\n");
    assert_eq!(encoded::<Delimited<LfOnly>>(text), b"[1,  \t2]\r\n");
    assert_eq!(encoded::<Delimited<Nul>>(text), b"[1,\r\n\t2]\0");
    assert_eq!(encoded::<Delimited<Etx>>(text), b"[1,\r\n\t2]\x03");
    assert_eq!(encoded::<Delimited<Any>>(text), b"[1,  \t2]\x1E\n");
    assert!(
        format!("{:?}", nanojsonrpc::frame::Framer::<Delimited<Etx>, 8>::new().frame()).contains("is_dropping: false")
    );
}

#[test]
fn line_separators_are_escapes_where_the_delimiter_says_so() {
    for text in [
        "\"\"",
        "\"a\"",
        "\"\u{2028}\"",
        "\"\u{2029}\"",
        "\"a\u{2028}b\u{2029}\u{2028}c\"",
        "[\"\u{2029}\",\n\"\u{2027}\u{202a}\u{2128}\"]",
    ] {
        let escaped = text.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029").replace('\n', " ") + "\n";
        assert_eq!(encoded::<Delimited<Node>>(text), escaped.as_bytes());
        assert_eq!(encoded::<Lines>(text), (text.replace('\n', " ") + "\n").as_bytes());
    }
    assert_eq!(frames::<Delimited<Node>, 16>("\"\u{2028}\"\n1\n".as_bytes()), texts(&["\"\u{2028}\"", "1"]));
}
