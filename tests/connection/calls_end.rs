//! A call on a connection ends with the first message that may be its answer, and a client sends nothing but its calls.
#![cfg(all(feature = "serde", feature = "embedded-io"))]

use nanojsonrpc::connection::{CallError, Connection};
use nanojsonrpc::frame::{ContentLength, Frame, Framer, FramerOver, Lines, Values};
use nanojsonrpc::memory::Pipe;
use nanojsonrpc::server::Event;
use nanojsonrpc::{Dialect, ErrorKind, Router, Server};

/// The id of the first call.
const ID: &str = "4503599627370496";

/// The outcome of a call that finds `incoming`, what it has sent, and the events before.
fn called<F: Frame, B: nanojsonrpc::frame::Buffer>(
    framer: &mut FramerOver<F, B>,
    incoming: &str,
) -> (String, String, Vec<String>) {
    called_as(Dialect::JSON_RPC, framer, incoming)
}

/// [`called`] by the rules of `dialect`.
fn called_as<F: Frame, B: nanojsonrpc::frame::Buffer>(
    dialect: Dialect,
    framer: &mut FramerOver<F, B>,
    incoming: &str,
) -> (String, String, Vec<String>) {
    let mut pipe: Pipe<4096> = Pipe::new();
    let (device, hub) = pipe.ends();
    hub.try_write(incoming.replace("ID", ID).as_bytes()).unwrap();
    let (mut output, mut events) = ([0; 256], Vec::new());
    let mut server = Server::new(Router::<Vec<String>>::new())
        .with_dialect(dialect)
        .observed_by(|events: &mut Vec<String>, event: Event<'_>| events.push(event.to_string()));
    let mut connection = Connection::new(&device, &device, framer, &mut output);
    // a text that ends no call is followed by the end of the stream
    hub.close();
    let shown = match connection.peer(&mut server, &mut events).call::<u8>("level", &()) {
        Ok(level) => format!("{level}"),
        Err(CallError::Refused(error, text)) => format!("{error}: {}", String::from_utf8_lossy(text)),
        Err(error) => error.to_string(),
    };
    let mut sent = [0; 1024];
    let len = hub.try_read(&mut sent).unwrap();
    (shown.replace(ID, "ID"), String::from_utf8_lossy(&sent[..len]).replace(ID, "ID"), events)
}

const SENT: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"level\",\"id\":ID}\n";
const OPEN: &str = "the stream ended before the answer";

#[test]
fn what_may_be_the_answer_ends_the_call() {
    let cases = [
        (r#"{"jsonrpc":"2.0","result":3,"id":ID}"#, "3"),
        (r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#, "error -32700: Parse error"),
        // its id is read
        (r#"{"id":ID,"result":nan}"#, "invalid literal at byte 33: {\"id\":ID,\"result\":nan}"),
        (
            r#"{"jsonrpc":"2.0","result":3,"id":"ID"}"#,
            "invalid id at byte 33: {\"jsonrpc\":\"2.0\",\"result\":3,\"id\":\"ID\"}",
        ),
        (
            r#"{"jsonrpc":"2.0","result":3,"id":ID.0}"#,
            "invalid id at byte 33: {\"jsonrpc\":\"2.0\",\"result\":3,\"id\":ID.0}",
        ),
        (
            r#"{"jsonrpc":"2.0","id":ID,"method":"x","result":1}"#,
            "more than one of method, result and error at byte 61",
        ),
        (
            r#"[{"jsonrpc":"2.0","result":3,"id":ID}]"#,
            "batch not allowed at byte 0: [{\"jsonrpc\":\"2.0\",\"result\":3,\"id\":ID}]",
        ),
        (r#"[{"result":3,"id":ID}]"#, "batch not allowed at byte 0: [{\"result\":3,\"id\":ID}]"),
        (r#"{"id":ID,"src":"x","result":{"was_on":false}}"#, "missing jsonrpc at byte 0"),
        // its id is not read
        (r#"{"result":[net],"id":ID}"#, "invalid literal at byte 12: {\"result\":[net],\"id\":ID}"),
        ("{", "unexpected end at byte 1: {"),
        (r#"{"error":"none"}"#, "missing jsonrpc at byte 0"),
    ];
    for (answer, expected) in cases {
        let (shown, sent, events) = called(&mut Framer::<Lines, 512>::new(), &format!("{answer}\n"));
        assert!(shown.starts_with(expected), "{answer}: {shown}");
        assert_eq!((sent.as_str(), events.len()), (SENT, 0), "{answer}");
    }
}

#[test]
fn a_lenient_dialect_takes_an_id_in_another_spelling_or_none() {
    for answer in
        [r#"{"result":3,"id":"ID"}"#, r#"{"result":3,"id":ID.0}"#, r#"{"result":3,"id":null}"#, r#"{"result":3}"#]
    {
        let (shown, ..) = called_as(Dialect::LENIENT, &mut Framer::<Lines, 512>::new(), &format!("{answer}\n"));
        assert_eq!(shown, "3", "{answer}");
    }
    // the echo of a call without a version
    let echo = "{\"method\":\"level\",\"id\":ID}\n";
    let dialect = Dialect::LENIENT.without_version();
    let (shown, sent, events) = called_as(dialect, &mut Framer::<Lines, 512>::new(), echo);
    assert_eq!((shown.as_str(), sent.as_str(), events.len()), (OPEN, echo, 1));
}

#[test]
fn the_dialect_of_the_server_reads_the_answer() {
    for (answer, expected) in [
        (r#"{"id":ID,"result":3}"#, "3"),
        (r#"{"id":"ID","result":3}"#, "3"),
        (r#"{"id":ID.0,"result":3}"#, "3"),
        (r#"{"method":"setPilot","result":3}"#, "3"),
        (r#"{"id":null,"result":3,"error":null}"#, "3"),
        (r#"{"id":ID,"result":null,"error":[20,"no such user",null]}"#, "error 0: "),
        (r#"{"error":"no such user"}"#, "error 0: "),
        (r#"{"id":ID,"error":{"message":"Must home"}}"#, "error 0: Must home"),
        (r#"{"id":"7","result":3}"#, OPEN),
    ] {
        let (shown, sent, _) = called_as(Dialect::LENIENT, &mut Framer::<Lines, 512>::new(), &format!("{answer}\n"));
        assert_eq!((shown.as_str(), sent.as_str()), (expected, SENT), "{answer}");
    }
}

#[test]
fn other_texts_are_dropped_and_observed_and_end_nothing() {
    let others = [
        (r#"{"jsonrpc":"2.0","method":"tick","params":nan}"#, "unreadable message: invalid literal at byte 43"),
        (r#"{"jsonrpc":"2.0","method":"tick","params":7}"#, "unreadable message: invalid params at byte 42"),
        (r#"{"jsonrpc":"2.0","result":3,"id":7}"#, "response without listener"),
        (r#"[{"jsonrpc":"2.0","result":3,"id":7}]"#, "response without listener"),
        (r#"{"id":7,"result":nan}"#, "unreadable message: invalid literal at byte 18"),
        (r#"{"params":{"response":"ok"},"key":345}"#, "unreadable message: missing jsonrpc at byte 0"),
        ("[WebSocket] Connected", "unreadable message: expected a value at byte 1"),
        ("U-Boot 2024.01 {\"id\":1}", "unreadable message: expected a value at byte 0"),
        (r#"{"jsonrpc":"2.0","method":"level","id":ID}"#, "echo of an own call of 56 bytes"),
        (r#"{"jsonrpc":"2.0","method":"tick"}"#, "notification without listener: tick"),
    ];
    for (text, event) in others {
        let (shown, sent, events) = called(&mut Framer::<Lines, 512>::new(), &format!("{text}\n"));
        assert_eq!((shown.as_str(), sent.as_str(), &events[..]), (OPEN, SENT, &[event.to_string()][..]), "{text}");
        let answered = format!("{text}\n{{\"jsonrpc\":\"2.0\",\"result\":3,\"id\":ID}}\n");
        assert_eq!(called(&mut Framer::<Lines, 512>::new(), &answered).0, "3", "{text}");
    }
    // another request with the id of the call is no echo
    let (shown, sent, _) =
        called(&mut Framer::<Lines, 512>::new(), "{\"jsonrpc\":\"2.0\",\"method\":\"other\",\"id\":ID}\n");
    let refused = "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"Method not found\"},\"id\":ID}\n";
    assert_eq!((shown.as_str(), sent), (OPEN, format!("{SENT}{refused}")));
}

#[test]
fn a_message_that_is_too_long_ends_the_call_unless_it_is_a_call_of_the_peer() {
    let long = "x".repeat(200);
    let answer = format!(r#"{{"jsonrpc":"2.0","result":"{long}","id":ID}}"#);
    let note = format!(r#"{{"jsonrpc":"2.0","method":"note","params":["{long}"]}}"#);
    let other = format!(r#"{{"id":7,"jsonrpc":"2.0","result":"{long}"}}"#);
    let front = "message too long at byte 64: {\"jsonrpc\":\"2.0\",\"result\":\"xxx";
    for (text, expected) in [(&answer, front), (&note, OPEN), (&other, OPEN)] {
        let shown = called(&mut Framer::<Lines, 64>::new(), &format!("{text}\n")).0;
        assert!(shown.starts_with(expected), "{text}: {shown}");
        let shown = called(&mut Framer::<Values, 64>::new(), &format!("{text}\n")).0;
        assert!(shown.starts_with(expected), "{text}: {shown}");
        let message = text.replace("ID", ID);
        let shown = called(
            &mut Framer::<ContentLength, 64>::new(),
            &format!("Content-Length: {}\r\n\r\n{message}", message.len()),
        )
        .0;
        assert!(shown.starts_with(expected), "{text}: {shown}");
    }
}

#[test]
fn a_broken_value_or_header_ends_the_call() {
    let shown = called(&mut Framer::<Values, 64>::new(), "{\"result\":nan}\n").0;
    assert_eq!(shown, "invalid literal at byte 11: {\"result\":n");
    let shown = called(&mut Framer::<ContentLength, 64>::new(), "Content-Length: 1x\r\n\r\n").0;
    assert_eq!(shown, "answer: invalid Content-Length at byte 17 of the stream");
    let shown = called(&mut Framer::<ContentLength, 64>::new(), "error: no such file\r\n\r\n").0;
    assert_eq!(shown, OPEN);
}

#[test]
fn a_server_without_routes_for_requests_answers_valid_requests_only() {
    let listener = Router::new().notification("tick", |_: &mut ()| {}).response(|_: &mut (), _| {});
    let mut client = Server::new(listener);
    for text in
        ["{", "1", "[]", "hello", r#"{"jsonrpc":"2.0","method":1,"id":1}"#, r#"[1,{"jsonrpc":"2.0","method":"tick"}]"#]
    {
        assert_eq!(client.process(&mut (), text.as_bytes(), &mut [0; 128]).answer(), None, "{text}");
    }
    let call = br#"{"jsonrpc":"2.0","method":"tick","id":1}"#;
    let refused = br#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}"#;
    assert_eq!(client.process(&mut (), call, &mut [0; 128]).answer(), Some(&refused[..]));
    assert_eq!(
        Server::new(Router::<()>::new().nest("", listener)).process(&mut (), b"{", &mut [0; 128]).answer(),
        None
    );
    let served =
        Server::new(listener.request("level", |_: &mut ()| Ok(3))).process(&mut (), b"{", &mut [0; 128]).code();
    assert_eq!(served, Some(nanojsonrpc::ErrorCode::PARSE_ERROR));
    assert_eq!(ErrorKind::MessageTooLong.as_str(), "message too long");
}
