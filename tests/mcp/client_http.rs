//! The client over Streamable HTTP, against servers whose responses are written here.
#![cfg(all(feature = "mcp", feature = "serde", feature = "embedded-io-async"))]

use core::cell::RefCell;
use core::pin::pin;
use core::task::{Context, Poll, Waker};
use std::collections::VecDeque;
use std::rc::Rc;

use embedded_io::{Error as _, ErrorKind};
use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Events, Framer, Lines};
use nanojsonrpc::mcp::client::http::{Http, HttpError, Open, OpenAsync, Remote};
use nanojsonrpc::mcp::client::{Call, Client};
use nanojsonrpc::mcp::{Revision, method};
use nanojsonrpc::server::Event;
use nanojsonrpc::{Dialect, RawValue, Router, Server};

/// What happens on the streams of a client.
#[derive(Default)]
struct World {
    /// The response on each stream that is opened next; `None`: it cannot be opened.
    responses: VecDeque<Option<Vec<u8>>>,
    /// What was sent on each opened stream, in order.
    sent: Vec<String>,
    /// The greatest length of a read.
    piece: usize,
    /// What was done besides: pauses, closed streams.
    done: Vec<String>,
    /// So many operations pass, then one fails so.
    fault: Option<(usize, ErrorKind)>,
}

impl World {
    /// Counts an operation. Only reads and writes are interrupted.
    fn step(&mut self, is_transfer: bool) -> Result<(), ErrorKind> {
        let fault = self.fault.take_if(|(left, kind)| *left == 0 && (is_transfer || *kind != ErrorKind::Interrupted));
        if let Some((_, kind)) = fault {
            return Err(kind);
        }
        if let Some((left, _)) = &mut self.fault {
            *left = left.saturating_sub(1);
        }
        Ok(())
    }
}

#[derive(Clone)]
struct Tcp {
    world: Rc<RefCell<World>>,
    /// The number of the open stream, and the rest of its response.
    stream: Option<(usize, Vec<u8>)>,
}

impl embedded_io::ErrorType for Tcp {
    type Error = ErrorKind;
}

impl embedded_io::Read for Tcp {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, ErrorKind> {
        self.world.borrow_mut().step(true)?;
        let piece = self.world.borrow().piece;
        let (_, rest) = self.stream.as_mut().ok_or(ErrorKind::NotConnected)?;
        if rest.starts_with(RESET.as_bytes()) {
            return Err(ErrorKind::ConnectionReset);
        }
        let piece = piece.min(rest.windows(RESET.len()).position(|part| part == RESET.as_bytes()).unwrap_or(piece));
        let len = rest.len().min(bytes.len()).min(piece);
        bytes[..len].copy_from_slice(&rest[..len]);
        rest.drain(..len);
        Ok(len)
    }
}

impl embedded_io::Write for Tcp {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        let (stream, _) = self.stream.as_ref().ok_or(ErrorKind::NotConnected)?;
        let mut world = self.world.borrow_mut();
        world.step(true)?;
        let len = bytes.len().min(world.piece);
        world.sent[*stream].push_str(std::str::from_utf8(&bytes[..len]).unwrap());
        Ok(len)
    }

    fn flush(&mut self) -> Result<(), ErrorKind> {
        self.world.borrow_mut().step(false)
    }
}

impl Open for Tcp {
    fn open(&mut self) -> Result<(), ErrorKind> {
        let mut world = self.world.borrow_mut();
        world.step(false)?;
        let response = world.responses.pop_front().flatten().ok_or(ErrorKind::ConnectionRefused)?;
        self.stream = Some((world.sent.len(), response));
        world.sent.push(String::new());
        Ok(())
    }

    fn close(&mut self) {
        self.stream = None;
        self.world.borrow_mut().done.push("closed".into());
    }

    fn pause(&mut self, milliseconds: u32) {
        self.world.borrow_mut().done.push(format!("waited {milliseconds} ms"));
    }
}

impl embedded_io_async::Read for Tcp {
    async fn read(&mut self, bytes: &mut [u8]) -> Result<usize, ErrorKind> {
        embedded_io::Read::read(self, bytes)
    }
}

impl embedded_io_async::Write for Tcp {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        embedded_io::Write::write(self, bytes)
    }

    async fn flush(&mut self) -> Result<(), ErrorKind> {
        embedded_io::Write::flush(self)
    }
}

impl OpenAsync for Tcp {
    async fn open(&mut self) -> Result<(), ErrorKind> {
        Open::open(self)
    }

    fn close(&mut self) {
        Open::close(self);
    }

    async fn pause(&mut self, milliseconds: u32) {
        Open::pause(self, milliseconds);
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits"),
    }
}

/// A response with a JSON body of known length.
fn json(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// A response with events in chunks.
fn events(headers: &str, body: &str) -> String {
    let mut response = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n{headers}Transfer-Encoding: chunked\r\n\r\n"
    );
    for chunk in body.as_bytes().chunks(11) {
        response += &format!("{:x}\r\n{}\r\n", chunk.len(), std::str::from_utf8(chunk).unwrap());
    }
    response + "0\r\n\r\n"
}

/// At the end of a response whose connection is reset.
const RESET: &str = "\0reset";
const ACCEPTED: &str = "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";
const SHOWN: &str =
    r#"{"jsonrpc":"2.0","result":{"resultType":"complete","content":[{"type":"text","text":"on"}]},"id":1}"#;

/// A step of a session.
#[derive(Clone, Copy)]
enum Step {
    Connect,
    Call,
    /// A call that is late after this number of reads.
    Late(u8),
    Listen,
    Handle,
    Token(&'static str),
    End,
}

/// The outcome of each step, and what happened.
struct Story {
    outcomes: Vec<String>,
    sent: Vec<String>,
    done: Vec<String>,
    events: Vec<String>,
}

type Seen = Vec<String>;

fn tell(client: fn() -> Client, steps: &[Step], responses: &[&str], piece: usize, is_async: bool) -> Story {
    let (story, world) = tell_in(World { piece, ..World::default() }, client, steps, responses, is_async);
    assert!(world.responses.is_empty(), "unused: {:?}", world.responses);
    story
}

fn tell_in(world: World, client: fn() -> Client, steps: &[Step], responses: &[&str], is_async: bool) -> (Story, World) {
    let responses = responses.iter().map(|text| (!text.is_empty()).then(|| text.as_bytes().to_vec())).collect();
    let world = Rc::new(RefCell::new(World { responses, ..world }));
    let tcp = Tcp { world: world.clone(), stream: None };
    let http: Http<'_, Tcp, 600> = Http::new(Remote::new("hub.local:80", "/mcp"), tcp.clone(), tcp);
    let (mut framer, mut output) = (Framer::<Events, 512>::new(), [0; 512]);
    let router = Router::new()
        .request("roots/list", |seen: &mut Seen| {
            seen.push("asked".into());
            Ok([1])
        })
        .notification("notifications/tools/list_changed", |seen: &mut Seen| seen.push("changed".into()));
    let mut server = Server::new(router)
        .with_dialect(Dialect::MCP)
        // the offset counts the comments in which the deadline is checked, too
        .observed_by(|seen: &mut Seen, event: Event<'_>| {
            seen.extend(event.to_string().split(" at byte ").next().map(str::to_owned));
        });
    let (mut client, mut seen, mut outcomes) = (client(), Seen::new(), Vec::new());
    for step in steps {
        let mut connection = Connection::new(&http, &http, &mut framer, &mut output);
        let mut polls = 0_u8;
        let reads = if let Step::Late(reads) = step { *reads } else { 0 };
        let late = || {
            polls += 1;
            polls > reads
        };
        let outcome = match (step, is_async) {
            (Step::Token(token), _) => {
                http.with_remote(|remote| remote.set_token(Some(token)));
                let challenge = http.challenge(|challenge| String::from_utf8_lossy(challenge).into_owned());
                challenge.unwrap_or_default()
            }
            (Step::Listen, _) => {
                http.listen();
                String::new()
            }
            (Step::End, false) => http.end().map_or_else(|error| error.to_string(), |()| "ended".into()),
            (Step::End, true) => block_on(http.end_async()).map_or_else(|error| error.to_string(), |()| "ended".into()),
            (Step::Connect, false) => {
                let mut session = client.over(&mut connection, &mut server, &mut seen);
                session.connect().map_or_else(|error| error.to_string(), |about| about.revision.as_str().into())
            }
            (Step::Connect, true) => {
                let mut session = client.over_async(&mut connection, &mut server, &mut seen);
                block_on(session.connect())
                    .map_or_else(|error| error.to_string(), |about| about.revision.as_str().into())
            }
            (Step::Call, false) => {
                let mut session = client.over(&mut connection, &mut server, &mut seen);
                session
                    .call(&Call::tool("switch", &()))
                    .map_or_else(|error| error.to_string(), |result| result.as_json().into())
            }
            (Step::Call, true) => {
                let mut session = client.over_async(&mut connection, &mut server, &mut seen);
                block_on(session.call(&Call::tool("switch", &())))
                    .map_or_else(|error| error.to_string(), |result| result.as_json().into())
            }
            (Step::Late(_), _) => {
                let mut late = Some(late);
                let mut session =
                    client.over(&mut connection, &mut server, &mut seen).until(move || late.take().unwrap());
                session
                    .call(&Call::tool("switch", &()))
                    .map_or_else(|error| error.to_string(), |result| result.as_json().into())
            }
            (Step::Handle, false) => {
                let mut session = client.over(&mut connection, &mut server, &mut seen);
                session.handle_incoming().map_or_else(|error| error.to_string(), |goes_on| goes_on.to_string())
            }
            (Step::Handle, true) => {
                let mut session = client.over_async(&mut connection, &mut server, &mut seen);
                block_on(session.handle_incoming())
                    .map_or_else(|error| error.to_string(), |goes_on| goes_on.to_string())
            }
        };
        outcomes.push(outcome);
    }
    drop(http);
    let mut world = Rc::into_inner(world).unwrap().into_inner();
    let (sent, done) = (core::mem::take(&mut world.sent), core::mem::take(&mut world.done));
    (Story { outcomes, sent, done, events: seen }, world)
}

/// The story in pieces of each length, blocking and not.
fn story(client: fn() -> Client, steps: &[Step], responses: &[&str]) -> Story {
    let first = tell(client, steps, responses, usize::MAX, false);
    for piece in [1, 2, 3, 7, 64] {
        for is_async in [false, true] {
            let other = tell(client, steps, responses, piece, is_async);
            assert_eq!((&other.outcomes, &other.sent), (&first.outcomes, &first.sent), "{piece} {is_async}");
            assert_eq!((&other.done, &other.events), (&first.done, &first.events), "{piece} {is_async}");
        }
    }
    first
}

/// The outcomes alone: of a body that is broken off by a fault, the pieces decide how much is read before it.
fn story_of_outcomes(client: fn() -> Client, steps: &[Step], responses: &[&str]) -> Vec<String> {
    let first = tell(client, steps, responses, usize::MAX, false).outcomes;
    for piece in [1, 2, 3, 7, 64] {
        for is_async in [false, true] {
            assert_eq!(tell(client, steps, responses, piece, is_async).outcomes, first, "{piece} {is_async}");
        }
    }
    first
}

fn stateless() -> Client {
    Client::new("me", "1").connected_as(Revision::V2026_07_28)
}

fn prober() -> Client {
    Client::new("me", "1")
}

/// The lines of a head, without those that all heads have.
fn head(sent: &str) -> Vec<&str> {
    let (head, _) = sent.split_once("\r\n\r\n").expect("a head");
    let is_own = |line: &&str| !line.starts_with("host: ") && !line.starts_with("content-");
    head.split("\r\n").filter(is_own).collect()
}

fn body(sent: &str) -> &str {
    let (head, body) = sent.split_once("\r\n\r\n").expect("a head");
    let len = head.split("\r\n").find_map(|line| line.strip_prefix("content-length: "));
    assert_eq!(len.map_or(0, |len| len.parse().unwrap()), body.len());
    body
}

const DISCOVERED: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}"#;
const INITIALIZED: &str = "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 2,\r\n  \"result\": {\n    \"protocolVersion\": \"2025-06-18\",\n    \"capabilities\": {},\n    \"serverInfo\": {\"name\": \"a\", \"version\": \"1\"}\n  }\n}\n";
const CALLED: &str = r#"{"jsonrpc":"2.0","id":3,"result":{}}"#;

#[test]
fn a_stateless_server_needs_one_request_for_each_call() {
    let called = events(
        "",
        "id: 1\ndata:\n\n: hm\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"result\":{},\"id\":2}\n\n",
    );
    let told = story(prober, &[Step::Connect, Step::Call, Step::End], &[&json("200 OK", "", DISCOVERED), &called]);
    assert_eq!(told.outcomes, ["2026-07-28", "{}", "ended"]);
    assert_eq!(
        head(&told.sent[1]),
        [
            "POST /mcp HTTP/1.1",
            "accept: application/json, text/event-stream",
            "mcp-protocol-version: 2026-07-28",
            "mcp-method: tools/call",
            "mcp-name: switch",
            "connection: close",
        ]
    );
    assert_eq!(head(&told.sent[0])[3], "mcp-method: server/discover");
    assert!(body(&told.sent[1]).starts_with(r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"switch","#));
    assert!(told.sent[1].contains("host: hub.local:80\r\ncontent-type: application/json\r\n"));
    assert_eq!((told.sent.len(), told.events.len()), (2, 0));
}

#[test]
fn a_server_of_sessions_is_found_after_a_refused_probe() {
    let refusals = [
        json(
            "400 Bad Request",
            "",
            r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"no session"}}"#,
        ),
        json("200 OK", "", r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":""}}"#),
        "HTTP/1.1 404 Not Found\r\ncontent-length: 9\r\ncontent-type: text/plain\r\n\r\nnot found".into(),
        "HTTP/1.0 405\n\n".into(),
    ];
    for refused in refusals {
        let initialized = json("200 OK", "MCP-Session-Id: 7f3a!\r\n", INITIALIZED);
        let called = json("200 OK", "", CALLED);
        let responses = [refused.as_str(), &initialized, ACCEPTED, &called, ACCEPTED];
        let told = story(prober, &[Step::Connect, Step::Call, Step::End, Step::End], &responses);
        assert_eq!(told.outcomes, ["2025-06-18", "{}", "ended", "ended"]);
        let session = ["mcp-protocol-version: 2025-06-18", "mcp-session-id: 7f3a!"];
        assert_eq!(
            head(&told.sent[1]),
            ["POST /mcp HTTP/1.1", "accept: application/json, text/event-stream", "connection: close"]
        );
        assert_eq!(body(&told.sent[2]), r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        for sent in &told.sent[2..4] {
            assert_eq!(head(sent)[2..4], session);
        }
        assert_eq!(head(&told.sent[4]), ["DELETE /mcp HTTP/1.1", session[0], session[1], "connection: close"]);
    }
}

#[test]
fn a_failed_probe_is_no_server_of_sessions() {
    for (response, error) in [
        ("HTTP/1.1 503 Service Unavailable\r\n\r\n", "reading: HTTP status 503"),
        ("HTTP/1.1 403 Forbidden\r\n\r\n", "reading: HTTP status 403"),
        ("HTTP/1.1 302 Found\r\nlocation: /login\r\n\r\n", "reading: HTTP status 302"),
        ("", "writing: ConnectionRefused"),
    ] {
        let told = story(prober, &[Step::Connect], &[response]);
        assert!(told.outcomes[0].starts_with(error) || response.is_empty(), "{}", told.outcomes[0]);
        assert_eq!(told.sent.is_empty(), response.is_empty());
    }
}

fn in_session() -> Client {
    Client::new("me", "1").connected_as(Revision::V2025_11_25)
}

#[test]
fn requests_of_the_server_are_answered_while_the_response_is_open() {
    let asked = "data: {\"jsonrpc\":\"2.0\",\"method\":\"roots/list\",\"id\":\"a\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":9}\n\ndata: {\"jsonrpc\":\"2.0\",\"result\":{},\"id\":1}\n\n";
    let told = story(in_session, &[Step::Call], &[&events("", asked), ACCEPTED, ACCEPTED]);
    assert_eq!(told.outcomes, ["{}"]);
    assert_eq!(body(&told.sent[1]), r#"{"jsonrpc":"2.0","result":[1],"id":"a"}"#);
    assert_eq!(body(&told.sent[2]), r#"{"jsonrpc":"2.0","result":{},"id":9}"#);
    assert_eq!(told.events, ["asked"]);
}

#[test]
fn a_stream_that_breaks_off_is_resumed() {
    let first = events("", "id: e1\nretry: 20\ndata:\n\n");
    let second = events("", "id: e2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n");
    let third = events("", "data: {\"jsonrpc\":\"2.0\",\"result\":{},\"id\":1}\n\n");
    let told = story(in_session, &[Step::Call], &[&first, &second, &third]);
    assert_eq!((&told.outcomes[..], &told.events[..]), (&["{}".into()][..], &["changed".into()][..]));
    assert_eq!(told.done, ["waited 20 ms", "waited 20 ms"]);
    assert_eq!(
        head(&told.sent[1]),
        ["GET /mcp HTTP/1.1", "accept: text/event-stream", "last-event-id: e1", "connection: close"]
    );
    assert_eq!(head(&told.sent[2])[2], "last-event-id: e2");

    // without an id, or in 2026-07-28, the call is lost
    let told = story(
        in_session,
        &[Step::Call, Step::Call],
        &[&events("", "data:\n\n"), &json("200 OK", "", r#"{"jsonrpc":"2.0","result":1,"id":2}"#)],
    );
    assert_eq!(told.outcomes, ["reading: a response without the answer", "1"]);
    let told = story(stateless, &[Step::Call], &[&first]);
    assert_eq!(told.outcomes, ["reading: a response without the answer"]);
    // a server that no longer has the stream
    let told = story(in_session, &[Step::Call], &[&first, "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"]);
    assert_eq!(told.outcomes, ["reading: HTTP status 404"]);
    // it breaks off inside an event, which is sent again if the stream can be resumed
    let cut = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nid: 1\ndata: {\"jsonrpc\":\"2.0\",\"res";
    let dropped = "misframed bytes: event name too long";
    let one = json("200 OK", "", r#"{"jsonrpc":"2.0","result":1,"id":2}"#);
    let told = story(in_session, &[Step::Call, Step::Call], &[cut, &one]);
    assert_eq!(told.outcomes, ["reading: a response without the answer", "1"]);
    assert!(matches!(&told.events[..], [event] if event.starts_with(dropped)), "{:?}", told.events);
    let told = story(in_session, &[Step::Call], &[&cut.replace("id: 1\n", "id: 0\ndata:\n\nid: 1\n"), &third]);
    assert_eq!((&told.outcomes[..], head(&told.sent[1])[2]), (&["{}".into()][..], "last-event-id: 0"));
    assert!(matches!(&told.events[..], [event] if event.starts_with(dropped)), "{:?}", told.events);
}

#[test]
fn a_part_of_an_event_does_not_reach_the_next_answer() {
    let open =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: wait\n\n: wait\n\ndata: {\"jsonrpc\":\"2.0\",";
    let json_open = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 400\r\n\r\n{\"jsonrpc\":\"2.0\",                                          ";
    for (open, piece) in [(open, 95), (json_open, 100)] {
        let answer = events("", "data: {\"jsonrpc\":\"2.0\",\"result\":1,\"id\":2}\n\n");
        let told = tell(stateless, &[Step::Late(2), Step::Call], &[open, &answer], piece, false);
        assert_eq!(told.outcomes, ["no answer in time", "1"], "{:?}", told.events);
        assert!(told.events[0].starts_with("misframed bytes: event name too long"), "{:?}", told.events);
    }
    // a body that breaks off, or is no body any more
    for rest in ["4\r\n{\"js\r\nxyz", "4\r\n{\"js\r\n"] {
        let broken =
            format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n{rest}");
        let answer = json("200 OK", "", r#"{"jsonrpc":"2.0","result":1,"id":2}"#);
        let told = story_of_outcomes(stateless, &[Step::Call, Step::Call], &[&broken, &answer]);
        assert_eq!(told, ["reading: not a response of HTTP/1.1", "1"]);
    }
    // inside of an event, and between two
    let answer = json("200 OK", "", r#"{"jsonrpc":"2.0","result":1,"id":2}"#);
    for (rest, dropped) in [("9\r\ndata: {\"a\r\nxyz", 1), ("7\r\ndata:\n\n\r\nxyz", 0)] {
        let broken = events("", "").replace("0\r\n\r\n", rest);
        let told = tell(stateless, &[Step::Call, Step::Call], &[&broken, &answer], 1, false);
        assert_eq!(told.outcomes, ["reading: not a response of HTTP/1.1", "1"], "{rest}");
        assert_eq!(told.events.len(), dropped, "{:?}", told.events);
    }
}

#[test]
fn authorization_is_for_the_program() {
    let refused = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer scope=\"lamp\"\r\ncontent-length: 2\r\n\r\n{}";
    let told = story(
        stateless,
        &[Step::Call, Step::Token("abc.def"), Step::Call],
        &[refused, &json("200 OK", "", &SHOWN.replace("\"id\":1", "\"id\":2"))],
    );
    assert_eq!(told.outcomes[..2], ["reading: HTTP status 401", "Bearer scope=\"lamp\""]);
    assert!(told.outcomes[2].contains(r#""text":"on""#));
    assert_eq!(head(&told.sent[1])[1], "authorization: Bearer abc.def");
    let told = story(stateless, &[Step::Token("a b"), Step::Call], &[]);
    assert_eq!(told.outcomes[1], "writing: head of a request: invalid value at byte 1");
    // the notification after `initialize` is refused
    let initialized = json("200 OK", "", &INITIALIZED.replace("\"id\": 2", "\"id\": 1"));
    let told = story(
        || Client::new("me", "1").revision(Revision::V2025_06_18),
        &[Step::Connect, Step::Token("x")],
        &[&initialized, refused],
    );
    assert_eq!(told.outcomes, ["writing: HTTP status 401", "Bearer scope=\"lamp\""]);
}

#[test]
fn an_ended_session_is_begun_again() {
    let client = || Client::new("me", "1").revision(Revision::V2025_06_18);
    let first = json("200 OK", "mcp-session-id: one\r\n", &INITIALIZED.replace("\"id\": 2", "\"id\": 1"));
    let second = json("200 OK", "mcp-session-id: two\r\n", &INITIALIZED.replace("\"id\": 2", "\"id\": 3"));
    let called = json("200 OK", "", r#"{"jsonrpc":"2.0","result":{},"id":4}"#);
    let gone = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
    let steps = [Step::Connect, Step::Call, Step::Connect, Step::Call, Step::End];
    let responses = [&first, ACCEPTED, gone, &second, ACCEPTED, &called, "HTTP/1.1 500 No\r\n\r\n"];
    let told = story(client, &steps, &responses);
    assert_eq!(told.outcomes, ["2025-06-18", "reading: the session has ended", "2025-06-18", "{}", "HTTP status 500"]);
    assert!(head(&told.sent[2]).contains(&"mcp-session-id: one"));
    assert!(!told.sent[3].contains("mcp-session-id"));
    assert!(head(&told.sent[5]).contains(&"mcp-session-id: two"));
    // in 2026-07-28 there is no session that could end
    let told = story(
        stateless,
        &[Step::Call, Step::Call],
        &[
            &json("200 OK", "mcp-session-id: x\r\n", SHOWN),
            &json("404 Not Found", "", r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"no"},"id":2}"#),
        ],
    );
    assert_eq!(told.outcomes[1], "error -32601: no");
    // the session ends before its first notification
    let told = story(client, &[Step::Connect, Step::End], &[&first, gone]);
    assert_eq!(told.outcomes, ["writing: the session has ended", "ended"]);
    let told =
        story(client, &[Step::Connect], &[&first, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 Bad Request\r\n\r\n"]);
    assert_eq!(told.outcomes, ["writing: HTTP status 400"]);
}

#[test]
fn a_late_call_is_cancelled() {
    let open = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: wait\n\n: wait\n\n: wait\n\n";
    let told = tell(stateless, &[Step::Late(2)], &[open], 60, false);
    assert_eq!((&told.outcomes[..], &told.done[..]), (&["no answer in time".into()][..], &["closed".into()][..]));
    assert_eq!(told.sent.len(), 1);
    let told = tell(in_session, &[Step::Late(2)], &[open, ACCEPTED], 60, false);
    assert_eq!(told.outcomes, ["no answer in time"]);
    assert_eq!(body(&told.sent[1]), r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
}

#[test]
fn a_late_call_ends_while_the_server_sends_parts_of_a_head() {
    let slow = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(9);
    for response in [&slow, "HTTP/1.1 200 OK\r\nserver: a\r\nserver: b\r\nserver: c\r\n"] {
        let told = tell(stateless, &[Step::Late(2)], &[response], 20, false);
        assert_eq!(told.outcomes, ["no answer in time"]);
    }
}

#[test]
fn a_late_call_ends_while_a_server_lets_the_client_wait() {
    let broken_off = events("", "id: 7\nretry: 4000000000\ndata:\n\n");
    let told = tell(in_session, &[Step::Late(6)], &[&broken_off, ACCEPTED], 4096, false);
    assert_eq!((&told.outcomes[..], told.sent.len()), (&["no answer in time".into()][..], 2));
    assert_eq!(told.done, ["waited 1000 ms", "waited 1000 ms", "waited 1000 ms", "waited 1000 ms", "closed"]);
    let broken_off = events("", "id: 7\nretry: 2500\ndata:\n\n");
    let told = story(in_session, &[Step::Call], &[&broken_off, &events("", &format!("data: {SHOWN}\n\n"))]);
    assert_eq!(told.done, ["waited 1000 ms", "waited 1000 ms", "waited 500 ms"]);
    assert!(told.outcomes[0].contains("on"), "{}", told.outcomes[0]);
}

#[test]
fn an_event_that_breaks_off_leaves_no_id() {
    let whole = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nretry: 0\nid: 0\ndata:\n\n";
    let again = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nid: 5\ndata:\n\n";
    let answer = json("200 OK", "", r#"{"jsonrpc":"2.0","result":{},"id":1}"#);
    for cut in ["id: 1\ndata: {\"jsonrpc\":\"2.0\",\"res", "id: 1\n", "id: 1", "i", "data: 1\r", &"data: 1".repeat(20)]
    {
        let told = story(in_session, &[Step::Call], &[&format!("{whole}{cut}"), again, &answer]);
        assert_eq!(told.outcomes, ["{}"], "{cut}");
        let ids: Vec<_> = told.sent[1..].iter().map(|sent| head(sent)[2]).collect();
        assert_eq!(ids, ["last-event-id: 0", "last-event-id: 5"], "{cut}");
    }
}

#[test]
fn a_stream_whose_connection_is_reset_is_resumed() {
    let events = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nretry: 0\nid: 7\ndata:\n\n: wait\n\n";
    let answer = json("200 OK", "", r#"{"jsonrpc":"2.0","result":{},"id":1}"#);
    let told = story(in_session, &[Step::Call], &[&format!("{events}{RESET}"), &answer]);
    assert_eq!((&told.outcomes[..], head(&told.sent[1])[2]), (&["{}".into()][..], "last-event-id: 7"));
    // a stream outside of calls has no ids
    let wait = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nretry: 0\n: wait\n\n";
    let changed = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n";
    let steps = [Step::Listen, Step::Handle, Step::Handle, Step::Handle, Step::Handle];
    let told = tell(in_session, &steps, &[&format!("{wait}{RESET}"), &format!("{wait}{changed}{RESET}")], 4096, false);
    assert_eq!((&told.events[..], head(&told.sent[1]).len()), (&["changed".into()][..], 3));
    // neither without an id, nor in 2026-07-28, nor in a message, nor in a head
    let told = story_of_outcomes(in_session, &[Step::Call], &[&format!("{}{RESET}", events.replace("id: 7\n", ""))]);
    assert_eq!(told, ["reading: ConnectionReset"]);
    let told = story_of_outcomes(stateless, &[Step::Call], &[&format!("{events}{RESET}")]);
    assert_eq!(told, ["reading: ConnectionReset"]);
    let message = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{";
    for text in [message, "HTTP/1.1 200 OK\r\n"] {
        assert_eq!(
            story_of_outcomes(in_session, &[Step::Call], &[&format!("{text}{RESET}")]),
            ["reading: ConnectionReset"]
        );
    }
}

#[test]
fn a_head_that_is_too_long_leaves_no_response() {
    let long = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "y".repeat(600));
    let told = story(in_session, &[Step::Call, Step::Handle], &[&long]);
    let too_long = "reading: the head of a request or response is too long";
    assert_eq!(told.outcomes, [too_long, "reading: a response without the answer"]);
}

#[test]
fn a_stream_that_the_server_does_not_resume_has_ended() {
    let broken_off = events("", "id: 7\nretry: 0\ndata:\n\n");
    for nothing in [ACCEPTED, "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"] {
        let told = story(in_session, &[Step::Call], &[&broken_off, nothing]);
        assert_eq!(told.outcomes, ["reading: a response without the answer"]);
        let told = tell(in_session, &[Step::Listen, Step::Handle], &[nothing], 4096, false);
        assert_eq!(told.outcomes[1..], ["reading: a response without the answer"]);
    }
}

#[test]
fn a_response_without_content_is_read_up_to_its_head() {
    let told = story(stateless, &[Step::Call], &[&json("204 No Content", "", SHOWN)]);
    assert_eq!(told.outcomes, ["reading: a response without the answer"]);
}

#[test]
fn interim_responses_without_end_are_refused() {
    let hints = |count| "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(count);
    let answer = json("200 OK", "", SHOWN);
    let told = story(stateless, &[Step::Call; 2], &[&(hints(16) + &answer), &(hints(17) + &answer)]);
    assert_eq!(told.outcomes[1..], ["reading: HTTP status 103"]);
    assert!(told.outcomes[0].contains("on"), "{}", told.outcomes[0]);
    // the response to a notification, too
    let refused = "HTTP/1.1 400 Bad Request\r\n\r\n";
    let initialized = json("200 OK", "", INITIALIZED);
    for (count, outcome) in [(16, "2025-06-18"), (17, "writing: HTTP status 103")] {
        let told = story(prober, &[Step::Connect], &[refused, &initialized, &(hints(count) + ACCEPTED)]);
        assert_eq!(told.outcomes, [outcome]);
    }
}

#[test]
fn a_client_listens_outside_of_calls() {
    let changed = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n";
    let told = tell(
        in_session,
        &[Step::Handle, Step::Listen, Step::Handle, Step::Handle],
        &[&events("", changed)],
        4096,
        false,
    );
    assert_eq!(told.outcomes[..3], ["reading: a response without the answer", "", "true"]);
    assert_eq!(told.events, ["changed"]);
    assert_eq!(head(&told.sent[0])[0], "GET /mcp HTTP/1.1");
    let none = "HTTP/1.1 405 Method Not Allowed\r\n\r\n";
    let told = tell(in_session, &[Step::Listen, Step::Handle, Step::Handle], &[none], 4096, true);
    assert_eq!(told.outcomes[1..], ["reading: HTTP status 405", "reading: a response without the answer"]);
}

#[test]
fn what_is_no_response_is_an_error() {
    let long = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "y".repeat(600));
    for (response, error) in [
        ("SSH-2.0-OpenSSH_9\r\n", "not a response of HTTP/1.1"),
        ("HTTP/1.1 200 OK\r\nContent-Type", "not a response of HTTP/1.1"),
        ("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "not a response of HTTP/1.1"),
        ("HTTP/1.1 200 OK\r\n: no name\r\n\r\n", "not a response of HTTP/1.1"),
        ("HTTP/1.1 2000 OK\r\n\r\n", "not a response of HTTP/1.1"),
        (&long, "the head of a request or response is too long"),
        (
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 60\r\n\r\n{\"jsonrpc\"",
            "not a response of HTTP/1.1",
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: many\r\n\r\n{}",
            "not a response of HTTP/1.1",
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: gzip\r\n\r\n{}",
            "not a response of HTTP/1.1",
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nxyz",
            "not a response of HTTP/1.1",
        ),
        (ACCEPTED, "a response without the answer"),
        ("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<p>", "a response without the answer"),
        (
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 0\r\n\r\n",
            "a response without the answer",
        ),
        ("HTTP/1.1 500 Oh\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}", "HTTP status 500"),
    ] {
        let told = story(stateless, &[Step::Call], &[response]);
        assert_eq!(told.outcomes, [format!("reading: {error}")], "{response}");
    }
    // a body without a length ends with the stream; an interim response comes before it
    let whole = format!(
        "HTTP/1.1 103 Early\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{SHOWN}"
    );
    assert!(story(stateless, &[Step::Call], &[&whole]).outcomes[0].contains("\"on\""));
    // an error with a status
    let failed =
        json("400 Bad Request", "", r#"{"jsonrpc":"2.0","error":{"code":-32020,"message":"Header mismatch"},"id":1}"#);
    assert_eq!(story(stateless, &[Step::Call], &[&failed]).outcomes, ["error -32020: Header mismatch"]);
    let exchange = story(
        in_session,
        &[Step::Call],
        &[&events("", "data: {\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":9}\n\n"), "HTTP/1.1"],
    );
    assert_eq!(exchange.outcomes, ["writing: not a response of HTTP/1.1"]);
    let long = story(
        in_session,
        &[Step::Call],
        &[&events("", "data: {\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":9}\n\n"), &long],
    );
    assert_eq!(long.outcomes, ["writing: the head of a request or response is too long"]);
}

#[test]
fn another_frame_and_a_long_head_are_refused() {
    let world = Rc::new(RefCell::new(World { piece: 64, ..World::default() }));
    let tcp = Tcp { world, stream: None };
    let http: Http<'_, Tcp, 64> = Http::new(Remote::new("hub.local", "/mcp"), tcp.clone(), tcp.clone());
    let (mut framer, mut output, mut server) = (Framer::<Lines, 64>::new(), [0; 512], Server::new(Router::<()>::new()));
    let mut connection = Connection::new(&http, &http, &mut framer, &mut output);
    let (mut client, mut context) = (stateless(), ());
    let mut session = client.over(&mut connection, &mut server, &mut context);
    let error = session.call(&Call::new(method::PING)).map_err(|error| error.to_string());
    assert_eq!(error.unwrap_err(), "writing: the frame of the connection is not Events");
    let mut framer = Framer::<Events, 64>::new();
    let mut connection = Connection::new(&http, &http, &mut framer, &mut output);
    let mut session = client.over(&mut connection, &mut server, &mut context);
    let error = session.call(&Call::new(method::PING)).map_err(|error| error.to_string());
    assert_eq!(error.unwrap_err(), "writing: the head of a request or response is too long");
    assert_eq!(format!("{http:?}"), "Http");
    assert_eq!(http.with_remote(|remote| remote.session_id().map(<[u8]>::to_vec)), Some(None));
    // a reader and a writer at the same time
    http.with_remote(|_| {
        assert_eq!(embedded_io::Read::read(&mut &http, &mut [0; 8]), Err(HttpError::NoAnswer));
        assert_eq!(embedded_io::Write::write(&mut &http, b""), Err(HttpError::NoAnswer));
        assert_eq!(http.end(), Err(HttpError::NoAnswer));
        assert_eq!((http.challenge(<[u8]>::len), http.with_remote(|_| ())), (None, None));
        http.listen();
    });
    for (error, kind) in [
        (HttpError::Stream(ErrorKind::TimedOut), ErrorKind::TimedOut),
        (HttpError::Unauthorized(401), ErrorKind::PermissionDenied),
        (HttpError::Malformed, ErrorKind::InvalidData),
        (HttpError::HeadTooLong, ErrorKind::OutOfMemory),
        (HttpError::NotAnEvent, ErrorKind::InvalidInput),
        (HttpError::WriteZero, ErrorKind::WriteZero),
        (HttpError::NoAnswer, ErrorKind::Other),
    ] {
        assert_eq!(error.kind(), kind);
    }
    let full = Tcp {
        world: Rc::new(RefCell::new(World { responses: [Some(vec![])].into(), ..World::default() })),
        stream: None,
    };
    let http: Http<'_, Tcp, 600> = Http::new(Remote::new("hub.local", "/mcp"), full.clone(), full);
    let mut connection = Connection::new(&http, &http, &mut framer, &mut output);
    let mut session = client.over(&mut connection, &mut server, &mut context);
    let error = session.call(&Call::new(method::PING)).map_err(|error| error.to_string());
    assert_eq!(error.unwrap_err(), "writing: a stream takes no more bytes");
}

/// The headers of a call of `t` with these arguments, whose schema has these properties.
fn mirrored(properties: &str, arguments: &str) -> Result<Vec<(String, String)>, nanojsonrpc::ErrorKind> {
    let schema = format!(r#"{{"type":"object","properties":{properties}}}"#);
    let schema = RawValue::parse(schema.as_bytes()).unwrap();
    nanojsonrpc::mcp::client::http::headers_in(schema).map_err(|error| error.kind())?;
    let tools = [("t", schema)];
    let mut remote = Remote::new("h", "/").with_headers(&[("x-own", "1")]).with_tools(&tools);
    let text = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","arguments":{arguments},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}}}}"#
    );
    let mut out = [0; 1024];
    let request = remote.post(text.as_bytes(), &mut out).map_err(|error| error.kind())?;
    assert!(request.headers().any(|header| header == ("x-own", "1")) && request.body == text.as_bytes());
    let params = request.headers().filter_map(|(name, value)| Some((name.strip_prefix("mcp-param-")?, value)));
    Ok(params.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

#[test]
fn params_are_repeated_as_their_schema_requests() {
    let properties = r#"{"zone":{"type":"string","x-mcp-header":"Zone"},"n":{"type":"integer","x-mcp-header":"N"},"on":{"type":"boolean","x-mcp-header":"On"},
        "deep":{"type":"object","properties":{"x-mcp-header":{"type":"string","x-mcp-header":"Deep"}},"default":{"x-mcp-header":1}},"plain":{"type":"string"}}"#;
    for (arguments, expected) in [
        (
            r#"{"zone":"us west","n":-7,"on":false,"plain":"x"}"#,
            &[("Zone", "us west"), ("N", "-7"), ("On", "false")][..],
        ),
        (r#"{"zone":null,"deep":{"x-mcp-header":"d"}}"#, &[("Deep", "d")]),
        (r#"{"zone":"Hello, \u4e16界"}"#, &[("Zone", "=?base64?SGVsbG8sIOS4lueVjA==?=")]),
        (r#"{"zone":" padded "}"#, &[("Zone", "=?base64?IHBhZGRlZCA=?=")]),
        (r#"{"zone":"line1\nline2"}"#, &[("Zone", "=?base64?bGluZTEKbGluZTI=?=")]),
        (r#"{"zone":"=?base64?literal?="}"#, &[("Zone", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=")]),
        (r#"{"zone":"=?base64?literal?"}"#, &[("Zone", "=?base64?literal?")]),
        (r#"{"zone":"\ttab"}"#, &[("Zone", "=?base64?CXRhYg==?=")]),
        (r#"{"zone":"a\tb"}"#, &[("Zone", "a\tb")]),
        (r#"{"zone":""}"#, &[("Zone", "")]),
        (r#"{"z\u006fne":"x","n":9007199254740991}"#, &[("Zone", "x"), ("N", "9007199254740991")]),
        ("{}", &[]),
    ] {
        let found = mirrored(properties, arguments).unwrap();
        let found: Vec<_> = found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, expected, "{arguments}");
    }
    for arguments in [r#"{"n":9007199254740992}"#, r#"{"n":1.5}"#, r#"{"zone":[]}"#] {
        assert_eq!(mirrored(properties, arguments), Err(nanojsonrpc::ErrorKind::UnexpectedType), "{arguments}");
    }
}

#[test]
fn forbidden_annotations_are_refused() {
    let deep = |levels: usize| {
        let mut text = r#"{"type":"string","x-mcp-header":"A"}"#.to_owned();
        for _ in 0..levels {
            text = format!(r#"{{"properties":{{"a":{text}}}}}"#);
        }
        format!(r#"{{"a":{text}}}"#)
    };
    for properties in [
        r#"{"a":{"type":"string","x-mcp-header":""}}"#,
        r#"{"a":{"type":"string","x-mcp-header":"My Header"}}"#,
        r#"{"a":{"type":"string","x-mcp-header":"a:b"}}"#,
        r#"{"a":{"type":"string","x-mcp-header":"a\u0001"}}"#,
        r#"{"a":{"type":"string","x-mcp-header":"é"}}"#,
        r#"{"a":{"type":"string","x-mcp-header":7}}"#,
        r#"{"a":{"type":"number","x-mcp-header":"A"}}"#,
        r#"{"a":{"type":"object","x-mcp-header":"A"}}"#,
        r#"{"a":{"x-mcp-header":"A"}}"#,
        r#"{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}"#,
        r#"{"a":{"type":"string","x-mcp-header":"A"},"b":{"properties":{"c":{"type":"string","x-mcp-header":"A"}}}}"#,
        r#"{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}"#,
        r#"{"a":{"oneOf":[{"type":"string","x-mcp-header":"A"}]}}"#,
        r#"{"a":{"type":"string","x-mcp-header":"A","x-mcp-header":"B"}}"#,
        r#"{"a":{"properties":{},"properties":{"b":{"type":"string","x-mcp-header":"A"}}}}"#,
        r#"{"a":{"if":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}}}"#,
        r#"[{"x-mcp-header":"A"}]"#,
        r#"{"a":[{"x-mcp-header":"A"}]}"#,
        r#"{"a":{"type":"string","x-mcp-header":"A"},"b":{"not":{"x-mcp-header":"B"}}}"#,
        &deep(30),
        &format!(r#"{{"a":{}{}}}"#, r#"{"not":"#.repeat(30) + "1", "}".repeat(30)),
    ] {
        assert_eq!(mirrored(properties, "{}"), Err(nanojsonrpc::ErrorKind::InvalidValue), "{properties}");
    }
    for properties in [
        r#"{"a":{"properties":{"b":{"type":"string","x-mcp-header":"A"}},"properties":{}}}"#,
        r#"{"a":{"enum":[{"x-mcp-header":"A"}]},"x-mcp-header":{"type":"string"}}"#,
        r#"{"a":{"not":{"properties":{"x-mcp-header":{"type":"string"}}}}}"#,
        r#"{"a":{"oneOf":[{"type":"string"},[],1]}}"#,
        &deep(5),
    ] {
        assert_eq!(mirrored(properties, "{}"), Ok(vec![]), "{properties}");
    }
}

#[test]
fn a_schema_with_many_annotations_is_refused_in_little_time() {
    let properties = |count: u32| {
        let property = |at| format!(r#""p{at}":{{"type":"string","x-mcp-header":"P{at}"}}"#);
        format!("{{{}}}", (0..count).map(property).collect::<Vec<_>>().join(","))
    };
    assert_eq!(mirrored(&properties(64), r#"{"p63":"x"}"#), Ok(vec![("P63".to_owned(), "x".to_owned())]));
    assert_eq!(mirrored(&properties(65), "{}"), Err(nanojsonrpc::ErrorKind::InvalidValue));
    // 1 MB, which takes 48 s if each annotation is compared with each
    let count = if cfg!(miri) { 100 } else { 20_000 };
    assert_eq!(mirrored(&properties(count), "{}"), Err(nanojsonrpc::ErrorKind::InvalidValue));
}

#[test]
fn the_headers_of_the_client_are_not_added_twice() {
    let call = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#;
    for name in ["Mcp-Name", "mcp-session-id", "MCP-Protocol-Version", "mcp-param-zone", "Last-Event-ID"] {
        let headers = [("x-own", "1"), (name, "x")];
        let mut remote = Remote::new("h", "/").with_headers(&headers);
        let error = remote.post(call, &mut [0; 512]).map(|_| ()).map_err(|error| error.kind());
        assert_eq!(error, Err(nanojsonrpc::ErrorKind::InvalidValue), "{name}");
        assert!(remote.resume(b"7", &mut [0; 512]).is_err(), "{name}");
    }
    // by the program, or as a token
    let headers = [("Authorization", "Basic YQ=="), ("connection", "close"), ("mcp", "1")];
    let mut remote = Remote::new("h", "/").with_headers(&headers);
    assert!(remote.post(call, &mut [0; 512]).is_ok());
    remote.set_token(Some("abc"));
    assert!(remote.post(call, &mut [0; 512]).is_err());
    // over streams, each request closes its connection
    let keeps = [("Connection", "keep-alive")];
    let tcp = Tcp { world: Rc::default(), stream: None };
    let http: Http<'_, Tcp> = Http::new(Remote::new("h", "/").with_headers(&keeps), tcp.clone(), tcp);
    let message = b"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\n";
    let error = embedded_io::Write::write(&mut &http, message).map_err(|error| error.kind());
    assert_eq!(error, Err(ErrorKind::InvalidInput));
}

#[test]
fn heads_are_written_for_other_programs() {
    let mut remote = Remote::new("h", "/mcp");
    let mut out = [0; 512];
    assert_eq!(remote.end(&mut out), Ok(None));
    assert_eq!(remote.resume(b"a\nb", &mut out).map_err(|error| error.offset()), Err(1));
    remote.set_revision(Revision::V2025_11_25);
    let request = remote.resume(b"", &mut out).unwrap();
    let headers: Vec<_> = request.headers().collect();
    assert_eq!(headers, [("host", "h"), ("accept", "text/event-stream"), ("mcp-protocol-version", "2025-11-25")]);
    assert_eq!(remote.post(b"{", &mut out).map_err(|error| error.kind()), Err(nanojsonrpc::ErrorKind::UnexpectedEnd));
    assert!(Remote::new("a b", "/mcp").post(b"{}", &mut out).is_err());
    assert!(remote.post(b"{}", &mut [0; 40]).is_err());
    remote.set_token(Some("secret"));
    assert!(!format!("{remote:?}").contains("secret"));
    remote.set_token(None);
    remote.forget_session();
}

#[test]
fn a_session_is_ended_by_a_head() {
    use nanojsonrpc::mcp::client::http::Reply;

    let mut remote = Remote::new("h", "/mcp");
    let mut reply = Reply::new(200);
    reply.header("Content-Type", b"application/json");
    reply.header("Mcp-Session-Id", b"7f3a");
    _ = remote.receive(&reply);
    let mut out = [0; 256];
    let request = remote.end(&mut out).unwrap().unwrap();
    assert!(request.head.starts_with(b"DELETE /mcp HTTP/1.1\r\n") && request.body.is_empty());
    assert!(request.headers().any(|header| header == ("mcp-session-id", "7f3a")));
    // too long to be sent again
    let long = [b'x'; 1000];
    reply = Reply::new(200);
    reply.header("Mcp-Session-Id", &long);
    _ = remote.receive(&reply);
    assert_eq!(remote.end(&mut [0; 256]), Ok(None));
    let refused = nanojsonrpc::http::read_head(b"not HTTP\r\n\r\n", |_, _| {});
    assert!(refused.is_err_and(|error| error.to_string() == "not the head of a response of HTTP/1"));
}

/// A session with all that a client does over streams.
const STEPS: [Step; 5] = [Step::Connect, Step::Call, Step::Listen, Step::Handle, Step::End];

fn session_responses() -> [String; 7] {
    let asked = "retry: 0\nid: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"roots/list\",\"id\":\"a\"}\n\n";
    let changed = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n";
    [
        json("200 OK", "mcp-session-id: one\r\n", &INITIALIZED.replace("\"id\": 2", "\"id\": 1")),
        ACCEPTED.into(),
        events("", asked),
        ACCEPTED.into(),
        json("200 OK", "", r#"{"jsonrpc":"2.0","result":{},"id":2}"#),
        events("", changed),
        "HTTP/1.1 200 OK\r\n\r\n".into(),
    ]
}

/// The story of a session on whose streams operation number `at` fails so; the second value is whether there was such an operation.
fn faulty(at: usize, kind: ErrorKind, is_async: bool) -> (Story, bool) {
    let client = || Client::new("me", "1").revision(Revision::V2025_06_18);
    let responses = session_responses();
    let responses = responses.each_ref().map(String::as_str);
    let world = World { piece: 4096, fault: Some((at, kind)), ..World::default() };
    let (story, world) = tell_in(world, client, &STEPS, &responses, is_async);
    (story, world.fault.is_none())
}

#[test]
fn a_fault_of_a_stream_is_the_error_of_its_step() {
    for is_async in [false, true] {
        let (whole, _) = faulty(usize::MAX, ErrorKind::BrokenPipe, is_async);
        assert_eq!(whole.outcomes, ["2025-06-18", "{}", "", "true", "ended"]);
        assert_eq!((whole.sent.len(), &whole.events[..]), (7, &["asked".to_owned(), "changed".to_owned()][..]));
        let mut count = 0;
        loop {
            let (story, is_there) = faulty(count, ErrorKind::BrokenPipe, is_async);
            if !is_there {
                break;
            }
            let failed = story.outcomes.iter().find(|outcome| outcome.contains("BrokenPipe"));
            assert!(failed.is_some(), "{count}: {:?}", story.outcomes);
            // an interrupted read or write is repeated
            let (interrupted, _) = faulty(count, ErrorKind::Interrupted, is_async);
            assert_eq!(
                (interrupted.outcomes, interrupted.sent),
                (whole.outcomes.clone(), whole.sent.clone()),
                "{count}"
            );
            count += 1;
        }
        assert!(count > 7 * 4, "{count}");
    }
}

#[test]
fn an_aborted_connection_is_resumed_like_a_reset_one() {
    let open =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nretry: 0\nid: 7\ndata:\n\n: wait\n\n: wait\n\n";
    let answer = json("200 OK", "", r#"{"jsonrpc":"2.0","result":{},"id":1}"#);
    let survived = |kind| {
        let is_survived = |at: &usize| {
            let world = World { piece: 20, fault: Some((*at, kind)), ..World::default() };
            tell_in(world, in_session, &[Step::Call], &[open, &answer], false).0.outcomes == ["{}"]
        };
        (0..45).filter(is_survived).collect::<Vec<_>>()
    };
    let aborted = survived(ErrorKind::ConnectionAborted);
    assert_eq!(aborted, survived(ErrorKind::ConnectionReset));
    assert!(survived(ErrorKind::BrokenPipe).len() < aborted.len());
}

#[test]
fn the_end_of_a_session_needs_no_consent() {
    let client = || Client::new("me", "1").revision(Revision::V2025_06_18);
    let opened = json("200 OK", "mcp-session-id: one\r\n", &INITIALIZED.replace("\"id\": 2", "\"id\": 1"));
    for (status, outcome) in [
        ("200 OK", "ended"),
        ("404 Not Found", "ended"),
        ("405 Method Not Allowed", "ended"),
        ("401 Unauthorized", "HTTP status 401"),
        ("500 No", "HTTP status 500"),
    ] {
        let response = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
        let told = story(client, &[Step::Connect, Step::End, Step::End], &[&opened, ACCEPTED, &response]);
        assert_eq!(told.outcomes, ["2025-06-18", outcome, "ended"]);
    }
    // heads with a token that no header may have
    let told = story(client, &[Step::Connect, Step::Token("a b"), Step::End], &[&opened, ACCEPTED]);
    assert_eq!(told.outcomes[1..], ["", "head of a request: invalid value at byte 1"]);
    let told = tell(in_session, &[Step::Token("a b"), Step::Listen, Step::Handle], &[], 4096, false);
    assert_eq!(told.outcomes[2..], ["reading: head of a request: invalid value at byte 1"]);
}

#[test]
fn a_challenge_is_there_until_the_next_request_is_written() {
    let refused = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\ncontent-length: 0\r\n\r\n";
    let responses = [Some(refused.into()), None].into();
    let tcp = Tcp { world: Rc::new(RefCell::new(World { responses, piece: 4096, ..World::default() })), stream: None };
    let http: Http<'_, Tcp> = Http::new(Remote::new("h", "/"), tcp.clone(), tcp);
    let challenge = || http.challenge(|challenge| String::from_utf8_lossy(challenge).into_owned());
    assert_eq!(challenge(), None);
    let request = b"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\n";
    assert_eq!(embedded_io::Write::write(&mut &http, request), Ok(request.len()));
    assert_eq!(embedded_io::Read::read(&mut &http, &mut [0; 64]), Err(HttpError::Unauthorized(401)));
    assert_eq!(challenge().as_deref(), Some("Bearer"));
    // a notification whose stream cannot be opened takes the room of the response
    let notification = b"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n\n";
    let outcome = embedded_io::Write::write(&mut &http, notification);
    assert_eq!((outcome, challenge()), (Err(HttpError::Stream(ErrorKind::ConnectionRefused)), None));
}

#[test]
fn a_read_without_room_reads_nothing_and_loses_nothing() {
    let responses = [Some(json("200 OK", "", SHOWN).into())].into();
    let tcp = Tcp { world: Rc::new(RefCell::new(World { responses, piece: 4096, ..World::default() })), stream: None };
    let http: Http<'_, Tcp> = Http::new(Remote::new("h", "/"), tcp.clone(), tcp);
    let request = b"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}\n\n";
    assert_eq!(embedded_io::Write::write(&mut &http, request), Ok(request.len()));
    let mut read = Vec::new();
    while !read.ends_with(b"\n\n") {
        assert_eq!(embedded_io::Read::read(&mut &http, &mut []), Ok(0));
        let mut piece = [0; 7];
        let len = embedded_io::Read::read(&mut &http, &mut piece).unwrap();
        read.extend_from_slice(&piece[..len]);
    }
    assert!(read.windows(SHOWN.len()).any(|part| part == SHOWN.as_bytes()), "{}", read.escape_ascii());
}

#[test]
fn a_request_is_written_whole_or_refused() {
    use nanojsonrpc::mcp::client::http::Reply;

    let call = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#;
    let headers = [("x-own", "1")];
    let mut remote = Remote::new("h", "/").with_headers(&headers);
    let mut reply = Reply::new(200);
    reply.header("Mcp-Session-Id", b"7f3a");
    remote.receive(&reply);
    remote.set_token(Some("abc"));
    let mut buffer = [0; 512];
    let whole = remote.post(call, &mut buffer).map(|request| request.head.len() + request.body.len()).unwrap();
    let deletion = remote.end(&mut buffer).unwrap().map(|request| request.head.len()).unwrap();
    let full = Err(nanojsonrpc::ErrorKind::OutputFull);
    for room in 0..whole {
        assert_eq!(remote.post(call, &mut buffer[..room]).map(drop).map_err(|error| error.kind()), full, "{room}");
    }
    for room in 0..deletion {
        assert_eq!(remote.end(&mut buffer[..room]).map(drop).map_err(|error| error.kind()), full, "{room}");
    }
    assert!(remote.post(call, &mut buffer[..whole]).is_ok() && remote.end(&mut buffer[..deletion]).is_ok());
    remote.set_token(Some("a b"));
    assert_eq!(remote.end(&mut buffer).map(drop).map_err(|error| error.offset()), Err(1));
    // over streams, each request closes its connection, and may have other headers
    let tcp = Tcp { world: Rc::new(RefCell::new(World { piece: 4096, ..World::default() })), stream: None };
    tcp.world.borrow_mut().responses.push_back(Some(ACCEPTED.into()));
    let http: Http<'_, Tcp> = Http::new(Remote::new("h", "/").with_headers(&headers), tcp.clone(), tcp.clone());
    let message = b"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\n";
    assert_eq!(embedded_io::Write::write(&mut &http, message), Ok(message.len()));
    assert!(tcp.world.borrow().sent[0].contains("x-own: 1\r\nconnection: close\r\n"));
}

#[test]
fn the_head_of_a_response_decides_about_its_body_and_its_session() {
    use nanojsonrpc::mcp::client::http::{Body, Reply};

    let mut remote = Remote::new("h", "/");
    for (value, body) in [
        ("application/json", Body::Message),
        ("Application/JSON;charset=utf-8", Body::Message),
        ("application/json ; charset=utf-8", Body::Message),
        ("application/json\t;a", Body::Message),
        ("application/jsonl", Body::Nothing),
        ("text/event-stream;a", Body::Events),
        ("text/event-streams", Body::Nothing),
        ("", Body::Nothing),
    ] {
        let mut reply = Reply::new(200);
        reply.header("Content-Type", value.as_bytes());
        assert_eq!(remote.receive(&reply), body, "{value}");
    }
    let known = |remote: &Remote<'_>| remote.session_id().map(<[u8]>::to_vec);
    for id in ["", "a b", "\u{e9}", "a\u{7f}"] {
        let mut reply = Reply::new(200);
        reply.header("Mcp-Session-Id", id.as_bytes());
        remote.receive(&reply);
        assert_eq!(known(&remote), None, "{id:?}");
    }
    let mut reply = Reply::new(200);
    reply.header("Mcp-Session-Id", b"!~");
    remote.receive(&reply);
    assert_eq!(known(&remote).as_deref(), Some(&b"!~"[..]));
    // a request of no session does not end one
    let stateless =
        br#"{"id":1,"method":"m","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
    remote.post(stateless, &mut [0; 512]).unwrap();
    assert_eq!(remote.receive(&Reply::new(404)), Body::Failed(404));
    assert!(known(&remote).is_some());
    remote.post(br#"{"id":1,"method":"m"}"#, &mut [0; 512]).unwrap();
    assert_eq!((remote.receive(&Reply::new(404)), known(&remote)), (Body::SessionEnded, None));
}
