//! Server-sent events: fields, line ends, blocks that are no event, and state that stays between events.

use crate::frames::{Found, cut, cut_as, frames, message};
use nanojsonrpc::ErrorKind;
use nanojsonrpc::frame::{Event, Events, Frame, FrameErrorKind, Framer};

fn error(kind: FrameErrorKind, offset: u64) -> Found {
    Err((kind, offset))
}

/// Name, id and data of an event.
type Seen = Result<(String, String, String), (FrameErrorKind, u64)>;

fn event(event: &str, id: &str, data: &str) -> Seen {
    Ok((event.to_string(), id.to_string(), data.to_string()))
}

/// The whole events in `stream`, the same for chunks of every size. The buffer has room for 31 bytes of data.
fn events(stream: &[u8]) -> Vec<Seen> {
    let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
    let see = |event: Event<'_>| (text(event.event), text(event.id), text(event.data));
    let found = cut_as::<Events<8, 8>, 32, _>(stream, || usize::MAX, see);
    for size in (1..=stream.len()).step_by(if cfg!(miri) { 1 + stream.len() / 3 } else { 1 }) {
        assert_eq!(cut_as::<Events<8, 8>, 32, _>(stream, || size, see), found, "chunks of {size}");
    }
    found
}

#[test]
fn an_event_is_its_data_up_to_an_empty_line() {
    assert_eq!(frames::<Events, 16>(b"data: {}\n\ndata: []\n\n"), [message("{}"), message("[]")]);
    assert_eq!(frames::<Events, 16>(b""), []);
}

#[test]
fn a_line_ends_with_either_or_both() {
    for end in ["\n", "\r", "\r\n"] {
        let stream = format!("data: 1{end}data: 2{end}{end}{end}: x{end}data: 3{end}{end}");
        assert_eq!(frames::<Events, 16>(stream.as_bytes()), [message("1\\n2"), message("3")], "{end:?}");
    }
    assert_eq!(frames::<Events, 16>(b"data:1\rdata:2\ndata:3\r\n\rdata:4\n\r\n"), [message("1\\n2\\n3"), message("4")]);
    // a LF behind a CR ends no second line
    assert_eq!(frames::<Events, 16>(b"data:1\r\ndata:2\r\n\r\n"), [message("1\\n2")]);
    // the event is there with its CR
    let mut framer = Framer::<Events, 16>::new();
    framer.push(b"data:1\r\n\r");
    assert!(framer.next().is_some_and(|found| found.is_ok_and(|event| event.data == b"1")));
}

#[test]
fn one_space_behind_the_colon_is_not_part_of_the_value() {
    assert_eq!(
        frames::<Events, 16>(b"data:1\ndata: 1\ndata:  1\ndata:\t1\ndata: 1 \n\n"),
        [message("1\\n1\\n 1\\n\\t1\\n1 ")]
    );
    assert_eq!(frames::<Events, 16>(b"data: \ndata:\ndata\ndata:  \n\n"), [message("\\n\\n\\n ")]);
    assert_eq!(frames::<Events, 16>(b"data::1:\n\n"), [message(":1:")]);
}

#[test]
fn the_examples_of_the_standard() {
    let stream = b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n";
    assert_eq!(
        events(stream),
        [
            event("message", "1", "first event"),
            event("message", "", "second event"),
            event("message", "", " third event")
        ]
    );
    // the last block is thrown away because no empty line follows it
    let stream = b"data\n\ndata\ndata\n\ndata:";
    assert_eq!(
        events(stream),
        [event("message", "", ""), event("message", "", "\\n"), Err((FrameErrorKind::Truncated, stream.len() as u64))]
    );
    assert_eq!(events(b"data:test\n\ndata: test\n\n"), [event("message", "", "test"), event("message", "", "test")]);
    let stream = b"event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\nevent: add\ndata: 113411\n\n";
    assert_eq!(events(stream), [event("add", "", "73857293"), event("remove", "", "2153"), event("add", "", "113411")]);
}

#[test]
fn an_event_without_data_is_none_and_its_id_counts() {
    assert_eq!(events(b"id: 1\n\nevent: a\n\n: x\n\ndata: 2\n\n"), [event("message", "1", "2")]);
    // the first event of an MCP stream
    assert_eq!(events(b"id: 1\ndata:\n\n"), [event("message", "1", "")]);
}

#[test]
fn a_name_holds_for_one_event_and_an_id_until_the_next() {
    let stream =
        b"event: a\nid: 1\ndata: x\n\ndata: y\n\nid: 2\nid: 3\nevent: b\nevent: c\ndata: z\n\nid\nevent\ndata\n\n";
    assert_eq!(
        events(stream),
        [event("a", "1", "x"), event("message", "1", "y"), event("c", "3", "z"), event("message", "", "")]
    );
}

#[test]
fn fields_between_the_lines_of_data_do_not_tear_it() {
    let stream = b"data: 1\nid: 12345678\ndata: 2\n: x\nevent: abcdefgh\ndata\nretry: 1\nother: 3\ndata: 4\nid: 7\n\n";
    assert_eq!(events(stream), [event("abcdefgh", "7", "1\\n2\\n\\n4")]);
}

#[test]
fn only_exact_names_count() {
    let stream =
        b"Data: 1\n data: 2\ndata : 3\ndat: 4\ndataa: 5\nxdata: 6\n\0data: 7\nretryy\nDATA\n: data: 8\n\ndata:9\n\n";
    assert_eq!(frames::<Events, 16>(stream), [message("9")]);
}

#[test]
fn an_id_with_a_zero_byte_is_ignored() {
    assert_eq!(events(b"id: 1\nid: 2\0\ndata: x\n\n"), [event("message", "1", "x")]);
}

#[test]
fn retry_is_digits() {
    let retry = |value: &str| {
        let mut framer = Framer::<Events, 64>::new();
        framer.push(format!("retry: 5\nretry: {value}\n").as_bytes());
        assert!(framer.next().is_none());
        framer.frame().retry()
    };
    assert_eq!((retry("3000"), retry("007"), retry("0")), (Some(3000), Some(7), Some(0)));
    assert_eq!(
        (retry(""), retry("-1"), retry("1.5"), retry("1 "), retry("x")),
        (Some(5), Some(5), Some(5), Some(5), Some(5))
    );
    assert_eq!((retry("4294967296"), retry("99999999999999999999")), (Some(u32::MAX), Some(u32::MAX)));
    assert_eq!(Framer::<Events, 8>::new().frame().retry(), None);
}

#[test]
fn the_last_id_outlives_the_stream() {
    let mut framer = Framer::<Events<8>, 64>::new();
    framer.push(b"id: 1\nretry: 9\nid: 22\n\nid: 3\ndata: x");
    assert!(framer.next().is_none());
    assert!(framer.finish().is_some_and(|found| found.is_err()));
    assert_eq!((framer.frame().last_event_id(), framer.frame().retry()), (&b"22"[..], Some(9)));
    // a reconnect
    framer.clear();
    framer.push(b": busy\n");
    assert_eq!((framer.frame().last_event_id(), framer.frame().retry()), (&b"22"[..], Some(9)));
    framer.clear();
    framer.push(b"data: 1\n\n");
    assert!(matches!(framer.next(), Some(Ok(event)) if event.id == b"22" && event.event == b"message"));
    framer.push(b"id\ndata: 2\n\n");
    assert!(matches!(framer.next(), Some(Ok(event)) if event.id.is_empty()));
}

#[test]
fn a_byte_order_mark_counts_only_at_the_front_of_the_stream() {
    assert_eq!(frames::<Events, 16>(b"\xEF\xBB\xBFdata: 1\n\n"), [message("1")]);
    assert_eq!(frames::<Events, 16>(b"\xEF\xBB\xBF\xEF\xBB\xBFdata: 1\n\ndata: 2\n\n"), [message("2")]);
    assert_eq!(frames::<Events, 16>(b"\n\xEF\xBB\xBFdata: 1\n\n"), []);
    for broken in [&b"\xEFdata: 1\n\n"[..], b"\xEF\xBBdata: 1\n\n", b"\xEF\xBB:\n\n", b"\xEF\xBB\xBE:\n\n"] {
        assert_eq!(frames::<Events, 16>(broken), [], "{}", broken.escape_ascii());
    }
    assert_eq!(frames::<Events, 16>(b"\xEF\xBB\xBF\ndata: 1\n\n"), [message("1")]);
}

#[test]
fn data_is_shorter_than_the_buffer() {
    assert_eq!(
        frames::<Events, 8>(b"data: 1234567\n\ndata: 123\ndata: 456\n\n"),
        [message("1234567"), message("123\\n456")]
    );
    let too_long = |offset| error(FrameErrorKind::TooLong, offset);
    assert_eq!(frames::<Events, 8>(b"data: 12345678\n\ndata: 1\n\n"), [too_long(13), message("1")]);
    assert_eq!(frames::<Events, 8>(b"data: 123\ndata: 4567\n\ndata: 1\n\n"), [too_long(19), message("1")]);
    // the LF between two lines of data does not fit: at the colon, or at the end of the line
    assert_eq!(frames::<Events, 8>(b"data: 1234567\ndata: \n\ndata: 1\n\n"), [too_long(18), message("1")]);
    assert_eq!(frames::<Events, 8>(b"data: 1234567\ndata\ndata: 2\n\ndata: 1\n\n"), [too_long(18), message("1")]);
}

#[test]
fn what_is_not_kept_takes_no_room() {
    let filler = format!("{}: y\n:{}\n{}\n", "x".repeat(100), "z".repeat(100), "w".repeat(100));
    let stream = format!("{filler}data: 123\n{filler}data: 456\n{filler}\n");
    assert_eq!(frames::<Events, 8>(stream.as_bytes()), [message("123\\n456")]);
}

#[test]
fn an_event_that_is_too_long_is_one_error_and_its_id_counts() {
    let stream =
        format!("id: 1\ndata: {}\ndata: x\nid: 2\ndata: {}\nevent: y\n\ndata: 3\n\n", "x".repeat(60), "x".repeat(60));
    assert_eq!(events(stream.as_bytes()), [Err((FrameErrorKind::TooLong, 43)), event("message", "2", "3")]);
    assert_eq!(frames::<Events, 4>(b"data: 1234"), [error(FrameErrorKind::TooLong, 9)]);
}

#[test]
fn an_id_or_a_name_that_is_too_long_loses_its_event_only() {
    let stream = b"id: 12345678\ndata: x\n\nid: 123456789\ndata: y\n\ndata: z\n\n";
    let too_long = Err((FrameErrorKind::EventIdTooLong, 35));
    assert_eq!(events(stream), [event("message", "12345678", "x"), too_long, event("message", "12345678", "z")]);
    let stream = b"event: 12345678\ndata: x\n\ndata\nevent: 123456789\r\ndata: y\n\ndata: z\n\n";
    let too_long = Err((FrameErrorKind::EventNameTooLong, 46));
    assert_eq!(events(stream), [event("12345678", "", "x"), too_long, event("message", "", "z")]);
    // a line that does not fit the buffer
    let stream = format!("data: x\nid: {}\n\ndata: z\n\n", "1".repeat(40));
    assert_eq!(events(stream.as_bytes()), [Err((FrameErrorKind::TooLong, 42)), event("message", "", "z")]);
    // twice is once
    let stream = b"id: 123456789\nid: 123456789\nevent: 123456789\nid: 5\n\ndata: z\n\n";
    assert_eq!(events(stream), [Err((FrameErrorKind::EventIdTooLong, 13)), event("message", "5", "z")]);
}

#[test]
fn a_stream_that_ends_inside_an_event_with_data_is_truncated() {
    for (stream, is_truncated) in [
        ("d", true),
        ("dat", true),
        ("data", true),
        ("data:", true),
        ("data: 1", true),
        ("data: 1\n", true),
        ("data: 1\n: x", true),
        ("data: 1\r\nid: 2\r\n", true),
        ("data: 1\n\n", false),
        ("data: 1\n\r\n", false),
        (": x", false),
        ("id: 1", false),
        ("id: 1\n", false),
        ("\u{feff}", false),
    ] {
        let found = cut::<Events, 16>(stream.as_bytes(), || 1);
        let expected = is_truncated.then(|| error(FrameErrorKind::Truncated, stream.len() as u64));
        assert_eq!(found.into_iter().find(Result::is_err), expected, "{stream:?}");
    }
}

#[test]
fn a_message_is_written_as_one_line_of_data() {
    let mut out = [0; 32];
    let len = <Events>::encode(b"{\r\n\"a\":\n1}", &mut out).unwrap();
    assert_eq!(&out[..len], b"data: {  \"a\": 1}\n\n");
    assert_eq!(frames::<Events, 32>(&out[..len]), [message("{  \\\"a\\\": 1}")]);
    let error = <Events>::encode(b"{\r\n\"a\":\n1}", &mut out[..len - 1]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutputFull);
    assert_eq!((<Events>::head(9).as_ref(), <Events>::tail()), (&b"data: "[..], &b"\n\n"[..]));
}

#[test]
fn an_event_is_written_whole_or_not_at_all_and_read_back() {
    for (name, id, data, wire) in [
        ("message", "", "", "data: \n\n"),
        ("message", "7", "{}", "id: 7\ndata: {}\n\n"),
        ("add", "", "a\nb", "event: add\ndata: a\ndata: b\n\n"),
        ("add", " 8 ", "\n\na\n", "event: add\nid:  8 \ndata: \ndata: \ndata: a\ndata: \n\n"),
    ] {
        let written = Event { event: name.as_bytes(), id: id.as_bytes(), data: data.as_bytes() };
        let mut out = [0; 64];
        let len = written.encode(&mut out).unwrap();
        assert_eq!(str::from_utf8(&out[..len]).unwrap(), wire);
        let mut framer = Framer::<Events, 64>::new();
        framer.push(&out[..len]);
        assert_eq!(framer.next(), Some(Ok(written)));
        for room in 0..len {
            let error = written.encode(&mut out[..room]).unwrap_err();
            assert_eq!((error.kind(), error.offset()), (ErrorKind::OutputFull, room));
        }
    }
    let mut out = [0; 64];
    let len = Event { event: b"", id: b"", data: b"a\rb\r\nc" }.encode(&mut out).unwrap();
    assert_eq!(&out[..len], b"data: a\ndata: b\ndata: c\n\n");
    for broken in ["a\n", "a\r", "\0"] {
        for (event, id) in [(broken, ""), ("", broken)] {
            let event = Event { event: event.as_bytes(), id: id.as_bytes(), data: b"" };
            assert_eq!(event.encode(&mut out).map_err(|error| error.kind()), Err(ErrorKind::InvalidValue));
        }
    }
}
