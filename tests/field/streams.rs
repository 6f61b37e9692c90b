//! Streams as peers of the field write them: lines, bare values, `Content-Length` and server-sent events.

use nanojsonrpc::client::{Answer, CallRefused, Client, Incoming};
use nanojsonrpc::connection::serve;
use nanojsonrpc::frame::{ContentLength, Delimited, Delimiter, Events, Frame, Framer, Lines, Values};
use nanojsonrpc::server::Event;
use nanojsonrpc::{Envelope, ErrorKind, Id, Method, RawValue, Request, Router, Server, Writer};
use serde_json::Value;

use crate::client::{LENIENT, OPEN, STRICT, called, numbered};
use crate::each;
use crate::pieces::{Pieces, cuts};

/// The ids of the answers of a server to `stream`, an error as its code; and the events.
pub(crate) fn served<F: Frame>(stream: &[u8]) -> (Vec<String>, Vec<String>) {
    let mut outcomes = cuts(stream.len()).map(|lens| served_in::<F>(stream, &lens));
    let whole = outcomes.next().expect("one way to cut");
    for outcome in outcomes {
        assert_eq!(outcome, whole);
    }
    whole
}

fn served_in<F: Frame>(stream: &[u8], lens: &[usize]) -> (Vec<String>, Vec<String>) {
    let router = Router::new().fallback(|_: &mut Vec<String>, _, _, reply| reply.success(&3));
    let observe = |events: &mut Vec<String>, event: Event<'_>| events.push(event.to_string());
    let (mut sent, mut events) = ([0; 1024], Vec::new());
    let mut writer = &mut sent[..];
    let mut server = Server::new(router).observed_by(observe);
    let pieces = Pieces::new(stream, lens);
    serve(pieces, &mut writer, &mut Framer::<F, 512>::new(), &mut [0; 512], &mut server, &mut events)
        .expect("a server");
    let len = 1024 - writer.len();
    let mut framer = Framer::<F, 1024>::new();
    framer.push(&sent[..len]);
    let mut answers = Vec::new();
    while let Some(answer) = framer.next() {
        let answer = answer.expect("a frame");
        let answer = Envelope::parse(answer.as_ref()).expect("an answer");
        answers.push(match answer.error_object() {
            Some(error) => error.code.0.to_string(),
            None => answer.id().expect("an id").to_string(),
        });
    }
    (answers, events)
}

/// The peer of a stream, and the outcome.
enum Role {
    /// A client with a call in flight: its outcome in the strict and in the lenient dialect, and the number of events before.
    Call(&'static str, &'static str, usize),
    /// A server: the answers over `Lines` and over `Values`.
    Serve(&'static [&'static str], &'static [&'static str]),
    /// Both of these are not enough.
    Other(fn(&[u8])),
}
use Role::{Call, Other, Serve};

const LONG: &str = "\"pytest:withdraw#11/cln:withdraw#34/txprepare:sendpsbt#4/cln:sendrawtransaction#35\"";

#[rustfmt::skip]
const LINES: [(u64, Role); 11] = [
    (8, Call("missing jsonrpc at 0", r#"result {"version-rolling":true,"version-rolling.mask":"1fffe000"}"#, 0)),
    // log text in front of the answer
    (56, Call("result {}", "result {}", 2)),
    // a line that echoes the sent bytes
    (101, Call("result 3", "result 3", 1)),
    (10, Other(null_id_of_a_notification)),
    (14, Other(two_answers_with_one_id)),
    (82, Other(too_long_a_notification)),
    // one line is one text
    (71, Serve(&["-32700"], &["\"libDirectory\"", "2"])),
    (73, Other(no_line_end)),
    (74, Serve(&[LONG, "2"], &[LONG, "2"])),
    (100, Other(carriage_returns)),
    // the second unreadable text in a row is not answered
    (103, Serve(&["-32700"], &["-32700"])),
];

#[test]
fn each_stream_of_lines_or_values_has_its_outcome_however_it_is_cut() {
    each("frame-lines", &LINES, |n, stream, role| match role {
        Call(strict, lenient, events) => {
            let (stream, _) = numbered(stream);
            for (dialect, expected) in [(STRICT, *strict), (LENIENT, *lenient)] {
                let (outcome, sent, observed) = called::<Lines, 512>(&stream, dialect);
                assert_eq!(
                    (outcome.as_str(), sent.as_str(), observed.len()),
                    (expected, "", *events),
                    "{n}: {observed:?}"
                );
                // bare values end the call alike
                assert_eq!(called::<Values, 512>(&stream, dialect).0, expected, "{n}");
            }
        }
        Serve(lines, values) => {
            assert_eq!(served::<Lines>(stream).0, *lines, "{n}");
            assert_eq!(served::<Values>(stream).0, *values, "{n}");
        }
        Other(check) => check(stream),
    });
}

fn null_id_of_a_notification(stream: &[u8]) {
    let (outcome, sent, events) = called::<Lines, 512>(stream, LENIENT);
    assert_eq!((outcome.as_str(), sent.as_str(), &events[..]), (OPEN, "", &["difficulty 1024".to_owned()][..]));
    // JSON-RPC 2.0: a request, which a peer without the method refuses
    let (outcome, sent, events) = called::<Lines, 512>(stream, STRICT);
    let refusal = "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"Method not found\"},\"id\":null}\n";
    assert_eq!((outcome.as_str(), sent.as_str(), events.len()), (OPEN, refusal, 0));
}

fn two_answers_with_one_id(stream: &[u8]) {
    for lens in cuts(stream.len()) {
        let mut client: Client<char, 1> = Client::new().with_dialect(LENIENT);
        client.request(&Request::new(-1, "m"), 'a', &mut Writer::new(&mut [0; 64])).expect("room");
        let answers = frames::<Lines>(stream, &lens, |text, answers| {
            assert!(!text.ends_with(b"\r"));
            answers.extend(client.receive(text).map(|incoming| match incoming {
                Incoming::Response(answer, _) => answer,
                other => panic!("{other:?}"),
            }));
        });
        assert_eq!(answers, [Answer::To('a'), Answer::Duplicate], "{lens:?}");
    }
}

/// Passes each message of a stream over `F` to `take`, with a list.
fn frames<F: Frame>(
    stream: &[u8],
    lens: &[usize],
    mut take: impl FnMut(&[u8], &mut Vec<Answer<char>>),
) -> Vec<Answer<char>> {
    let (mut framer, mut list, mut rest) = (Framer::<F, 512>::new(), Vec::new(), stream);
    for len in lens {
        let (piece, behind) = rest.split_at((*len).min(rest.len()));
        framer.push(piece);
        while let Some(item) = framer.next() {
            take(item.expect("a message").as_ref(), &mut list);
        }
        rest = behind;
    }
    list
}

fn too_long_a_notification(stream: &[u8]) {
    let (stream, _) = numbered(stream);
    for dialect in [STRICT, LENIENT] {
        let (outcome, sent, events) = called::<Lines, 64>(&stream, dialect);
        assert_eq!((outcome.as_str(), sent.as_str()), ("result \"ok\"", ""));
        assert_eq!(events, ["misframed bytes: message too long for the buffer at byte 64 of the stream"]);
        assert_eq!(called::<Values, 64>(&stream, dialect).0, "result \"ok\"");
    }
}

/// A terminal ends a line with CR, LF or both.
struct AnyLineEnd;

impl Delimiter for AnyLineEnd {
    const ENDS: &'static [u8] = b"\r\n";
}

fn carriage_returns(stream: &[u8]) {
    let [line_feeds, any, values] =
        [served::<Lines>(stream), served::<Delimited<AnyLineEnd>>(stream), served::<Values>(stream)]
            .map(|(ids, _)| ids);
    // one line, which ends with the stream
    assert_eq!(line_feeds, ["-32700"]);
    assert_eq!((&any[..], any == values), (&["1".to_owned(), "2".to_owned()][..], true));
    let with_both = String::from_utf8_lossy(stream).replace('\r', "\r\n");
    assert_eq!(served::<Delimited<AnyLineEnd>>(with_both.as_bytes()).0, any);
}

fn no_line_end(stream: &[u8]) {
    assert_eq!((served::<Lines>(stream).0, served::<Values>(stream).0), (vec!["1".into()], vec!["1".into()]));
    let (mut lines, mut values) = (Framer::<Lines, 64>::new(), Framer::<Values, 64>::new());
    lines.push(stream);
    values.push(stream);
    // while the stream is open
    assert_eq!(lines.next(), None);
    assert_eq!(values.next().and_then(Result::ok).map(RawValue::as_bytes), Some(stream));
}

#[test]
fn an_id_beyond_a_capacity_is_refused_and_never_cut() {
    let id = Id::<128>::read(RawValue::parse(LONG.as_bytes()).expect("JSON")).expect("an id");
    let call = format!(r#"{{"jsonrpc":"2.0","id":{LONG},"method":"level"}}"#);
    let kind = Request::<'_>::parse(call.as_bytes()).map_err(|refused| refused.kind());
    assert_eq!(kind.err(), Some(ErrorKind::IdTooLong));
    let request: Request<'_, 128> = Request { id, method: Method::from("level"), params: None };
    let (mut small, mut large) = (Client::<(), 1>::new(), Client::<(), 1, 128>::new());
    let mut buffer = [0; 256];
    let refused = small.request(&request, (), &mut Writer::new(&mut buffer));
    assert_eq!(refused.map_err(|CallRefused { error, .. }| error.kind()), Err(ErrorKind::IdTooLong));
    large.request(&request, (), &mut Writer::new(&mut buffer)).expect("room");
    let answer = format!(r#"{{"jsonrpc":"2.0","result":3,"id":{LONG}}}"#);
    assert_eq!(large.accept(&Envelope::parse(answer.as_bytes()).expect("a response")), Some(Answer::To(())));
}

/// The answers of the server, and what the observer gets.
type Served = (&'static [&'static str], &'static [&'static str]);

#[rustfmt::skip]
const CONTENT_LENGTH: [(u64, Served); 6] = [
    (58, (&["1", "1"], &[])),
    (59, (&["1"], &[])),
    (61, (&["1", "1"], &[])),
    (62, (&["1", "1"], &[])),
    (64, (&["1", "-32700", "1"], &["misframed bytes: missing Content-Length at byte 68 of the stream"])),
    (65, (&["-32700", "1"], &["unreadable message: invalid UTF-8 at byte 72"])),
];

#[test]
fn each_stream_of_content_length_finds_its_next_message_however_it_is_cut() {
    each("frame-content-length", &CONTENT_LENGTH, |n, stream, (answers, events)| {
        let (answered, observed) = served::<ContentLength>(stream);
        assert_eq!(answered, *answers, "{n}: {observed:?}");
        assert_eq!(observed, *events, "{n}");
    });
}

/// The answers, the ids of the events, the time to reconnect, and the outcome of a call on a connection.
type Heard = (&'static [Answer<char>], &'static [&'static str], Option<u32>, &'static str);

#[rustfmt::skip]
const EVENTS: [(u64, Heard); 4] = [
    // the first event has no data, so it is no message
    (49, (&[Answer::To('a')], &["123", "124"], None, "result {}")),
    (50, (&[Answer::To('a')], &[""], Some(3000), "result {}")),
    (52, (&[Answer::To('a')], &[""], None, r#"result {"kind":"task"}"#)),
    // the second answer to one call, as A2A sends it
    (53, (&[Answer::To('a'), Answer::Duplicate], &["", ""], None, r#"result {"kind":"status-update","final":false}"#)),
];

#[test]
fn each_stream_of_events_has_its_messages_however_it_is_cut() {
    each("sse", &EVENTS, |n, stream, (answers, ids, retry, outcome)| {
        for lens in cuts(stream.len()) {
            let mut client: Client<char, 1> = Client::new();
            client.call("m", &(), 'a', &mut Writer::new(&mut [0; 64])).expect("room");
            let mut framer = Framer::<Events, 512>::new();
            let (answered, seen) = heard(&mut framer, &mut client, stream, &lens);
            assert_eq!((answered, framer.frame().retry()), (answers.to_vec(), *retry), "{n}");
            assert_eq!(seen, *ids, "{n}");
            assert_eq!(framer.frame().last_event_id(), ids.last().map_or(&b""[..], |id| id.as_bytes()), "{n}");
        }
        let (stream, _) = numbered(stream);
        // in the order of serde_json, which a feature changes
        let result: Value = serde_json::from_str(&outcome["result ".len()..]).expect("JSON");
        let expected = (format!("result {result}"), String::new(), vec![]);
        assert_eq!(called::<Events, 512>(&stream, STRICT), expected, "{n}");
    });
}

/// The answers, and the ids of the events.
fn heard(
    framer: &mut Framer<Events, 512>,
    client: &mut Client<char, 1>,
    mut stream: &[u8],
    lens: &[usize],
) -> (Vec<Answer<char>>, Vec<String>) {
    let (mut answers, mut ids) = (vec![], vec![]);
    for len in lens {
        let (piece, behind) = stream.split_at((*len).min(stream.len()));
        framer.push(piece);
        while let Some(item) = framer.next() {
            let event = item.expect("an event");
            ids.push(String::from_utf8(event.id.to_vec()).expect("UTF-8"));
            if !event.data.is_empty() {
                answers.extend(client.receive(event.data).map(|incoming| match incoming {
                    Incoming::Response(answer, _) => answer,
                    other => panic!("{other:?}"),
                }));
            }
        }
        stream = behind;
    }
    (answers, ids)
}
