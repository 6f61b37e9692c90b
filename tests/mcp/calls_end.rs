//! A call of a client ends with the first message that may be its answer, and a client sends nothing but its own messages and answers to valid
//! requests.
#![cfg(all(feature = "mcp", feature = "serde", feature = "embedded-io-async"))]

use core::pin::pin;
use core::task::{Context, Poll, Waker};

use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Buffer, ContentLength, Frame, Framer, FramerOver, Lines, Values};
use nanojsonrpc::mcp::Revision;
use nanojsonrpc::mcp::client::{Call, Client, ConnectError, Incoming, Outcome, SessionError};
use nanojsonrpc::memory::Pipe;
use nanojsonrpc::server::{AsyncRoutes, Event, Observer, route::Routes};
use nanojsonrpc::{Dialect, Router, Server, Writer};

type Seen = Vec<String>;

/// The server of the program, which has a route for requests, so that alone it would answer unreadable texts.
fn server() -> Server<impl Routes<Seen> + AsyncRoutes<Seen>, impl Observer<Seen>> {
    Server::new(Router::new().request("roots/list", |_: &mut Seen| Ok(1)))
        .with_dialect(Dialect::MCP)
        .observed_by(|seen: &mut Seen, event: Event<'_>| seen.push(event.to_string()))
}

fn shown<R: std::fmt::Display, W: std::fmt::Display>(error: SessionError<'_, R, W>) -> String {
    match error {
        SessionError::Refused(error, text) => format!("{error}: {}", String::from_utf8_lossy(text)),
        error => error.to_string(),
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits"),
    }
}

/// The outcome of a call with the id 1 that finds `incoming`, what the session has sent behind the call, and the events.
fn called_by<F: Frame, B: Buffer>(
    mut client: Client,
    framer: &mut FramerOver<F, B>,
    incoming: &[u8],
    is_async: bool,
) -> (String, String, Seen) {
    let mut pipe: Pipe<16384> = Pipe::new();
    let (device, hub) = pipe.ends();
    hub.try_write(incoming).unwrap();
    // a text that ends no call is followed by the end of the stream
    hub.close();
    let (mut output, mut seen, mut server) = ([0; 512], Seen::new(), server());
    let mut connection = Connection::new(&device, &device, framer, &mut output);
    let outcome = if is_async {
        let mut session = client.over_async(&mut connection, &mut server, &mut seen);
        block_on(session.call(&Call::new("x"))).map(|result| result.as_json().to_owned()).map_err(shown)
    } else {
        let mut session = client.over(&mut connection, &mut server, &mut seen);
        session.call(&Call::new("x")).map(|result| result.as_json().to_owned()).map_err(shown)
    };
    assert_eq!(client.in_flight().count(), 0);
    let mut sent = [0; 1024];
    let len = hub.try_read(&mut sent).unwrap();
    let sent = String::from_utf8_lossy(&sent[..len]).into_owned();
    let rest = sent.split_once("{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{},\"id\":1}").expect("the call").1;
    (outcome.unwrap_or_else(|error| error), rest.trim().to_owned(), seen)
}

fn client() -> Client {
    Client::new("me", "1").connected_as(Revision::V2025_11_25)
}

fn called(client: fn() -> Client, incoming: &[u8]) -> (String, String, Seen) {
    let outcome = called_by(client(), &mut Framer::<Lines, 512>::new(), incoming, false);
    assert_eq!(outcome, called_by(client(), &mut Framer::<Lines, 512>::new(), incoming, true));
    outcome
}

const OPEN: &str = "the stream ended before the answer";

#[test]
fn what_may_be_the_answer_ends_the_call() {
    let cases: [(&[u8], &str); 20] = [
        (br#"{"jsonrpc":"2.0","result":{},"id":1}"#, "{}"),
        (
            br#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#,
            "error -32700: Parse error",
        ),
        (br#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#, "error -32700: Parse error"),
        // its id is read
        (br#"{"id":1,"result":nan}"#, "invalid literal at byte 18: "),
        (b"{\"id\":1,\"result\":\"\xFF\"}", "invalid UTF-8 at byte 18: "),
        (br#"{"id":1,"result":"\uD800"}"#, "lone surrogate at byte 24: "),
        (br#"{"jsonrpc":"2.0","result":{},"id":"1"}"#, "invalid id at byte 34: "),
        (br#"{"jsonrpc":"2.0","result":{},"id":1.0}"#, "invalid id at byte 34: "),
        (br#"{"jsonrpc":"2.0","error":{"code":1,"message":"no"},"id":"1"}"#, "invalid id at byte 56: "),
        (br#"{"jsonrpc":"2.0","id":1,"method":"x","result":{}}"#, "more than one of method, result and error at byte "),
        (br#"[{"jsonrpc":"2.0","result":{},"id":1}]"#, "batch not allowed at byte 0: "),
        (
            br#"[7,{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","result":{},"id":1}]"#,
            "batch not allowed at byte 0: ",
        ),
        (br#"{"id":1,"src":"x","result":{"was_on":false}}"#, "missing jsonrpc at byte 0: "),
        (br#"{"jsonrpc":"2.0","id":1,"error":"no"}"#, "invalid error object at byte "),
        // its id is not read
        (br#"{"result":[net],"id":1}"#, "invalid literal at byte 12: "),
        (b"{", "unexpected end at byte 1: "),
        (br#"{"error":"none"}"#, "missing jsonrpc at byte 0: "),
        (br#"{"jsonrpc":"2.0","result":{},"id":null}"#, "invalid id at byte 34: "),
        (br#"{"jsonrpc":"2.0","result":{}}"#, "missing id at byte 0: "),
        (br#"{"result":nan,"method":"x"}"#, "invalid literal at byte 11: "),
    ];
    for (answer, expected) in cases {
        let text = String::from_utf8_lossy(answer).into_owned();
        let (shown, sent, seen) = called(client, &[answer, b"\n"].concat());
        assert!(shown.starts_with(expected), "{text}: {shown}");
        assert!(!expected.ends_with(": ") || shown.ends_with(&text), "{text}: {shown}");
        assert_eq!((sent.as_str(), seen.len()), ("", 0), "{text}");
    }
}

#[test]
fn a_lenient_client_takes_an_id_in_another_spelling() {
    let lenient = || client().lenient();
    for id in [r#""1""#, "1.0", "1.00", r#""\u0031""#] {
        let answer = format!("{{\"jsonrpc\":\"2.0\",\"result\":{{}},\"id\":{id}}}\n");
        assert_eq!(called(lenient, answer.as_bytes()).0, "{}", "{id}");
        let error = format!("{{\"jsonrpc\":\"2.0\",\"error\":{{\"code\":7,\"message\":\"no\"}},\"id\":{id}}}\n");
        assert_eq!(called(lenient, error.as_bytes()).0, "error 7: no", "{id}");
    }
    // another number
    for id in [r#""2""#, "1.5", "01", r#""01""#] {
        let answer = format!("{{\"jsonrpc\":\"2.0\",\"result\":{{}},\"id\":{id}}}\n");
        assert!(called(lenient, answer.as_bytes()).0 != "{}", "{id}");
    }
    assert!(called(lenient, b"{\"jsonrpc\":\"2.0\",\"id\":true,\"result\":{}}\n").0.starts_with("invalid id"));
}

#[test]
fn other_texts_are_dropped_and_observed_and_end_nothing() {
    let others = [
        ("STDIO MCP Server started", "unreadable message: expected a value at byte 0"),
        ("\u{1F5A5}\u{FE0F} Server mode: STDIO", "unreadable message: expected a value at byte 0"),
        (r#"[{"jsonrpc":"2.0","method":"notifications/x"}]"#, "unreadable message: batch not allowed at byte 0"),
        ("[WebSocket] Connected", "unreadable message: expected a value at byte 1"),
        ("U-Boot 2024.01 {\"id\":1}", "unreadable message: expected a value at byte 0"),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":nan}"#,
            "unreadable message: invalid literal at byte 60",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":[]}"#,
            "unreadable message: invalid params at byte 59",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"roots/list","params":[],"id":9}"#,
            "unreadable message: invalid params at byte 48",
        ),
        (r#"{"jsonrpc":"2.0","method":7,"id":9}"#, "unreadable message: invalid method at byte 26"),
        (r#"{"jsonrpc":"2.0","result":{},"id":7}"#, "response without listener"),
        (r#"{"jsonrpc":"2.0","result":{},"id":"a"}"#, "response without listener"),
        (r#"{"id":7,"result":nan}"#, "unreadable message: invalid literal at byte 18"),
        (r#"{"level":"info","text":"up"}"#, "unreadable message: missing jsonrpc at byte 0"),
        (r#"{"jsonrpc":"2.0","method":"x","params":{},"id":1}"#, "echo of an own call of 49 bytes"),
        (r#"{"jsonrpc":"2.0","method":"notifications/x"}"#, "notification without listener: notifications/x"),
    ];
    for (text, event) in others {
        let (shown, sent, seen) = called(client, format!("{text}\n").as_bytes());
        assert_eq!((shown.as_str(), sent.as_str(), &seen[..]), (OPEN, "", &[event.to_string()][..]), "{text}");
        let answered = format!("{text}\n{{\"jsonrpc\":\"2.0\",\"result\":{{}},\"id\":1}}\n");
        assert_eq!(called(client, answered.as_bytes()).0, "{}", "{text}");
    }
}

#[test]
fn valid_requests_are_answered_and_a_ping_without_a_route() {
    for (request, answer) in [
        (r#"{"jsonrpc":"2.0","method":"ping","id":1}"#, r#"{"jsonrpc":"2.0","result":{},"id":1}"#),
        (r#"{"jsonrpc":"2.0","method":"roots/list","id":1}"#, r#"{"jsonrpc":"2.0","result":1,"id":1}"#),
        (
            r#"{"jsonrpc":"2.0","method":"x","id":1}"#,
            r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}"#,
        ),
    ] {
        assert_eq!(called(client, format!("{request}\n").as_bytes()).1, answer);
    }
}

#[test]
fn a_message_that_its_frame_loses_ends_the_call_unless_it_is_a_call_of_the_server() {
    fn lost<F: Frame>(stream: &str) -> (String, String) {
        let (shown, sent, seen) = called_by(client(), &mut Framer::<F, 64>::new(), stream.as_bytes(), false);
        assert!(seen.iter().all(|event| event.starts_with("misframed bytes: ")), "{seen:?}");
        (shown, sent)
    }
    let long = "x".repeat(200);
    let answer = format!(r#"{{"jsonrpc":"2.0","result":"{long}","id":1}}"#);
    let note = format!(r#"{{"jsonrpc":"2.0","method":"note","params":["{long}"]}}"#);
    let other = format!(r#"{{"id":7,"jsonrpc":"2.0","result":"{long}"}}"#);
    let front = "message too long at byte 64: {\"jsonrpc\":\"2.0\",\"result\":\"xxx";
    for (text, expected) in [(&answer, front), (&note, OPEN), (&other, OPEN)] {
        let framed = format!("Content-Length: {}\r\n\r\n{text}", text.len());
        for (shown, sent) in
            [lost::<Lines>(&format!("{text}\n")), lost::<Values>(&format!("{text}\n")), lost::<ContentLength>(&framed)]
        {
            assert!(shown.starts_with(expected), "{text}: {shown}");
            assert_eq!(sent.trim_start_matches("Content-Length: 49"), "", "{text}");
        }
    }
    assert_eq!(lost::<Values>("{\"result\":nan}\n").0, "invalid literal at byte 11: {\"result\":n");
    let shown = lost::<ContentLength>("Content-Length: 1x\r\n\r\n").0;
    assert_eq!(shown, "answer: invalid Content-Length at byte 17 of the stream");
    assert_eq!(lost::<ContentLength>("error: no such file\r\n\r\n").0, OPEN);
}

#[test]
fn what_may_be_the_answer_to_the_handshake_ends_it() {
    fn connected(incoming: &str, client: Client) -> (String, usize) {
        let mut pipe: Pipe<4096> = Pipe::new();
        let (device, hub) = pipe.ends();
        hub.try_write(incoming.as_bytes()).unwrap();
        hub.close();
        let (mut framer, mut output, mut seen) = (Framer::<ContentLength, 512>::new(), [0; 1024], Seen::new());
        let (mut client, mut server) = (client, server());
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
        let mut session = client.over(&mut connection, &mut server, &mut seen);
        let shown = session.connect().map_or_else(shown, |server| server.revision.as_str().to_owned());
        let mut sent = [0; 2048];
        let len = hub.try_read(&mut sent).unwrap();
        (shown, String::from_utf8_lossy(&sent[..len]).matches("initialize\"").count())
    }
    let framed = |text: &str| format!("Content-Length: {}\r\n\r\n{text}", text.len());
    let only = || Client::new("me", "1").revision(Revision::V2025_11_25);
    for (text, expected) in [
        (r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"},"id":null}"#, "error -32600: no"),
        (r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}"#, "error -32600: no"),
        (r#"{"result":nan}"#, "invalid literal at byte 11: {\"result\":nan}"),
        (r#"{"jsonrpc":"2.0","result":{},"id":"1"}"#, "invalid id at byte 34: "),
        (r#"{"jsonrpc":"2.0","result":{},"id":1}"#, "missing member at byte 26: "),
    ] {
        assert!(connected(&framed(text), only()).0.starts_with(expected), "{text}");
        // the answer to `server/discover`, which a server of an older revision does not know
        let (shown, initializes) = connected(&framed(text), Client::new("me", "1"));
        assert_eq!((shown.as_str(), initializes), (OPEN, 1), "{text}");
    }
    let (shown, _) = connected("Content-Length: 1x\r\n\r\n", only());
    assert_eq!(shown, "answer: invalid Content-Length at byte 17 of the stream");
}

#[test]
fn with_several_calls_in_flight_a_text_without_a_readable_id_ends_none() {
    let mut client: Client<char, 2> = Client::new("me", "1").connected_as(Revision::V2025_11_25);
    let mut buffer = [0; 512];
    let mut out = Writer::new(&mut buffer);
    let unread = br#"{"result":nan,"id":1}"#;
    let error = br#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"},"id":null}"#;
    client.send(&Call::new("x"), 'a', &mut out).unwrap();
    let call = out.written().to_vec();
    client.send(&Call::new("y"), 'b', &mut out).unwrap();
    assert!(matches!(client.receive(unread, &mut out), Incoming::Unreadable(refused) if refused.text == unread));
    assert!(matches!(client.receive(error, &mut out), Incoming::Unmatched(_)));
    // each call has its echo
    assert!(matches!(client.receive(&call, &mut out), Incoming::Echo(_)));
    // its id is read
    let second = br#"{"id":2,"result":nan}"#;
    assert!(
        matches!(client.receive(second, &mut out), Incoming::Answer('b', Outcome::Refused(_, text)) if text == second)
    );
    assert!(
        matches!(client.receive(unread, &mut out), Incoming::Answer('a', Outcome::Refused(_, text)) if text == unread)
    );
    assert!(matches!(client.receive(unread, &mut out), Incoming::Unreadable(_)));
    assert!(matches!(client.receive(&call, &mut out), Incoming::Request(_)));
    // the message of a handshake counts as a call
    let mut client: Client<char, 1> = Client::new("me", "1").revision(Revision::V2025_11_25);
    client.connect(&mut out).unwrap();
    let refused = client.receive(unread, &mut out);
    assert!(matches!(refused, Incoming::NotConnected(ConnectError::Refused(_, text)) if text == unread));
}

#[test]
fn without_a_call_in_flight_broken_texts_are_observed_and_not_answered() {
    let framed = |text: &str| format!("Content-Length: {}\r\n\r\n{text}", text.len());
    let streams = [
        "Content-Length: 1x\r\n\r\n".to_owned(),
        framed(&format!("{{\"id\":1,\"result\":\"{}\"}}", "x".repeat(600))),
        framed("{\"id\":1,\"result\":nan}"),
        framed("{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":{}}"),
    ];
    for stream in streams {
        let mut pipe: Pipe<4096> = Pipe::new();
        let (device, hub) = pipe.ends();
        hub.try_write(stream.as_bytes()).unwrap();
        hub.close();
        let (mut framer, mut output, mut seen) = (Framer::<ContentLength, 512>::new(), [0; 512], Seen::new());
        let (mut client, mut server) = (client(), server());
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
        let mut session = client.over(&mut connection, &mut server, &mut seen);
        while session.handle_incoming().unwrap() {}
        // nothing was sent
        assert!(hub.try_read(&mut [0; 64]).is_err(), "{stream}");
        assert_eq!(seen.len(), 1, "{stream}: {seen:?}");
    }
}

/// The outcome of a step of a session that finds `incoming`, and the events.
macro_rules! outcome_of {
    ($client:expr, $incoming:expr, |$session:ident| $step:expr) => {{
        let mut pipe: Pipe<16384> = Pipe::new();
        let (device, hub) = pipe.ends();
        hub.try_write($incoming.as_bytes()).unwrap();
        hub.close();
        let (mut framer, mut output, mut seen) = (Framer::<Lines, 512>::new(), [0; 512], Seen::new());
        let (mut client, mut server): (Client, _) = ($client, server());
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
        let mut $session = client.over(&mut connection, &mut server, &mut seen);
        let outcome = $step.unwrap_or_else(shown);
        (outcome, seen)
    }};
}

#[test]
fn a_handshake_ends_with_the_revision_or_without_a_common_one() {
    let only = |revision| Client::new("me", "1").revision(revision);
    let initialized = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"}}}"#;
    let discovered = r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2027-01-01"],"capabilities":{}}}"#;
    for (revision, answer, expected) in [
        (Revision::V2025_11_25, initialized, "2025-11-25"),
        (Revision::V2026_07_28, discovered, r#"no common revision: the server supports ["2027-01-01"]"#),
    ] {
        let (outcome, seen) = outcome_of!(only(revision), format!("{answer}\n"), |session| {
            session.connect().map(|server| server.revision.as_str().to_owned())
        });
        assert_eq!((outcome.as_str(), seen.len()), (expected, 0));
    }
}

#[test]
fn required_input_repeats_the_call_and_progress_of_another_call_is_observed() {
    let incoming = r#"
        {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}
        {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}}}}
        {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","n":3}}
    "#;
    let client = Client::new("me", "1").connected_as(Revision::V2026_07_28);
    let (outcome, seen) = outcome_of!(client, incoming, |session| {
        session.call(&Call::new("x")).map(|result| result.as_json().to_owned())
    });
    assert_eq!(outcome, r#"{"resultType":"complete","n":3}"#);
    assert_eq!(
        seen,
        ["notification notifications/progress dropped, params do not fit: another kind of message at byte 0"]
    );
}

#[cfg(feature = "alloc")]
#[test]
fn the_answer_to_required_input_grows_the_output_to_its_limit() {
    let incoming = r#"
        {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}}}}
        {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete"}}
    "#;
    for (limit, is_sent) in [(4096, true), (240, false)] {
        let mut pipe: Pipe<16384> = Pipe::new();
        let (device, hub) = pipe.ends();
        hub.try_write(incoming.as_bytes()).unwrap();
        let mut output = nanojsonrpc::Growing::new(limit);
        let (mut framer, mut seen, mut server) = (Framer::<Lines, 512>::new(), Seen::new(), server());
        let mut client: Client = Client::new("me", "1").connected_as(Revision::V2026_07_28);
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
        let mut session = client.over(&mut connection, &mut server, &mut seen);
        assert_eq!(session.call(&Call::new("x")).is_ok(), is_sent, "{limit}");
        let mut sent = [0; 1024];
        let len = hub.try_read(&mut sent).unwrap_or(0);
        let sent = String::from_utf8_lossy(&sent[..len]).into_owned();
        assert_eq!(sent.matches(r#""inputResponses":{"k":1}"#).count(), usize::from(is_sent), "{sent}");
    }
}

#[test]
fn a_late_call_is_cancelled_if_there_is_room_and_a_call_that_is_not_sent_ends() {
    let late = "no answer in time";
    let answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
    let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    for (room, incoming, is_open, expected) in [
        (512, "", true, (late, 1)),
        (100, "", true, (late, 0)),
        (512, "", false, ("writing: the connection is closed", 0)),
        // the async session reads once more
        (512, answer, true, ("", 0)),
    ] {
        for is_async in [false, true] {
            let mut pipe: Pipe<16384> = Pipe::new();
            let (device, hub) = pipe.ends();
            hub.try_write(incoming.as_bytes()).unwrap();
            let hub = Some(hub).filter(|_| is_open);
            let (mut framer, mut output, mut seen) = (Framer::<Lines, 512>::new(), vec![0; room], Seen::new());
            let (mut client, mut server) = (client(), server());
            let mut connection = Connection::new(&device, &device, &mut framer, &mut output[..]);
            let outcome = if is_async {
                let session = client.over_async(&mut connection, &mut server, &mut seen);
                let mut session = session.until(|| core::future::ready(()));
                block_on(session.call(&Call::new("x"))).map(|_| ()).map_err(shown)
            } else {
                let session = client.over(&mut connection, &mut server, &mut seen);
                let mut session = session.until(|| || true);
                session.call(&Call::new("x")).map(|_| ()).map_err(shown)
            };
            assert_eq!(client.in_flight().count(), 0);
            let mut sent = [0; 1024];
            let len = hub.map_or(0, |hub| hub.try_read(&mut sent).unwrap());
            let sent = String::from_utf8_lossy(&sent[..len]).matches(cancelled).count();
            let expected = if is_async || incoming.is_empty() { expected } else { (late, 1) };
            assert_eq!((outcome.err().unwrap_or_default().as_str(), sent), expected, "{room} {is_async}");
        }
    }
}

#[test]
fn required_input_is_a_call_with_layers_and_fallbacks_whatever_room_there_is() {
    use nanojsonrpc::message::Str;
    use nanojsonrpc::server::{Layer, Reply, route};
    use nanojsonrpc::{ErrorObject, Params};

    struct Guard;

    impl Layer<Seen> for Guard {
        fn before(&mut self, _: &mut Seen, call: &route::Call<'_>) -> Result<(), ErrorObject<'static>> {
            if call.method() == "elicitation/create" { Err(ErrorObject::new(-32042, "Asleep")) } else { Ok(()) }
        }
    }

    for (method, key, expected) in [
        ("roots/list", "k", Ok(r#"{"k":1}"#)),
        ("sampling/createMessage", "k", Ok(r#"{"k":"sampling/createMessage"}"#)),
        ("elicitation/create", "k", Err("error -32042")),
        // behind the key there is no room for an answer
        ("roots/list", &"k".repeat(400), Err("error -32603")),
    ] {
        let mut pipe: Pipe<16384> = Pipe::new();
        let (device, hub) = pipe.ends();
        let required = format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"input_required","inputRequests":{{"{key}":{{"method":"{method}"}}}}}}}}"#
        );
        let complete = r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete"}}"#;
        hub.try_write(format!("{required}\n{complete}\n").as_bytes()).unwrap();
        let router = Router::new().request("roots/list", |_: &mut Seen| Ok(1)).fallback(
            |seen: &mut Seen, method: Str<'_>, _: Params<'_>, reply: Reply<'_>| {
                seen.push(method.to_string());
                reply.success(&method)
            },
        );
        let mut server = Server::new(router).with_dialect(Dialect::MCP).with_layer(Guard);
        let (mut framer, mut output, mut seen) = (Framer::<Lines, 1024>::new(), [0; 512], Seen::new());
        let mut client: Client = Client::new("me", "1").connected_as(Revision::V2026_07_28);
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
        let mut session = client.over_async(&mut connection, &mut server, &mut seen);
        let outcome = block_on(session.call(&Call::new("x"))).map(|_| ()).map_err(shown);
        let mut sent = [0; 1024];
        let len = hub.try_read(&mut sent).unwrap_or(0);
        let sent = String::from_utf8_lossy(&sent[..len]).into_owned();
        match expected {
            Ok(input) => {
                assert_eq!(outcome, Ok(()), "{method}");
                assert!(sent.contains(&format!(r#""inputResponses":{input}"#)), "{sent}");
            }
            Err(code) => {
                assert!(outcome.clone().is_err_and(|error| error.contains(code)), "{method}: {outcome:?}");
                assert!(!sent.contains("inputResponses"), "{sent}");
            }
        }
        assert_eq!(seen.len(), usize::from(method.starts_with("sampling")), "{method}: {seen:?}");
    }
}

/// The outcome of a call that finds `incoming` while a server of `router` answers the peer, and what the session has sent.
fn called_beside<R: Routes<Seen> + AsyncRoutes<Seen>>(
    router: Router<Seen, R>,
    incoming: &str,
    is_async: bool,
) -> (Result<(), String>, String) {
    let mut pipe: Pipe<16384> = Pipe::new();
    let (device, hub) = pipe.ends();
    hub.try_write(incoming.as_bytes()).unwrap();
    let mut server = Server::new(router).with_dialect(Dialect::MCP);
    let (mut framer, mut output, mut seen) = (Framer::<Lines, 1024>::new(), [0; 512], Seen::new());
    let mut client: Client = Client::new("me", "1").connected_as(Revision::V2026_07_28);
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let outcome = if is_async {
        let mut session = client.over_async(&mut connection, &mut server, &mut seen);
        block_on(session.call(&Call::new("x"))).map(drop).map_err(shown)
    } else {
        client.over(&mut connection, &mut server, &mut seen).call(&Call::new("x")).map(drop).map_err(shown)
    };
    let mut sent = [0; 2048];
    let len = hub.try_read(&mut sent).unwrap_or(0);
    (outcome, String::from_utf8_lossy(&sent[..len]).into_owned())
}

fn required(key: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"input_required","inputRequests":{{"{key}":{{"method":"roots/list"}}}}}}}}"#
    )
}

#[test]
fn an_answer_to_required_input_is_sent_whole_or_not() {
    let complete = r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete"}}"#;
    for is_async in [false, true] {
        let mut was_sent = true;
        // the room for the answer becomes shorter by each byte of the key
        for key in (1..400).step_by(if cfg!(miri) { 100 } else { 1 }) {
            let router = Router::new().request("roots/list", |_: &mut Seen| Ok(1));
            let incoming = format!("{}\n{complete}\n", required(&"k".repeat(key)));
            let (outcome, sent) = called_beside(router, &incoming, is_async);
            let sent = sent.matches(r#"k":1}"#).count();
            assert_eq!(sent == 1, outcome.is_ok(), "{key}: {outcome:?}");
            assert!(was_sent || outcome.is_err(), "{key}");
            was_sent = outcome.is_ok();
        }
        assert!(!was_sent);
    }
}

#[test]
fn a_fallback_for_notifications_takes_no_required_input() {
    for is_async in [false, true] {
        let router = Router::new().notification_fallback(|_: &mut Seen, _, _| {});
        let (outcome, _) = called_beside(router, &format!("{}\n", required("k")), is_async);
        assert!(outcome.is_err_and(|error| error.contains("-32601")));
    }
}
