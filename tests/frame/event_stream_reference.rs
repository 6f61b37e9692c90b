//! Server-sent events beside a reader that is the standard's text, step by step: WHATWG HTML, "Server-sent events", parsing and
//! interpreting an event stream.

use crate::cases::cases;
use nanojsonrpc::frame::{Events, FrameErrorKind, Framer};
use proptest::prelude::*;

/// Event by event: name, id, data, and the reconnection time when it came.
type Seen = (Vec<u8>, Vec<u8>, Vec<u8>, Option<u32>);

/// The state of an event source.
#[derive(Default)]
struct Source {
    data: Vec<u8>,
    event_type: Vec<u8>,
    last_event_id_buffer: Vec<u8>,
    last_event_id: Vec<u8>,
    reconnection_time: Option<u32>,
    dispatched: Vec<Seen>,
}

impl Source {
    /// A whole stream.
    fn of(stream: &[u8]) -> Self {
        let mut source = Self::default();
        // "one leading U+FEFF BYTE ORDER MARK character must be ignored if any are present"
        let mut rest = stream.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(stream);
        // lines end with CRLF, LF or CR; a last one without an end is no line
        while let Some(len) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
            let end = if rest[len..].starts_with(b"\r\n") { 2 } else { 1 };
            source.line(&rest[..len]);
            rest = &rest[len + end..];
        }
        source
    }

    fn line(&mut self, line: &[u8]) {
        if line.is_empty() {
            return self.dispatch();
        }
        match line.iter().position(|byte| *byte == b':') {
            Some(0) => {}
            Some(colon) => {
                // "If value starts with a U+0020 SPACE character, remove it from value."
                let value = &line[colon + 1..];
                self.field(&line[..colon], value.strip_prefix(b" ").unwrap_or(value));
            }
            // "using the whole line as the field name, and the empty string as the field value"
            None => self.field(line, b""),
        }
    }

    fn field(&mut self, name: &[u8], value: &[u8]) {
        match name {
            b"event" => self.event_type = value.to_vec(),
            b"data" => {
                self.data.extend(value);
                self.data.push(b'\n');
            }
            b"id" if !value.contains(&0) => self.last_event_id_buffer = value.to_vec(),
            // "only ASCII digits"; an empty value is not an integer
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                let digits = str::from_utf8(value).unwrap();
                self.reconnection_time = Some(digits.parse().unwrap_or(u32::MAX));
            }
            _ => {}
        }
    }

    fn dispatch(&mut self) {
        self.last_event_id = self.last_event_id_buffer.clone();
        let (mut data, event_type) = (core::mem::take(&mut self.data), core::mem::take(&mut self.event_type));
        // "If the data buffer is an empty string, set the data buffer and the event type buffer to the empty string and return."
        if data.is_empty() {
            return;
        }
        // "If the data buffer's last character is a U+000A LINE FEED (LF) character, then remove the last character"
        if data.last() == Some(&b'\n') {
            data.pop();
        }
        let event_type = if event_type.is_empty() { b"message".to_vec() } else { event_type };
        self.dispatched.push((event_type, self.last_event_id.clone(), data, self.reconnection_time));
    }
}

/// Reads `stream` in chunks of these sizes, and fails at the first difference.
fn check(stream: &[u8], mut sizes: impl FnMut() -> usize) {
    let shown = stream.escape_ascii();
    let mut framer = Framer::<Events<512, 512>, 1024>::new();
    let mut seen = Vec::new();
    let mut read = 0;
    while read < stream.len() {
        let len = sizes().clamp(1, stream.len() - read);
        assert_eq!(framer.push(&stream[read..read + len]), len);
        read += len;
        while let Some(event) = framer.next() {
            let event = event.unwrap_or_else(|error| panic!("{error}: {shown}"));
            let event = (event.event.to_vec(), event.id.to_vec(), event.data.to_vec());
            seen.push((event.0, event.1, event.2, framer.frame().retry()));
        }
        // the `Last-Event-ID` of a new connection, at any time
        let source = Source::of(&stream[..read]);
        assert_eq!(framer.frame().last_event_id(), source.last_event_id, "after {read} bytes: {shown}");
        assert_eq!(framer.frame().retry(), source.reconnection_time, "after {read} bytes: {shown}");
        assert_eq!(seen, source.dispatched, "after {read} bytes: {shown}");
    }
    while let Some(end) = framer.finish() {
        assert_eq!(end.map_err(|error| error.kind()), Err(FrameErrorKind::Truncated), "{shown}");
    }
    let source = Source::of(stream);
    assert_eq!(framer.frame().last_event_id(), source.last_event_id, "at the end: {shown}");
    assert_eq!(framer.frame().retry(), source.reconnection_time, "at the end: {shown}");
}

fn check_all_cuts(stream: &[u8]) {
    for size in (1..=stream.len().max(1)).step_by(if cfg!(miri) { 7 } else { 1 }) {
        check(stream, || size);
    }
}

#[test]
fn the_id_of_an_event_that_was_not_dispatched_does_not_count() {
    for stream in [
        &b"id: 1\ndata: a\n\nid: 2\ndata: b\n"[..],
        b"id: 1\ndata: a\n\nid: 2\n",
        b"id: 1\r\rid: 2\r",
        b"id: 1\n\nid\n",
        b"id: 1\ndata: a\n\nid: 2\nid: 3\n\nid: 4\n",
    ] {
        check_all_cuts(stream);
    }
}

#[test]
fn an_id_counts_from_the_empty_line_on_also_beside_events_that_are_lost() {
    let mut framer = Framer::<Events<8, 8>, 16>::new();
    let mut last = Vec::new();
    for byte in b"id: 1\ndata: a\n\nid: 2\ndata: much too long for it\n\nid: 3\nid: longer than 8\n\nid: 4\n" {
        framer.push(&[*byte]);
        while framer.next().is_some() {}
        let id = framer.frame().last_event_id();
        if last.last().is_none_or(|last| last != id) {
            last.push(id.to_vec());
        }
    }
    // the event with an overlong id is lost, and the id before it remains
    assert_eq!(last, [&b""[..], b"1", b"2", b"3"]);
    assert!(framer.finish().is_none());
    assert_eq!(framer.frame().last_event_id(), b"3");
}

#[test]
fn the_standard_is_followed_where_it_is_easy_to_miss() {
    for stream in [
        // no colon, no value, one space, two
        &b"data\n\ndata:\n\ndata: \n\ndata:  x\n\ndata:x\n\n"[..],
        // the name of an event without data is forgotten
        b"event: a\n\ndata: x\n\n",
        b"event: a\nevent:\ndata: x\n\n",
        // an id with a zero byte is ignored, also where one without stood before it
        b"id: 1\nid: 2\0\ndata: x\n\nid\ndata: y\n\n",
        b"retry: 10\nretry: 1x\nretry:\nretry: 99999999999\ndata: x\n\nretry: 7\n",
        b"retry: 5",
        // a mark at the front, and one that is a part of a name
        b"\xEF\xBB\xBFdata: x\n\n",
        b"\xEF\xBB\xBF\xEF\xBB\xBFdata: x\n\ndata: y\n\n",
        b"\xEF\xBB\ndata: x\n\n",
        b"\xEF\xBB\xBF\n\ndata: \xEF\xBB\xBFx\n\n",
        b"\n\xEF\xBB\xBFdata: x\n\ndata: y\n\n",
        b"\xEFdata: x\n\n:\n\r\r\n\ndata: y\r\r",
        // line ends of every kind, split by the chunks
        b"data: a\rdata: b\r\ndata: c\ndata\r\r\n\r\ndata: d\n\r\ndata: e\r\n\n",
        b": comment\n:\n: data: x\n Data: x\ndata : x\ndata: y\n\n",
    ] {
        check_all_cuts(stream);
    }
}

/// The pieces of streams: whole names and parts of them, and all that ends or separates something.
const PARTS: [&[u8]; 26] = [
    b"data",
    b"data:",
    b"data: ",
    b"id",
    b"id: ",
    b"id:",
    b"event",
    b"event: ",
    b"retry",
    b"retry: ",
    b"\n",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"\r\r",
    b":",
    b" ",
    b"\0",
    b"1",
    b"23",
    b"x",
    b"\xEF\xBB\xBF",
    b"\xEF",
    b"\xC3\xA9",
    b"message",
];

const NAMES: [&[u8]; 8] = [b"data", b"id", b"event", b"retry", b"", b"\xEF\xBB\xBFdata", b"dat", b"datas"];
const COLONS: [&[u8]; 5] = [b"", b":", b": ", b":  ", b":: "];
const VALUES: [&[u8]; 7] = [b"", b"1", b"200", b"a b", b"x\0", b"4294967296", b":"];
const ENDS: [&[u8]; 7] = [b"\n", b"\r", b"\r\n", b"\n\n", b"\r\n\r\n", b"\r\r", b""];

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(4096), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_stream_is_read_as_the_standard_says_however_it_is_cut(
        parts in prop::collection::vec(prop::sample::select(&PARTS[..]), 0..60),
        sizes in prop::collection::vec(1usize..12, 1..20),
    ) {
        let stream = parts.concat();
        let mut cycle = sizes.iter().copied().cycle();
        check(&stream, || cycle.next().unwrap());
        check(&stream, || 1);
    }

    #[test]
    fn lines_of_fields_are_read_as_the_standard_says_however_they_are_cut(
        lines in prop::collection::vec(
            (
                prop::sample::select(&NAMES[..]),
                prop::sample::select(&COLONS[..]),
                prop::sample::select(&VALUES[..]),
                prop::sample::select(&ENDS[..]),
            ),
            0..20,
        ),
        size in 1usize..40,
    ) {
        let stream: Vec<u8> = lines.iter().flat_map(|(name, colon, value, end)| [*name, *colon, *value, *end].concat()).collect();
        check(&stream, || size);
    }
}
