//! Messages behind a `Content-Length`: the header section, and how the next one is found when it is wrong.

use crate::frames::{Found, frames, message};
use nanojsonrpc::frame::{ContentLength, Frame, FrameErrorKind, Framer};
use nanojsonrpc::{ErrorCode, ErrorKind, ErrorObject};

const MAX_HEADER_LEN: usize = ContentLength::MAX_HEADER_LEN;

fn error(kind: FrameErrorKind, offset: u64) -> Found {
    Err((kind, offset))
}

/// The items of `header` and an empty line, any body, and a message that must be found.
fn broken(header: &str) -> Vec<Found> {
    let stream = format!("{header}\r\n\r\n{{\"body\":1}}Content-Length: 4\r\n\r\nnextContent-Length:1\n\n1");
    let mut found = frames::<ContentLength, 64>(stream.as_bytes());
    assert_eq!(found.split_off(found.len() - 2), [message("next"), message("1")], "{header}");
    found
}

#[test]
fn a_message_is_as_long_as_its_header_says() {
    let stream = b"Content-Length: 2\r\n\r\n{}Content-Length: 10\r\n\r\n{\"\r\n\":\"\n\"}Content-Length: 1\r\n\r\n1";
    assert_eq!(
        frames::<ContentLength, 16>(stream),
        [message("{}"), message("{\\\"\\r\\n\\\":\\\"\\n\\\"}"), message("1")]
    );
    assert_eq!(frames::<ContentLength, 16>(b""), []);
}

#[test]
fn names_have_no_case_and_other_headers_do_not_matter() {
    let stream = b"content-type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH:2\r\nX:\r\n\r\n{}\
        cOnTeNt-LeNgTh: \t 2 \t \r\nContent-Length-X: 7\r\nX-Content-Length: 8\r\n\r\n[]";
    assert_eq!(frames::<ContentLength, 4>(stream), [message("{}"), message("[]")]);
}

#[test]
fn lines_of_the_section_may_end_with_a_line_feed_alone() {
    assert_eq!(frames::<ContentLength, 4>(b"A: b\nContent-Length: 2\n\n{}"), [message("{}")]);
    assert_eq!(frames::<ContentLength, 4>(b"Content-Length: 2\r\n\n{}"), [message("{}")]);
}

#[test]
fn empty_lines_before_a_section_are_passed_over() {
    let stream = b"\r\n\nContent-Length: 2\r\n\r\n{}\r\n\r\nContent-Length: 2\r\n\r\n[]\n";
    assert_eq!(frames::<ContentLength, 4>(stream), [message("{}"), message("[]")]);
}

/// A program that writes CRLF in the text mode of Windows.
#[test]
fn lines_of_the_section_may_end_with_two_carriage_returns() {
    let message_of = |body: &str| format!("Content-Length: {}\r\r\n\r\r\n{body}", body.len());
    let stream = ["Content-Type: x\r\r\n", &message_of("{}"), "\r\r\n", &message_of("[]"), &message_of("1")].concat();
    assert_eq!(frames::<ContentLength, 4>(stream.as_bytes()), [message("{}"), message("[]"), message("1")]);
    let stream = ["@", &message_of("{}"), &message_of("1")].concat();
    let lost = error(FrameErrorKind::InvalidHeader, 0);
    assert_eq!(frames::<ContentLength, 4>(stream.as_bytes()), [lost, message("{}"), message("1")]);
}

#[test]
fn a_length_in_characters_costs_its_own_message() {
    let body = "{\"a\":\"äöü\"}";
    let stream = |len: usize| format!("Content-Length: {len}\r\n\r\n{body}Content-Length: 2\r\n\r\n[]");
    for short in 1..body.len() {
        let cut = body.len() - short;
        let found = frames::<ContentLength, 32>(stream(cut).as_bytes());
        assert_eq!(found.first(), Some(&Ok(body.as_bytes()[..cut].escape_ascii().to_string())), "{short}");
        assert_eq!(found.last(), Some(&message("[]")), "{short}");
        assert!(found.len() == 3, "{found:?}");
    }
}

/// Blank lines, text with and without a colon, also directly behind a body.
#[test]
fn log_text_between_messages_is_one_error() {
    for text in
        ["error: could not compile\n\n  --> a.rs\n\n", "starting\n", "{\"level\":\"info\"}\n", "a\nb\n\n\nc: d\n"]
    {
        let stream =
            format!("Content-Length: 2\r\n\r\n{{}}{text}Content-Length: 2\r\n\r\n[]\n\r\n\nContent-Length:1\n\n1");
        let mut found = frames::<ContentLength, 32>(stream.as_bytes());
        assert!(found.remove(1).is_err_and(|(kind, at)| kind.as_str().contains("header") || at == 23), "{text}");
        assert_eq!(found, [message("{}"), message("[]"), message("1")], "{text}");
    }
}

#[test]
fn a_length_is_digits() {
    assert_eq!(frames::<ContentLength, 4>(b"Content-Length: 0002\r\n\r\n{}"), [message("{}")]);
    assert_eq!(frames::<ContentLength, 4>(b"Content-Length: 0\r\n\r\n"), [message("")]);
    for (value, offset) in [
        ("", 16),
        ("x", 16),
        ("+2", 16),
        ("-2", 16),
        ("0x2", 17),
        ("2.0", 17),
        ("2 2", 18),
        ("2,2", 17),
        ("2\u{0}", 17),
    ] {
        let header = format!("Content-Length: {value}");
        assert_eq!(broken(&header), [error(FrameErrorKind::InvalidLength, offset)], "{value:?}");
    }
}

#[test]
fn a_length_that_no_buffer_has_is_too_large() {
    for value in ["4294967296", "18446744073709551615", "18446744073709551616", "99999999999999999999999999"] {
        // at the tenth digit, or the one behind it
        let header = format!("Content-Length: {value}");
        let offset = if value.starts_with('4') {
            25
        } else if value.starts_with('1') {
            26
        } else {
            25
        };
        assert_eq!(broken(&header), [error(FrameErrorKind::LengthTooLarge, offset)], "{value}");
    }
    assert_eq!(
        frames::<ContentLength, 4>(b"Content-Length: 4294967295\r\n\r\n{}Content-Length: 2\r\n\r\n[]"),
        [error(FrameErrorKind::TooLong, 29)]
    );
}

#[test]
fn a_message_may_fill_the_buffer_and_one_that_does_not_fit_is_counted_down() {
    let stream = b"Content-Length: 4\r\n\r\n1234Content-Length: 5\r\n\r\n12345Content-Length: 1\r\n\r\n1";
    assert_eq!(frames::<ContentLength, 4>(stream), [message("1234"), error(FrameErrorKind::TooLong, 45), message("1")]);
    // a header inside a body does not count
    let long =
        [b"Content-Length: 26\r\n\r\n".as_slice(), b"....Content-Length: 1\r\n\r\n1", b"\nContent-Length: 1\n\n2"];
    assert_eq!(frames::<ContentLength, 4>(&long.concat()), [error(FrameErrorKind::TooLong, 21), message("2")]);
}

#[test]
fn a_section_without_a_length_is_an_error() {
    assert_eq!(broken("Content-Type: x"), [error(FrameErrorKind::MissingLength, 0)]);
}

#[test]
fn a_second_length_is_an_error_even_if_it_is_the_same() {
    assert_eq!(broken("Content-Length: 10\r\nContent-Length: 10"), [error(FrameErrorKind::RepeatedLength, 34)]);
    assert_eq!(broken("Content-Length: 10\r\nX: y\r\ncontent-length:10"), [error(FrameErrorKind::RepeatedLength, 40)]);
}

#[test]
fn what_is_no_header_is_an_error_at_its_first_wrong_byte() {
    for (header, offset) in [
        ("{\"id\":1}", 0),
        ("junk", 4),
        ("Content Length: 2", 7),
        ("Content-Length : 2", 14),
        (" X: 2", 0),
        (": 2", 0),
        ("Content-Length: 2\rX: y", 18),
        ("\rX: y", 1),
        ("Content-Length: 2\r\rX: y", 19),
        ("\r\rX: y", 2),
        ("A: b\r\nC\u{e9}: 2", 7),
    ] {
        assert_eq!(broken(header), [error(FrameErrorKind::InvalidHeader, offset)], "{header:?}");
    }
}

#[test]
fn after_an_error_only_digits_and_a_line_end_make_a_header() {
    let junk = b"{\"a\":\"Content-Length: 3\",\"b\":\"Content-Length: 3\\r\\n\\r\\n\"}content-length content-lcontent-length:1x\
        Content-Length:\r\nContent-Length: 99999999999999\r\n";
    let stream = [junk.as_slice(), b"cContent-Length: 2\r\nX: y\r\n\r\n{}"].concat();
    assert_eq!(frames::<ContentLength, 8>(&stream), [error(FrameErrorKind::InvalidHeader, 0), message("{}")]);
}

#[test]
fn an_error_behind_the_header_that_was_found_is_a_new_one() {
    let stream = b"@Content-Length: 2\r\n@Content-Length: 1\r\n\r\n1";
    let both = [error(FrameErrorKind::InvalidHeader, 0), error(FrameErrorKind::InvalidHeader, 20)];
    assert_eq!(frames::<ContentLength, 8>(stream), [both.as_slice(), &[message("1")]].concat());
}

#[test]
fn a_section_has_a_greatest_length() {
    let fill = |len: usize| format!("X: {}\r\nContent-Length: 2\r\n\r\n", "x".repeat(len - 26));
    let stream = |len| [fill(len).as_bytes(), b"{}Content-Length: 1\r\n\r\n1"].concat();
    assert_eq!(stream(MAX_HEADER_LEN).len() - 24, MAX_HEADER_LEN);
    let seen = |len| crate::frames::cut::<ContentLength, 8>(&stream(len), || 7);
    assert_eq!(seen(MAX_HEADER_LEN), [message("{}"), message("1")]);
    assert_eq!(seen(MAX_HEADER_LEN + 1), [error(FrameErrorKind::HeaderTooLong, 1024), message("1")]);
    // and starts anew for the next message
    let twice = [stream(MAX_HEADER_LEN), stream(MAX_HEADER_LEN)].concat();
    assert_eq!(crate::frames::cut::<ContentLength, 8>(&twice, || 7).iter().filter(|found| found.is_ok()).count(), 4);
}

#[test]
fn a_byte_order_mark_is_an_error_and_the_section_counts() {
    let mark = |offset| error(FrameErrorKind::ByteOrderMark, offset);
    let stream = b"\xEF\xBB\xBFContent-Length: 2\r\n\r\n{}\xEF\xBB\xBFContent-Length: 1\r\n\r\n1";
    assert_eq!(frames::<ContentLength, 8>(stream), [mark(0), message("{}"), mark(26), message("1")]);
    assert_eq!(broken("\u{feff}\u{feff}X: y"), [mark(0), mark(3), error(FrameErrorKind::MissingLength, 6)]);
    assert_eq!(frames::<ContentLength, 8>(b"\xEF\xBBX"), [error(FrameErrorKind::InvalidHeader, 2)]);
    assert_eq!(broken("X: y\r\n\u{feff}"), [error(FrameErrorKind::InvalidHeader, 6)]);
}

#[test]
fn a_stream_that_ends_anywhere_inside_is_truncated() {
    let stream = b"Content-Length: 2\r\n\r\n{}";
    for len in (1..stream.len()).step_by(if cfg!(miri) { 11 } else { 1 }) {
        assert_eq!(frames::<ContentLength, 8>(&stream[..len]), [error(FrameErrorKind::Truncated, len as u64)], "{len}");
    }
    // the loss was reported
    assert_eq!(frames::<ContentLength, 8>(b"@ Content-Length: 2"), [error(FrameErrorKind::InvalidHeader, 0)]);
    assert_eq!(frames::<ContentLength, 1>(b"Content-Length: 2\r\n\r\n{"), [error(FrameErrorKind::TooLong, 20)]);
}

#[test]
fn a_message_is_written_with_its_length() {
    for len in [0, 1, 9, 10, 99, 100, 12345] {
        let text = vec![b'1'; len];
        let mut out = vec![0; len + 32];
        let written = ContentLength::encode(&text, &mut out).unwrap();
        let expected = [format!("Content-Length: {len}\r\n\r\n").as_bytes(), &text].concat();
        assert_eq!(&out[..written], expected);
        assert_eq!(ContentLength::encode(&text, &mut vec![0; written]), Ok(written));
        let error = ContentLength::encode(&text, &mut vec![0; written - 1]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutputFull);
    }
    let longest = format!("Content-Length: {}\r\n\r\n", usize::MAX);
    assert_eq!(ContentLength::head(usize::MAX).as_ref(), longest.as_bytes());
    // and as it stands
    let mut out = [0; 32];
    let len = ContentLength::encode(b"[\r\n1]", &mut out).unwrap();
    assert!(out[..len].ends_with(b"[\r\n1]"));
}

#[test]
fn a_peer_hears_one_text_for_all_limits_and_another_for_all_faults() {
    let answer = |stream: &[u8]| {
        let mut framer = Framer::<ContentLength, 2048>::new();
        let mut found = None;
        let mut rest = stream;
        while found.is_none() && !rest.is_empty() {
            rest = &rest[framer.push(rest)..];
            found = framer.next().map(|found| found.map(<[u8]>::to_vec));
        }
        let error = found.or_else(|| framer.finish().map(|found| found.map(<[u8]>::to_vec))).expect("an item");
        let object = ErrorObject::from(error.expect_err("a fault"));
        (object.code, object.message.to_string())
    };
    let long = format!("X: {}", "x".repeat(MAX_HEADER_LEN));
    let body = format!("Content-Length: 2049\r\n\r\n{}", "x".repeat(2048));
    for stream in [body.as_str(), "Content-Length: 4294967296\r\n\r\n", &long] {
        let limit = (ErrorCode::INVALID_REQUEST, "message too long for the buffer".to_string());
        assert_eq!(answer(stream.as_bytes()), limit, "{stream}");
    }
    for stream in ["Content-Length: x\r\n\r\n", "X\r\n\r\n", "X: y\r\n\r\n", "Content-Length: 4\r\n\r\n"] {
        assert_eq!(answer(stream.as_bytes()), (ErrorCode::PARSE_ERROR, "Parse error".to_string()), "{stream}");
    }
}
