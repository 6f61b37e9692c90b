//! Answers as devices and servers of the field write them, with a call in flight.

use nanojsonrpc::client::{Answer, Client, Incoming};
use nanojsonrpc::connection::{CallError, Connection};
use nanojsonrpc::frame::{Buffer, Frame, Framer, FramerOver, Lines};
use nanojsonrpc::server::Event;
use nanojsonrpc::{Dialect, Envelope, ErrorKind, Id, RawValue, Request, Router, Server, Writer};
use serde_json::Value;

use crate::pieces::{Pieces, cuts};
use crate::{each, received};

/// The id of the first call of a connection.
const ID: &str = "4503599627370496";
pub(crate) const STRICT: Dialect = Dialect::JSON_RPC;
pub(crate) const LENIENT: Dialect = Dialect::LENIENT;
/// No outcome: the call is still in flight.
pub(crate) const OPEN: &str = "open";

/// The id of the call, and its outcome in the strict and in the lenient dialect.
type Row = (&'static str, &'static str, &'static str);

#[rustfmt::skip]
const ANSWERS: [(u64, Row); 20] = [
    // without a version, with members of the vendor's own
    (2, ("1", "missing jsonrpc at 0", r#"result {"was_on":false}"#)),
    (4, ("1", CHALLENGE, CHALLENGE)),
    // a result or an error that is not as JSON-RPC 2.0 prescribes
    (11, ("1", "missing jsonrpc at 0", "error 0 ")),
    (23, ("1", "missing jsonrpc at 0", r#"result {"success":true}"#)),
    (25, ("1", "more than one of method, result and error at 57", r#"result {"_model":"squeezelite"}"#)),
    (67, ("1", "missing jsonrpc at 0", "error 0 Must home axis first")),
    (94, ("1", "missing id at 0", "error -32603 Internal Error")),
    (95, ("2419378167359262235", "result null", "result null")),
    // no answer to a call
    (68, ("1", OPEN, OPEN)),
    // not JSON: the value is gone, so no dialect reads it
    (16, ("1", "invalid literal at 12", "invalid literal at 12")),
    (17, ("1", "expected a value at 58", "expected a value at 58")),
    (19, ("1", "invalid number at 55", "invalid number at 55")),
    (20, ("1", "data after the value at 45", "data after the value at 45")),
    (76, ("\"cli-9289\"", "expected a comma or the closing bracket at 78", "expected a comma or the closing bracket at 78")),
    (77, ("1", "invalid escape at 58", "invalid escape at 58")),
    (79, ("1", "control character in a string at 50", "control character in a string at 50")),
    (88, ("1", "invalid literal at 49", "invalid literal at 49")),
    (89, ("1", "invalid number at 44", "invalid number at 44")),
    (91, ("1", "expected a comma or the closing bracket at 53", "expected a comma or the closing bracket at 53")),
    (92, ("1", "data after the value at 49", "data after the value at 49")),
];

const CHALLENGE: &str = r#"error 401 {"auth_type": "digest", "nonce": 1625038762, "nc": 1, "realm": "shellypro4pm-a0b1c2d3e4f5", "algorithm": "SHA-256"}"#;

type Calls = Client<(), 2>;

/// A client with this call in flight.
fn calling(id: &str, dialect: Dialect) -> Calls {
    let mut client = Calls::new().with_dialect(dialect);
    let id: Id = Id::read(RawValue::parse(id.as_bytes()).expect("JSON")).expect("an id");
    client.request(&Request::new(id, "level"), (), &mut Writer::new(&mut [0; 96])).expect("room");
    client
}

/// The text of a result, with its members in the order of `serde_json`.
fn result(value: RawValue<'_>) -> String {
    format!("result {}", serde_json::from_str::<Value>(value.as_json()).expect("JSON"))
}

fn refused(kind: ErrorKind, at: usize) -> String {
    format!("{kind} at {at}")
}

/// The outcome for a program that passes received texts to `Client::receive`.
fn of_client(text: &[u8], id: &str, dialect: Dialect) -> String {
    let mut client = calling(id, dialect);
    let outcomes: Vec<String> = client
        .receive(text)
        .map(|incoming| match incoming {
            Incoming::Response(Answer::To(()), response) => match response.outcome {
                Ok(value) => result(value),
                Err(error) => format!("error {} {}", error.code.0, error.message),
            },
            Incoming::Refused(error, Answer::To(())) => refused(error.kind(), error.offset()),
            Incoming::Refused(_, Answer::Unknown) => OPEN.into(),
            other => panic!("{other:?}"),
        })
        .collect();
    let [outcome] = &outcomes[..] else { panic!("{outcomes:?}") };
    assert_eq!(client.is_empty(), outcome != OPEN);
    outcome.clone()
}

/// A peer: its calls, the outcome of one of them, the calls of the other side that it has run, and the events that end no call.
struct Peer {
    calls: Calls,
    outcome: String,
    runs: u32,
    events: Vec<String>,
}

impl Peer {
    fn respond(&mut self, response: &Envelope<'_>) {
        if self.calls.accept(response) == Some(Answer::To(())) {
            self.outcome = response.result().map_or_else(
                || {
                    let error = response.error_object().expect("an error");
                    format!("error {} {}", error.code.0, error.message)
                },
                result,
            );
        }
    }

    fn observe(&mut self, event: Event<'_>) {
        match event {
            Event::Unreadable(error) if self.calls.accept_refused(&error) == Answer::To(()) => {
                self.outcome = refused(error.kind(), error.offset());
            }
            event => self.events.push(event.to_string()),
        }
    }
}

/// The outcome for a peer, whose server also has the methods that the answer may echo, or none.
fn of_peer(text: &[u8], id: &str, dialect: Dialect, has_routes: bool) -> String {
    let mut peer = Peer { calls: calling(id, dialect), outcome: OPEN.into(), runs: 0, events: vec![] };
    let router = Router::new().response(Peer::respond);
    let mut output = [0; 256];
    let answer = if has_routes {
        let run = |peer: &mut Peer| {
            peer.runs += 1;
            Ok(())
        };
        let router = router.request("slim.request", run).request("setPilot", run);
        let mut server = Server::new(router).with_dialect(dialect).observed_by(Peer::observe);
        server.process(&mut peer, text, &mut output).answer().map(<[u8]>::to_vec)
    } else {
        let mut server = Server::new(router).with_dialect(dialect).observed_by(Peer::observe);
        server.process(&mut peer, text, &mut output).answer().map(<[u8]>::to_vec)
    };
    let shown = answer.map(|answer| String::from_utf8(answer).expect("UTF-8"));
    // a server answers an invalid message with a null id, and never answers an answer
    let is_read = Envelope::parse_as(text, dialect).is_ok_and(|response| response.id().is_some());
    assert!(shown.is_none() || has_routes && !is_read && shown.as_ref().is_some_and(|shown| shown.contains("null")));
    assert_eq!(peer.runs, 0);
    assert_eq!(peer.outcome == OPEN, !peer.events.is_empty(), "{:?}", peer.events);
    peer.outcome
}

/// The outcome of a call on a connection, the bytes that it sends after the call, and the events.
fn of_connection<F: Frame, B: Buffer>(
    framer: &mut FramerOver<F, B>,
    pieces: Pieces<'_>,
    dialect: Dialect,
) -> (String, String, Vec<String>) {
    let (mut sent, mut output, mut events) = ([0; 512], [0; 256], Vec::new());
    let mut writer = &mut sent[..];
    let router = Router::new().notification("mining.set_difficulty", |events: &mut Vec<String>, (level,): (f64,)| {
        events.push(format!("difficulty {level}"));
    });
    let observe = |events: &mut Vec<String>, event: Event<'_>| events.push(event.to_string());
    let mut server = Server::new(router).with_dialect(dialect).observed_by(observe);
    let mut connection = Connection::new(pieces, &mut writer, framer, &mut output);
    let outcome = match connection.peer(&mut server, &mut events).call::<Value>("level", &()) {
        Ok(value) => format!("result {value}"),
        Err(CallError::Peer(error)) => format!("error {} {}", error.code.0, error.message),
        Err(CallError::Refused(error, _)) => refused(error.kind(), error.offset()),
        Err(CallError::Closed) => OPEN.into(),
        Err(CallError::Misframed(error)) => error.to_string(),
        Err(error) => panic!("{error:?}"),
    };
    let free = writer.len();
    let sent = String::from_utf8(sent[..512 - free].to_vec()).expect("UTF-8");
    let (mut call, text) = ([0; 128], r#"{"jsonrpc":"2.0","method":"level","id":ID}"#.replace("ID", ID));
    let len = F::encode(text.as_bytes(), &mut call).expect("room");
    let call = str::from_utf8(&call[..len]).expect("UTF-8");
    (outcome, sent.strip_prefix(call).expect("the call").into(), events)
}

/// A call on a connection over `F`, the stream in pieces of any lengths.
pub(crate) fn called<F: Frame, const N: usize>(stream: &[u8], dialect: Dialect) -> (String, String, Vec<String>) {
    let mut outcomes =
        cuts(stream.len()).map(|lens| of_connection(&mut Framer::<F, N>::new(), Pieces::new(stream, &lens), dialect));
    let whole = outcomes.next().expect("one way to cut");
    for outcome in outcomes {
        assert_eq!(outcome, whole);
    }
    whole
}

/// The text with the id of a call on a connection for each 1, and the offset of the first.
pub(crate) fn numbered(text: &[u8]) -> (Vec<u8>, usize) {
    let (mut numbered, mut first) = (text.to_vec(), None);
    for name in [&b"\"id\":1"[..], b"\"id\": 1"] {
        let is_it = |part: &[u8]| part.starts_with(name) && !part[name.len()].is_ascii_digit();
        while let Some(at) = numbered.windows(name.len() + 1).position(is_it).map(|at| at + name.len() - 1) {
            numbered.splice(at..=at, ID.bytes());
            first = first.or(Some(at));
        }
    }
    (numbered, first.unwrap_or(text.len()))
}

/// An outcome in a text with the longer id at byte `at`.
fn moved(outcome: &str, at: usize) -> String {
    match outcome.rsplit_once(" at ").map(|(kind, offset)| (kind, offset.parse::<usize>().expect("an offset"))) {
        Some((kind, offset)) if offset > at => format!("{kind} at {}", offset + ID.len() - 1),
        _ => outcome.into(),
    }
}

#[test]
fn each_answer_ends_its_call_at_once_and_is_never_answered() {
    each("client-line", &ANSWERS, |n, text, (id, strict, lenient)| {
        for (dialect, expected) in [(STRICT, *strict), (LENIENT, *lenient)] {
            assert_eq!(of_client(text, id, dialect), expected, "{n} {dialect:?}");
            for has_routes in [false, true] {
                assert_eq!(of_peer(text, id, dialect, has_routes), expected, "{n} {dialect:?}");
            }
            // a connection gives its calls the ids itself
            if n != 95 {
                let (text, at) = numbered(text);
                let (outcome, sent, events) = called::<Lines, 512>(&[&text, &b"\n"[..]].concat(), dialect);
                assert_eq!((outcome, sent), (moved(expected, at), String::new()), "{n} {dialect:?}");
                assert_eq!(events.is_empty(), expected != OPEN, "{n} {dialect:?}: {events:?}");
            }
        }
    });
}

/// The parts of a refused answer that a program needs: its text, a member of it, and the end of its value.
#[test]
fn what_a_refused_answer_holds_is_readable() {
    for (n, text) in received("client-line") {
        let refused = Envelope::parse(&text).map_err(|refused| (refused, refused.get("error")));
        match n {
            11 => {
                let (refused, error) = refused.expect_err("no version");
                let error = error.expect("an error");
                assert_eq!(error.as_json(), r#"[20,"Authorization validation error",", bc1qexample"]"#);
                assert_eq!((error.element(0).and_then(RawValue::as_i64), refused.text), (Some(20), &text[..]));
            }
            // a C string in a datagram
            20 => {
                let (refused, _) = refused.expect_err("a NUL");
                let value = Envelope::parse_as(&text[..refused.offset()], LENIENT).expect("a message");
                assert_eq!(value.result().map(RawValue::as_json), Some(r#"["https://example.com/map"]"#));
            }
            67 => {
                let message = refused.expect_err("no version").1.and_then(|error| error.get("message"));
                assert_eq!(message.map(RawValue::as_json), Some("\"Must home axis first\""));
            }
            _ => {}
        }
    }
}

#[test]
fn the_text_in_the_message_of_an_error_is_json_again_without_a_heap() {
    for (_, text) in received("client-line").iter().filter(|(n, _)| *n == 4) {
        let error = Envelope::parse(text).expect("a message").error().expect("an error");
        let mut buffer = [0; 128];
        let message = error.get("message").and_then(RawValue::as_str_raw).expect("a string");
        let challenge = message.decode(&mut buffer).expect("room");
        let nonce = RawValue::parse(challenge.as_bytes()).expect("JSON").get("nonce").expect("a nonce");
        assert_eq!(nonce.as_i64(), Some(1_625_038_762));
    }
}

#[test]
fn an_error_without_an_id_ends_each_call_of_a_batch() {
    for (_, text) in received("client-line").iter().filter(|(n, _)| *n == 94) {
        for dialect in [STRICT, Dialect::MCP, LENIENT] {
            let mut client: Client<u8, 2> = Client::new();
            let mut buffer = [0; 128];
            let mut out = Writer::new(&mut buffer);
            let mut batch = client.batch(&mut out);
            batch.call("level", &(), 1).expect("room");
            batch.call("level", &(), 2).expect("room");
            batch.finish();
            client = client.with_dialect(dialect);
            let ended = match client.receive(text).next() {
                Some(Incoming::Response(answer, _) | Incoming::Refused(_, answer)) => answer,
                other => panic!("{other:?}"),
            };
            assert_eq!(ended, Answer::ToBatch, "{dialect:?}");
            assert!(client.drain().map(|(_, tag)| tag).eq([1, 2]));
        }
    }
}

#[test]
fn an_answer_that_echoes_its_call_runs_nothing_in_a_batch_either() {
    for (_, text) in received("client-line").iter().filter(|(n, _)| [2, 11, 23, 25, 67].contains(n)) {
        let batch = [b"[", &text[..], b"]"].concat();
        for dialect in [STRICT, LENIENT] {
            let router = Router::new().fallback(|_: &mut (), _, _, _| panic!("a call")).response(|_, _| {});
            let mut server = Server::new(router).with_dialect(dialect);
            assert_eq!(server.process(&mut (), &batch, &mut [0; 256]).answer(), None);
        }
    }
}
