//! A client over Streamable HTTP, for any responses: cuts of the streams change nothing, every call ends, and each request is one head of HTTP
//! with its body.
#![no_main]

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use embedded_io::{ErrorKind, ErrorType, Read, Write};
use libfuzzer_sys::fuzz_target;
use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Events, Framer};
use nanojsonrpc::mcp::Revision;
use nanojsonrpc::mcp::client::http::{Http, Open, Remote};
use nanojsonrpc::mcp::client::{Call, Client};
use nanojsonrpc::server::Event;
use nanojsonrpc::{Dialect, RawValue, Router, Server};

/// The responses on the streams that are opened next, what was sent on each, and the lengths of reads.
struct World {
    responses: VecDeque<Vec<u8>>,
    sent: Vec<Vec<u8>>,
    sizes: Vec<u8>,
    reads: usize,
}

#[derive(Clone)]
struct Stream {
    world: Rc<RefCell<World>>,
    open: Option<(usize, Vec<u8>)>,
}

impl ErrorType for Stream {
    type Error = ErrorKind;
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, ErrorKind> {
        let mut world = self.world.borrow_mut();
        let (_, rest) = self.open.as_mut().expect("it reads an open stream only");
        let size = world.sizes[world.reads % world.sizes.len()];
        world.reads += 1;
        let len = rest.len().min(bytes.len()).min(usize::from(size).max(1));
        bytes[..len].copy_from_slice(&rest[..len]);
        rest.drain(..len);
        Ok(len)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        let (stream, _) = self.open.as_ref().expect("it writes to an open stream only");
        self.world.borrow_mut().sent[*stream].extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), ErrorKind> {
        Ok(())
    }
}

impl Open for Stream {
    fn open(&mut self) -> Result<(), ErrorKind> {
        let mut world = self.world.borrow_mut();
        let response = world.responses.pop_front().ok_or(ErrorKind::ConnectionRefused)?;
        self.open = Some((world.sent.len(), response));
        world.sent.push(Vec::new());
        Ok(())
    }

    fn close(&mut self) {
        self.open = None;
    }

    fn pause(&mut self, _: u32) {}
}

/// The outcomes of a session, what it has sent, and the events.
type Told = (Vec<String>, Vec<Vec<u8>>, Vec<String>);

fn talk(kind: u8, responses: &[&[u8]], sizes: &[u8]) -> Told {
    let responses = responses.iter().map(|response| response.to_vec()).collect();
    let world = Rc::new(RefCell::new(World { responses, sent: Vec::new(), sizes: sizes.to_vec(), reads: 0 }));
    let stream = Stream { world: world.clone(), open: None };
    let http: Http<'_, Stream, 512> = Http::new(Remote::new("hub.local", "/mcp"), stream.clone(), stream);
    let router = Router::new().request("roots/list", |_: &mut Vec<String>| Ok([1]));
    let mut server = Server::new(router)
        .with_dialect(Dialect::MCP)
        .observed_by(|events: &mut Vec<String>, event: Event<'_>| events.push(event.to_string()));
    let (mut framer, mut output) = (Framer::<Events, 256>::new(), [0; 512]);
    let (mut events, mut outcomes) = (Vec::new(), Vec::new());
    let mut client: Client = Client::new("me", "1").roots();
    if kind & 1 != 0 {
        client = client.connected_as(if kind & 2 != 0 { Revision::V2025_06_18 } else { Revision::V2026_07_28 });
    }
    if kind & 4 != 0 {
        http.listen();
    }
    let mut connection = Connection::new(&http, &http, &mut framer, &mut output);
    let mut session = client.over(&mut connection, &mut server, &mut events);
    if kind & 1 == 0 {
        outcomes.push(session.connect().map_or_else(|error| format!("{error}"), |about| format!("{about:?}")));
    }
    for name in ["a", "\u{e9}\r\n"] {
        let outcome = session.call(&Call::tool(name, &()));
        outcomes.push(outcome.map_or_else(|error| error.to_string(), |result| result.as_json().to_owned()));
    }
    // what is left to read depends on the cuts
    _ = session.handle_incoming();
    outcomes.push(http.end().map_or_else(|error| error.to_string(), |()| "ended".into()));
    drop(http);
    let world = Rc::into_inner(world).expect("the only one").into_inner();
    (outcomes, world.sent, events)
}

/// Whether `sent` is one head with the length of its body, and the body is JSON.
fn is_request(sent: &[u8]) -> bool {
    let text = std::str::from_utf8(sent).expect("UTF-8");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let len = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut lines = head.split("\r\n");
    let first = lines.next().unwrap_or_default();
    let is_first = ["POST /mcp HTTP/1.1", "GET /mcp HTTP/1.1", "DELETE /mcp HTTP/1.1"].contains(&first);
    let has_fields = lines.all(|line| {
        line.split_once(": ")
            .is_some_and(|(name, _)| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'))
    });
    let has_body = len.map_or(0, |len| len.parse().expect("a number")) == body.len();
    is_first
        && has_fields
        && has_body
        && head.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\r' | b'\n' | b'\t'))
        && (body.is_empty() || RawValue::parse(body.as_bytes()).is_ok())
}

// The first byte selects the session, the next four cut the streams; 0xFE separates the responses.
fuzz_target!(|input: &[u8]| {
    let Some(([kind, sizes @ ..], rest)) = input.split_first_chunk::<5>() else { return };
    let responses: Vec<&[u8]> = rest.split(|byte| *byte == 0xFE).collect();
    let (whole, single, cut) =
        (talk(*kind, &responses, &[u8::MAX]), talk(*kind, &responses, &[1]), talk(*kind, &responses, sizes));
    // A call ends with its answer, so the cuts decide whether requests of the server behind the answer are read at all.
    let may_have_requests = rest.windows(6).any(|part| part == b"method") || rest.contains(&b'\\');
    // Of a response that is broken off by a fault, the cuts decide how much is read before the fault is found.
    let is_broken = |told: &Told| told.0.iter().any(|outcome| outcome.contains("not a response"));
    if !may_have_requests && ![&whole, &single, &cut].into_iter().any(is_broken) {
        assert!((&single.0, &single.1) == (&whole.0, &whole.1), "{:?}\n{:?}", single.0, whole.0);
        assert!((&cut.0, &cut.1) == (&whole.0, &whole.1), "{:?}\n{:?}", cut.0, whole.0);
    }
    for sent in [whole.1, single.1, cut.1].iter().flatten() {
        assert!(is_request(sent), "{}", String::from_utf8_lossy(sent));
    }
});
