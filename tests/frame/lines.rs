//! Newline-delimited messages: line ends, and lines that are no message.

use crate::frames::{frames, message};
use nanojsonrpc::ErrorKind;
use nanojsonrpc::frame::{Frame, FrameErrorKind, Framer, Lines};

#[test]
fn a_line_ends_with_a_line_feed_or_with_both() {
    assert_eq!(frames::<Lines, 8>(b"1\n2\r\n3\n"), [message("1"), message("2"), message("3")]);
}

#[test]
fn only_the_last_carriage_return_belongs_to_the_line_end() {
    assert_eq!(frames::<Lines, 8>(b"1\r2\r\r\n"), [message("1\\r2\\r")]);
}

#[test]
fn lines_of_white_space_are_no_messages() {
    assert_eq!(frames::<Lines, 8>(b"\n\r\n \t\r\n1\n\n  \n\n2\n\r\n"), [message("1"), message("2")]);
    assert_eq!(frames::<Lines, 8>(b""), []);
    assert_eq!(frames::<Lines, 8>(b" \r"), []);
}

#[test]
fn the_last_line_needs_no_line_feed() {
    assert_eq!(frames::<Lines, 8>(b"1\n22"), [message("1"), message("22")]);
    assert_eq!(frames::<Lines, 8>(b"22\r"), [message("22")]);
}

#[test]
fn a_line_with_its_line_feed_may_fill_the_buffer_and_no_more() {
    assert_eq!(frames::<Lines, 8>(b"1234567\n1\n"), [message("1234567"), message("1")]);
    assert_eq!(frames::<Lines, 8>(b"123456\r\n1\n"), [message("123456"), message("1")]);
    let too_long = Err((FrameErrorKind::TooLong, 8));
    assert_eq!(frames::<Lines, 8>(b"12345678\n1\n"), [too_long.clone(), message("1")]);
    assert_eq!(frames::<Lines, 8>(b"1234567\r\n1\n"), [too_long, message("1")]);
    // without a line feed, too
    assert_eq!(frames::<Lines, 8>(b"1\n1234567"), [message("1"), message("1234567")]);
    assert_eq!(frames::<Lines, 8>(b"1\n12345678"), [message("1"), Err((FrameErrorKind::TooLong, 10))]);
}

#[test]
fn a_line_that_is_too_long_is_one_error_however_long_it_is() {
    let stream = [b"1\n".as_slice(), &[b'x'; 1000], b"\n2\n", &[b'y'; 100], b"\n3\n"].concat();
    let (first, second) = (Err((FrameErrorKind::TooLong, 10)), Err((FrameErrorKind::TooLong, 1013)));
    assert_eq!(frames::<Lines, 8>(&stream), [message("1"), first, message("2"), second, message("3")]);
}

#[test]
fn a_byte_order_mark_is_an_error_and_the_line_comes_without_it() {
    let mark = |offset| Err((FrameErrorKind::ByteOrderMark, offset));
    assert_eq!(frames::<Lines, 8>(b"\xEF\xBB\xBF1\n2\n"), [mark(0), message("1"), message("2")]);
    assert_eq!(frames::<Lines, 8>(b"1\n\xEF\xBB\xBF2\r\n"), [message("1"), mark(2), message("2")]);
    assert_eq!(frames::<Lines, 8>(b"\xEF\xBB\xBF2"), [mark(0), message("2")]);
    assert_eq!(frames::<Lines, 8>(b"\xEF\xBB\xBF\n"), [mark(0)]);
    assert_eq!(frames::<Lines, 8>(b"\xEF\xBB\n"), [message("\\xef\\xbb")]);
}

#[test]
fn what_is_in_a_line_is_not_looked_at() {
    let bytes: Vec<u8> = (0..=255).filter(|byte| *byte != b'\n').collect();
    let stream = [&bytes, b"\n".as_slice()].concat();
    assert_eq!(frames::<Lines, 256>(&stream), [Ok(bytes.escape_ascii().to_string())]);
}

#[test]
fn a_raw_line_break_is_a_space_when_it_is_written() {
    let mut out = [0; 16];
    let len = Lines::encode(b"{\r\n\"a\":\n1}", &mut out).unwrap();
    assert_eq!(&out[..len], b"{  \"a\": 1}\n");
    let mut text = *b"[\n1,\r2]";
    Lines::replace_line_ends(&mut text);
    assert_eq!(&text, b"[ 1, 2]");
    assert_eq!((Lines::head(7).as_ref(), Lines::tail()), (&b""[..], &b"\n"[..]));
}

#[test]
fn a_line_is_written_whole_or_not_at_all() {
    for room in 0..8 {
        let error = Lines::encode(b"[1,2,3]", &mut vec![0; room]).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::OutputFull, room));
    }
    assert_eq!(Lines::encode(b"[1,2,3]", &mut [0; 8]), Ok(8));
}

#[test]
fn push_takes_what_there_is_room_for() {
    let mut framer = Framer::<Lines, 4>::new();
    assert_eq!((framer.push(b"1\n2\n3\n"), framer.push(b"3\n")), (4, 0));
    assert_eq!(framer.next(), Some(Ok(&b"1"[..])));
    assert_eq!(framer.push(b"3\n"), 2);
    assert_eq!(framer.next(), Some(Ok(&b"2"[..])));
    assert_eq!(framer.next(), Some(Ok(&b"3"[..])));
    assert_eq!(framer.next(), None);
    // `filled` ignores bytes beyond the room
    framer.spare().fill(b'x');
    framer.filled(usize::MAX);
    assert_eq!(framer.next().unwrap().map_err(|error| error.kind()), Err(FrameErrorKind::TooLong));
    framer.clear();
    assert_eq!(framer.next(), None);
    assert_eq!(framer.spare().len(), 4);
}

#[test]
fn an_error_says_what_and_where() {
    let mut framer = Framer::<Lines, 2>::new();
    framer.push(b"ab");
    let error = framer.next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "message too long for the buffer at byte 2 of the stream");
    assert!(error.kind().is_limit());
}
