//! A server and a caller over WebSocket: control frames are the connection's, faults close it.
#![cfg(all(feature = "websocket", feature = "embedded-io-async", feature = "serde"))]

use core::cell::{Cell, RefCell};
use core::future::Future;
use core::pin::pin;
use core::task::{Context, Poll, Waker};
use std::collections::VecDeque;
use std::rc::Rc;

use nanojsonrpc::connection::{CallError, Cancellation, Connection, ConnectionError, serve, serve_async};
use nanojsonrpc::frame::websocket::handshake::{Key, Refusal, Request, Response};
use nanojsonrpc::frame::websocket::{self, Client, MaskingKey, Received};
use nanojsonrpc::frame::{Frame, Framer, WebSocket};
use nanojsonrpc::memory::{Pipe, PipeError};
use nanojsonrpc::server::Event;
use nanojsonrpc::{ErrorObject, Notification, Params, Router, Server, Writer};

use crate::tasks::{Half, Random, Turn, Wire, poll, run};

pub(crate) struct Keys;

impl MaskingKey for Keys {
    fn next_key() -> [u8; 4] {
        [0xA5, 0x01, 0xFF, 0x7E]
    }
}

type ToServer = WebSocket;
/// The frame of a client.
pub(crate) type ToClient = WebSocket<Client<Keys>>;

const CALL: &[u8] = br#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
const ANSWER: &[u8] = br#"{"jsonrpc":"2.0","result":19,"id":1}"#;

macro_rules! server {
    () => {
        Server::new(Router::new().request("subtract", |calls: &mut Vec<String>, (a, b): (i64, i64)| {
            calls.push(format!("{a}-{b}"));
            Ok(a - b)
        }))
    };
}

/// A frame of a client, masked.
pub(crate) fn client_frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut out = vec![0; payload.len() + 16];
    let len = ToClient::encode(payload, &mut out).unwrap();
    out.truncate(len);
    out[0] = first;
    out
}

/// A frame of a server.
fn server_frame(first: u8, payload: &[u8]) -> Vec<u8> {
    [&[first, payload.len() as u8], payload].concat()
}

/// The output of a server for a stream of a client, blocking and not.
fn served<const OUTPUT: usize>(stream: &[u8]) -> (Vec<u8>, Vec<String>, Result<(), String>) {
    let run = |is_async: bool| {
        let (mut framer, mut output, mut sent) = (Framer::<ToServer, 256>::new(), [0; OUTPUT], [0; 4096]);
        let (mut writer, mut calls) = (&mut sent[..], Vec::new());
        let mut server = server!();
        let outcome = if is_async {
            let serving = pin!(serve_async(stream, &mut writer, &mut framer, &mut output, &mut server, &mut calls));
            match serving.poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(outcome) => outcome.map_err(|error| error.to_string()),
                Poll::Pending => Err("waits".to_owned()),
            }
        } else {
            serve(stream, &mut writer, &mut framer, &mut output, &mut server, &mut calls)
                .map_err(|error| error.to_string())
        };
        let len = 4096 - writer.len();
        (sent[..len].to_vec(), calls, outcome)
    };
    let found = run(false);
    assert_eq!(run(true), found);
    found
}

fn served_to_the_end(stream: &[u8]) -> Vec<u8> {
    let (sent, _, outcome) = served::<512>(stream);
    assert_eq!(outcome, Ok(()));
    sent
}

#[test]
fn calls_are_answered_with_text() {
    let stream = [client_frame(0x81, CALL), client_frame(0x82, CALL), client_frame(0x81, b"[")].concat();
    let parse_error = br#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#;
    let answers = [server_frame(0x81, ANSWER), server_frame(0x81, ANSWER), server_frame(0x81, parse_error)].concat();
    assert_eq!(served_to_the_end(&stream), answers);
}

#[test]
fn a_call_in_fragments_with_a_ping_inside_is_answered_behind_the_pong() {
    let (first, last) = CALL.split_at(20);
    let stream = [client_frame(0x01, first), client_frame(0x89, b"beat"), client_frame(0x80, last)].concat();
    assert_eq!(served_to_the_end(&stream), [server_frame(0x8A, b"beat"), server_frame(0x81, ANSWER)].concat());
}

#[test]
fn pongs_are_not_answered_and_control_frames_never_reach_a_handler() {
    let stream = [client_frame(0x8A, CALL), client_frame(0x89, CALL)].concat();
    let (sent, calls, outcome) = served::<512>(&stream);
    assert_eq!((sent, calls, outcome), (server_frame(0x8A, CALL), vec![], Ok(())));
}

#[test]
fn a_close_is_answered_with_its_code_and_ends_serving() {
    let stream = [client_frame(0x88, b"\x03\xE9bye"), client_frame(0x81, CALL)].concat();
    assert_eq!(served_to_the_end(&stream), server_frame(0x88, b"\x03\xE9"));
    assert_eq!(served_to_the_end(&client_frame(0x88, b"")), server_frame(0x88, b""));
}

#[test]
fn serving_ends_behind_a_close_without_the_end_of_the_stream() {
    let mut pipe: Pipe<256> = Pipe::new();
    let (device, hub) = pipe.ends();
    hub.try_write(&client_frame(0x88, b"\x03\xE8")).unwrap();
    let (mut framer, mut output) = (Framer::<ToServer, 256>::new(), [0; 256]);
    // the pipe is open: a read behind the close would wait, which is an error here
    let outcome = serve(&device, &device, &mut framer, &mut output, &mut server!(), &mut Vec::new());
    assert_eq!(outcome, Ok(()));
    assert_eq!(framer.frame().peer_close(), Some(websocket::Close::NORMAL));
}

#[test]
fn a_message_behind_the_handshake_is_answered_before_a_read() {
    let mut pipe: Pipe<256> = Pipe::new();
    let (device, hub) = pipe.ends();
    let (mut framer, mut output) = (Framer::<ToServer, 256>::new(), [0; 256]);
    framer.push(&[client_frame(0x81, CALL), client_frame(0x88, b"")].concat());
    // the pipe is empty: a read would be an error
    let outcome = serve(&device, &device, &mut framer, &mut output, &mut server!(), &mut Vec::new());
    assert_eq!(outcome, Ok(()));
    let mut received = [0; 256];
    let len = hub.try_read(&mut received).unwrap();
    assert_eq!(received[..len], [server_frame(0x81, ANSWER), server_frame(0x88, b"")].concat());
}

#[test]
fn a_fault_is_answered_with_a_close_and_ends_serving() {
    for (bytes, code) in [
        (&b"\xF1\x80\0\0\0\0"[..], websocket::Close::PROTOCOL_ERROR),
        (b"\x81\x05Hello", websocket::Close::PROTOCOL_ERROR),
        (b"\x81\x81\0\0\0\0\xFF", websocket::Close::INVALID_PAYLOAD),
        (b"\x81\xFF\0\0\0\x01\0\0\0\0", websocket::Close::TOO_BIG),
        (b"\x88\x82\0\0\0\0\x03\xED", websocket::Close::PROTOCOL_ERROR),
    ] {
        let stream = [&client_frame(0x81, CALL)[..], bytes, &client_frame(0x81, CALL)].concat();
        let expected = [server_frame(0x81, ANSWER), server_frame(0x88, &code.to_be_bytes())].concat();
        assert_eq!(served_to_the_end(&stream), expected, "{bytes:x?}");
    }
}

#[test]
fn a_message_that_is_too_long_is_answered_and_the_next_one_read() {
    let stream = [client_frame(0x81, &[b' '; 300]), client_frame(0x81, CALL)].concat();
    let refused = br#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"message too long for the buffer"},"id":null}"#;
    let expected = [server_frame(0x81, refused), server_frame(0x81, ANSWER)].concat();
    assert_eq!(served_to_the_end(&stream), expected);
}

#[test]
fn a_stream_without_a_close_ends_in_silence() {
    let mut stream = [client_frame(0x81, CALL), client_frame(0x81, CALL)].concat();
    stream.pop();
    assert_eq!(served_to_the_end(&stream), server_frame(0x81, ANSWER));
}

#[test]
fn a_pong_needs_room_in_the_output() {
    let ping = client_frame(0x89, &[7; 125]);
    assert_eq!(served::<165>(&ping), (server_frame(0x8A, &[7; 125]), vec![], Ok(())));
    let (sent, _, outcome) = served::<164>(&ping);
    assert_eq!((sent, outcome), (vec![], Err("message: output full at byte 124".to_owned())));
}

#[test]
fn each_reply_needs_room_for_its_frame() {
    for (stream, reply) in [(client_frame(0x89, b""), 0x8A), (client_frame(0x88, b""), 0x88)] {
        assert_eq!(served::<40>(&stream), (server_frame(reply, b""), vec![], Ok(())));
        let (sent, _, outcome) = served::<39>(&stream);
        assert_eq!((sent, outcome), (vec![], Err("message: output full at byte 0".to_owned())), "{reply:#x}");
    }
    // a close with a code, and a frame without a mask
    for (stream, code) in [(client_frame(0x88, b"\x03\xE8"), b"\x03\xE8"), (server_frame(0x81, b""), b"\x03\xEA")] {
        assert_eq!(served::<42>(&stream), (server_frame(0x88, code), vec![], Ok(())));
        let (sent, _, outcome) = served::<41>(&stream);
        assert_eq!((sent, outcome), (vec![], Err("message: output full at byte 1".to_owned())), "{code:?}");
    }
}

#[test]
fn an_observer_receives_each_fault() {
    fn note(kinds: &mut Vec<String>, event: Event<'_>) {
        if let Event::Misframed(error) = event {
            kinds.push(error.to_string());
        }
    }
    let mut server = Server::new(Router::<(), _>::new()).observed_by(note);
    let (mut framer, mut output, mut kinds) = (Framer::<ToServer, 256>::new(), [0; 256], Vec::new());
    let mut sent = [0; 64];
    let stream = &b"\x83\x80"[..];
    assert_eq!(serve(stream, &mut sent[..], &mut framer, &mut output, &mut server, &mut kinds), Ok(()));
    assert_eq!(kinds, ["reserved opcode at byte 0 of the stream"]);
}

#[test]
fn a_caller_answers_pings_before_the_answer_comes() {
    // the payload of the ping looks like the answer
    let answer = br#"{"jsonrpc":"2.0","result":19,"id":4503599627370496}"#;
    let stream = [server_frame(0x89, answer), server_frame(0x81, answer), server_frame(0x88, b"\x03\xE8")].concat();
    let (mut framer, mut output, mut sent) = (Framer::<ToClient, 256>::new(), [0; 256], [0; 512]);
    let mut writer = &mut sent[..];
    let mut connection = Connection::new(&stream[..], &mut writer, &mut framer, &mut output);
    assert_eq!(connection.call::<i64>("subtract", &[42, 23]), Ok(19));
    let outcome = connection.call::<i64>("subtract", &[42, 23]);
    assert_eq!(outcome, Err(CallError::Closed));
    // a close is the last message
    let outcome = connection.call::<i64>("subtract", &[42, 23]);
    assert_eq!(outcome, Err(CallError::Connection(ConnectionError::OutputBroken)));
    assert_eq!(connection.send(&Notification::new("late")), Err(ConnectionError::OutputBroken));
    assert_eq!(connection.send_text(CALL), Err(ConnectionError::OutputBroken));
    let call = |id: &str| format!(r#"{{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":{id}}}"#);
    let expected = [
        client_frame(0x81, call("4503599627370496").as_bytes()),
        client_frame(0x8A, answer),
        client_frame(0x81, call("4503599627370497").as_bytes()),
        client_frame(0x88, b"\x03\xE8"),
    ];
    let len = 512 - writer.len();
    assert_eq!(sent[..len], expected.concat());
}

#[test]
fn control_frames_are_answered_while_handlers_wait() {
    let is_open = Cell::new(false);
    let gate = &is_open;
    let router = Router::new().request_async("wait", async |gate: &mut &Cell<bool>| {
        core::future::poll_fn(|_| if gate.get() { Poll::Ready(()) } else { Poll::Pending }).await;
        Ok("through")
    });
    let mut server = Server::new(router);
    let mut pipe: Pipe<512> = Pipe::new();
    let (device, hub) = pipe.ends();
    let wait = br#"{"jsonrpc":"2.0","method":"wait","id":1}"#;
    hub.try_write(&[client_frame(0x81, wait), client_frame(0x89, wait)].concat()).unwrap();
    let (mut framer, mut output) = (Framer::<ToServer, 256>::new(), [0; 256]);
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let mut context = gate;
    let mut serving = pin!(connection.concurrent::<2, 128, 128>().serve(&mut server, &mut context));
    let task = &mut Context::from_waker(Waker::noop());
    assert!(serving.as_mut().poll(task).is_pending());
    let mut received = [0; 256];
    let len = hub.try_read(&mut received).unwrap();
    assert_eq!(received[..len], server_frame(0x8A, wait));
    is_open.set(true);
    assert!(serving.as_mut().poll(task).is_pending());
    let len = hub.try_read(&mut received).unwrap();
    assert_eq!(received[..len], server_frame(0x81, br#"{"jsonrpc":"2.0","result":"through","id":1}"#));
    // the answer behind a close is not sent
    is_open.set(false);
    hub.try_write(&[client_frame(0x81, wait), client_frame(0x88, b"\x03\xE8")].concat()).unwrap();
    assert!(serving.as_mut().poll(task).is_pending());
    is_open.set(true);
    assert_eq!(serving.as_mut().poll(task), Poll::Ready(Ok(())));
    let len = hub.try_read(&mut received).unwrap();
    assert_eq!(received[..len], server_frame(0x88, b"\x03\xE8"));
}

/// What a peer sends that calls `level` and waits, the outcome of the call and the events, blocking and not. The stream takes `room` bytes.
fn called(stream: &[u8], room: usize) -> (Vec<u8>, Result<u8, String>, Vec<String>) {
    let called = |is_async: bool| {
        let (mut framer, mut output, mut sent) = (Framer::<ToServer, 256>::new(), [0; 512], vec![0; room]);
        let (mut writer, mut events) = (&mut sent[..], Vec::new());
        let mut server =
            server!().observed_by(|events: &mut Vec<String>, event: Event<'_>| events.push(event.to_string()));
        let mut connection = Connection::new(stream, &mut writer, &mut framer, &mut output);
        let outcome = if is_async {
            let mut peer = connection.peer_async(&mut server, &mut events);
            run(peer.call_async::<u8>("level", &())).map_err(|error| error.to_string())
        } else {
            connection.peer(&mut server, &mut events).call::<u8>("level", &()).map_err(|error| error.to_string())
        };
        let len = room - writer.len();
        (sent[..len].to_vec(), outcome, events)
    };
    let found = called(false);
    assert_eq!(called(true), found);
    found
}

#[test]
fn a_peer_that_waits_for_an_answer_handles_every_other_frame() {
    let long = format!(r#"{{"jsonrpc":"2.0","method":"{}"}}"#, "x".repeat(300));
    let answer = br#"{"jsonrpc":"2.0","result":7,"id":4503599627370496}"#;
    let stream = [
        client_frame(0x8A, b"unrequested"),
        client_frame(0x89, b"beat"),
        client_frame(0x81, CALL),
        client_frame(0x81, long.as_bytes()),
        client_frame(0x81, answer),
    ];
    let (sent, outcome, events) = called(&stream.concat(), 1024);
    let call = server_frame(0x81, br#"{"jsonrpc":"2.0","method":"level","id":4503599627370496}"#);
    let replies = [&call[..], &server_frame(0x8A, b"beat"), &server_frame(0x81, ANSWER)].concat();
    assert!(sent.starts_with(&replies), "{}", String::from_utf8_lossy(&sent));
    assert_eq!((outcome, events.len(), events[0].as_str()), (Ok(7), 2, "42-23"), "{events:?}");
    assert!(events[1].starts_with("misframed bytes: message too long"), "{events:?}");
    // the stream takes the call, and no answer to the call of the other side
    let (sent, outcome, events) = called(&stream[2], call.len());
    assert_eq!((sent, outcome.is_err()), (call, true));
    assert_eq!(events, ["42-23".to_owned(), format!("answer to a message of {} bytes not sent", CALL.len())]);
}

/// Handlers that wait until the test opens the gate.
#[derive(Clone, Default)]
struct Gate {
    is_open: Rc<Cell<bool>>,
    seen: Rc<RefCell<Vec<String>>>,
}

impl Gate {
    fn saw(&self, line: impl Into<String>) {
        self.seen.borrow_mut().push(line.into());
    }
}

/// What happens while a connection is served.
enum Step<'s> {
    Arrives(u8, &'s str),
    Opens,
    /// The program sends a notification with a string of so many bytes.
    Queues(usize),
    QueueEnds,
    /// The next read is interrupted.
    Interrupts,
    /// The handlers end, and every further operation of the stream fails.
    Breaks,
    Stops,
}

/// The text that was sent after each step, as far as the connection is served; then the outcome and the events.
fn side_by_side(output: &mut [u8], steps: &[Step<'_>]) -> (Vec<String>, Option<Result<(), String>>, Vec<String>) {
    let wire = Wire::new("");
    let (queued, is_stopped) = (RefCell::new(VecDeque::new()), Cell::new(false));
    let router = Router::new()
        .request_async("wait", async |gate: &mut Gate, (number,): (u32,)| {
            gate.saw(format!("waits {number}"));
            core::future::poll_fn(|_| if gate.is_open.get() { Poll::Ready(()) } else { Poll::Pending }).await;
            Ok(number)
        })
        .limited_by(|_| core::future::pending::<()>())
        .request("now", |_: &mut Gate| Ok("now"))
        .notification("$/cancelRequest", |gate: &mut Gate, _: Params<'_>| gate.saw("cancels nothing"));
    let mut server = Server::new(router).observed_by(|gate: &mut Gate, event: Event<'_>| gate.saw(event.to_string()));
    let mut gate = Gate::default();
    let (is_open, seen) = (gate.is_open.clone(), gate.seen.clone());
    let mut framer = Framer::<ToServer, 256>::new();
    let mut connection = Connection::new(Half(&wire), Half(&wire), &mut framer, output);
    let queue = async |out: &mut Writer<'_>| {
        let len = core::future::poll_fn(|_| queued.borrow_mut().pop_front().map_or(Poll::Pending, Poll::Ready)).await;
        match len {
            Some(len) => out.message(&Notification::new("note").with_params(&["x".repeat(len)])),
            None => Ok(()),
        }
    };
    let stop = core::future::poll_fn(|_| if is_stopped.get() { Poll::Ready(()) } else { Poll::Pending });
    let serving = connection
        .concurrent::<2, 80, 128>()
        .cancelled_by(Cancellation::LANGUAGE_SERVER)
        .refusing(ErrorObject::new(-32000, "Busy"))
        .queued_by(queue)
        .until(stop);
    let mut serving = pin!(serving.serve(&mut server, &mut gate));
    let (mut sent, mut outcome) = (Vec::new(), None);
    for step in steps {
        match *step {
            Step::Arrives(first, text) => wire.borrow_mut().incoming.extend(client_frame(first, text.as_bytes())),
            Step::Opens => is_open.set(true),
            Step::Queues(len) => queued.borrow_mut().push_back(Some(len)),
            Step::QueueEnds => queued.borrow_mut().push_back(None),
            Step::Interrupts => wire.borrow_mut().read = Turn::Interrupts,
            Step::Breaks => {
                is_open.set(true);
                wire.borrow_mut().random = Some((Random::new(1), 1));
            }
            Step::Stops => is_stopped.set(true),
        }
        for _ in 0..20 {
            if outcome.is_none() {
                if let Poll::Ready(ended) = poll(serving.as_mut()) {
                    outcome = Some(ended.map_err(|error| error.to_string()));
                }
            }
        }
        sent.push(String::from_utf8_lossy(&core::mem::take(&mut wire.borrow_mut().flushed)).into_owned());
    }
    (sent, outcome, seen.take())
}

fn waits(id: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"wait","params":[{id}],"id":{id}}}"#)
}

fn cancels(id: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"$/cancelRequest","params":{{"id":{id}}}}}"#)
}

#[test]
fn every_message_is_handled_while_handlers_wait() {
    use Step::{Arrives, Interrupts, Opens, QueueEnds, Queues, Stops};

    let calls: Vec<String> = (1..=5).map(waits).collect();
    let (lost, found) = (cancels(9), cancels(1));
    let batch = format!("[{}]", calls[3]);
    let long = format!("{}{}", calls[4], " ".repeat(80));
    let lost_text = format!("[{}]", "1,".repeat(200));
    let steps = [
        (Arrives(0x81, &calls[0]), ""),
        (Arrives(0x81, &calls[1]), ""),
        (Arrives(0x89, "beat"), "beat"),
        (Arrives(0x81, &calls[2]), r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Busy"},"id":3}"#),
        (Arrives(0x81, &lost), ""),
        (Arrives(0x81, &found), r#"{"jsonrpc":"2.0","error":{"code":-32800,"message":"Request cancelled"},"id":1}"#),
        (Arrives(0x81, r#"{"jsonrpc":"2.0","method":"now","id":7}"#), r#"{"jsonrpc":"2.0","result":"now","id":7}"#),
        (Queues(3), r#"{"jsonrpc":"2.0","method":"note","params":["xxx"]}"#),
        (Queues(900), ""),
        (QueueEnds, ""),
        (Arrives(0x81, &calls[0]), ""),
        // no slot is free for a batch, which is not refused
        (Arrives(0x81, &batch), ""),
        (Opens, r#"{"jsonrpc":"2.0","result":4,"id":4}]"#),
        (Arrives(0x81, &long), r#"{"jsonrpc":"2.0","result":5,"id":5}"#),
        (Interrupts, ""),
        (Arrives(0x81, &lost_text), r#""id":null}"#),
        (Stops, ""),
    ];
    let (steps, expected): (Vec<_>, Vec<_>) = steps.into_iter().unzip();
    let (sent, outcome, seen) = side_by_side(&mut [0; 256], &steps);
    for (index, (sent, expected)) in sent.iter().zip(expected).enumerate() {
        assert!(sent.ends_with(expected) && sent.is_empty() == expected.is_empty(), "{index}: {sent}");
    }
    assert_eq!(outcome, Some(Ok(())));
    let in_place = format!("request handled in place: message of {} bytes, shortest answer of 77", long.len());
    let unsent = "queued message not sent: output full";
    let misframed = "misframed bytes: message too long";
    let expected =
        ["waits 1", "waits 2", "cancels nothing", unsent, "waits 1", "waits 4", &in_place, "waits 5", misframed];
    assert_eq!(seen.len(), expected.len(), "{seen:?}");
    assert!(seen.iter().zip(expected).all(|(seen, expected)| seen.starts_with(expected)), "{seen:?}");
}

#[test]
fn an_answer_behind_a_close_or_a_fault_of_the_stream_is_lost() {
    use Step::{Arrives, Breaks, Opens};

    let calls: Vec<String> = (1..=3).map(waits).collect();
    let start = || vec![Arrives(0x81, &calls[0]), Arrives(0x81, &calls[1])];
    let mut steps = start();
    steps.extend([Arrives(0x88, ""), Opens]);
    let (sent, outcome, _) = side_by_side(&mut [0; 256], &steps);
    assert_eq!((sent.concat().matches("result").count(), outcome), (0, Some(Ok(()))));
    let mut steps = start();
    steps.push(Breaks);
    let (sent, outcome, _) = side_by_side(&mut [0; 256], &steps);
    assert_eq!((sent.concat().as_str(), outcome), ("", Some(Err("writing: a fault set by the plan".to_owned()))));
    // the shortest refusal does not fit
    let mut steps = start();
    steps.push(Arrives(0x81, &calls[2]));
    let (sent, outcome, seen) = side_by_side(&mut [0; 64], &steps);
    assert_eq!((sent.concat().as_str(), outcome), ("", None));
    assert!(seen[2].starts_with("queued message not sent: output full"), "{seen:?}");
}

#[test]
fn a_framer_is_handed_on_with_its_state() {
    // the items of a connection without a server
    let stream = [server_frame(0x01, b"{"), server_frame(0x89, b""), server_frame(0x80, b"}")].concat();
    let (mut framer, mut output) = (Framer::<ToClient, 16>::new(), [0; 16]);
    let mut connection = Connection::new(&stream[..], &mut [][..], &mut framer, &mut output);
    assert_eq!(connection.read(), Ok(true));
    assert_eq!(connection.next(), Some(Ok(Received::Ping(b""))));
    assert_eq!(connection.next(), Some(Ok(Received::Text(b"{}"))));
}

/// Headers that are accepted.
const HEADERS: [(&str, &str); 5] = [
    ("Host", "server.example.com"),
    ("Upgrade", "websocket"),
    ("Connection", "Upgrade"),
    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ("Sec-WebSocket-Version", "13"),
];

/// The answer to these headers, with those of the name replaced by `values`.
fn accepted(name: &str, values: &[&str]) -> Result<String, Refusal> {
    let mut request = Request::new();
    for (other, value) in HEADERS {
        if other != name {
            request.header(&other.to_ascii_uppercase(), value.as_bytes());
        }
    }
    for value in values {
        request.header(name, value.as_bytes());
    }
    request.accept().map(|accept| accept.as_str().to_owned())
}

#[test]
fn the_handshake_of_section_1_3_is_accepted() {
    let accept = Ok("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=".to_owned());
    assert_eq!(accepted("Host", &["x"]), accept);
    assert_eq!(accepted("Upgrade", &["h2c, WebSocket"]), accept);
    assert_eq!(accepted("Upgrade", &["h2c", "\twebsocket "]), accept);
    assert_eq!(accepted("Connection", &["keep-alive ,UPGRADE"]), accept);
    assert_eq!(accepted("Connection", &["keep-alive", "upgrade"]), accept);
    assert_eq!(accepted("Sec-WebSocket-Version", &[" 13 "]), accept);
}

#[test]
fn a_wrong_handshake_is_refused_with_its_status() {
    for (name, values, refusal, status) in [
        ("Upgrade", &[][..], Refusal::MissingUpgrade, 426),
        ("Upgrade", &["websockets"], Refusal::MissingUpgrade, 426),
        ("Connection", &[], Refusal::MissingConnection, 400),
        ("Connection", &["keep-alive"], Refusal::MissingConnection, 400),
        ("Sec-WebSocket-Version", &[], Refusal::UnsupportedVersion, 426),
        ("Sec-WebSocket-Version", &["8"], Refusal::UnsupportedVersion, 426),
        ("Sec-WebSocket-Version", &["13", "13"], Refusal::UnsupportedVersion, 426),
        ("Sec-WebSocket-Key", &[], Refusal::InvalidKey, 400),
        ("Sec-WebSocket-Key", &[""], Refusal::InvalidKey, 400),
        ("Sec-WebSocket-Key", &["dGhlIHNhbXBsZSBub25jZQ"], Refusal::InvalidKey, 400),
        ("Sec-WebSocket-Key", &["dGhlIHNhbXBsZSBub25j"], Refusal::InvalidKey, 400),
        ("Sec-WebSocket-Key", &["dGhlIHNhbXBsZSBub25jZWFh"], Refusal::InvalidKey, 400),
        ("Sec-WebSocket-Key", &["dGhl*HNhbXBsZSBub25jZQ=="], Refusal::InvalidKey, 400),
        ("Sec-WebSocket-Key", &["dGhlIHNhbXBsZQ==b25jZQ=="], Refusal::InvalidKey, 400),
        ("Sec-WebSocket-Key", &["dGhlIHNhbXBsZSBub25jZQ==", "x"], Refusal::InvalidKey, 400),
    ] {
        assert_eq!(accepted(name, values), Err(refusal), "{name} {values:?}");
        assert_eq!(refusal.status(), status);
        assert!(!refusal.to_string().is_empty());
    }
}

#[test]
fn a_client_checks_the_response() {
    let key = Key::new(*b"the sample nonce");
    let checked = |status: u16, headers: &[(&str, &'static str)]| {
        let mut response = Response::new(status);
        for (name, value) in headers {
            response.header(name, value.as_bytes());
        }
        response.check(&key)
    };
    let upgrade = [("upgrade", "websocket"), ("connection", "upgrade")];
    let accept = ("sec-websocket-accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    assert_eq!(key.as_str(), "dGhlIHNhbXBsZSBub25jZQ==");
    assert_eq!(checked(101, &[upgrade[0], upgrade[1], accept]), Ok(()));
    assert_eq!(checked(101, &[("Server", "websocket"), upgrade[0], upgrade[1], accept]), Ok(()));
    assert_eq!(checked(200, &[upgrade[0], upgrade[1], accept]), Err(Refusal::Status(200)));
    assert_eq!(checked(101, &[upgrade[1], accept]), Err(Refusal::MissingUpgrade));
    assert_eq!(checked(101, &[upgrade[0], accept]), Err(Refusal::MissingConnection));
    assert_eq!(checked(101, &upgrade), Err(Refusal::InvalidAccept));
    let other = ("sec-websocket-accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOO=");
    assert_eq!(checked(101, &[upgrade[0], upgrade[1], other]), Err(Refusal::InvalidAccept));
    let extension = ("Sec-WebSocket-Extensions", "permessage-deflate");
    assert_eq!(checked(101, &[upgrade[0], upgrade[1], accept, extension]), Err(Refusal::UnrequestedExtension));
    // a list, or a second value, is no match for "websocket"
    let other = ("Upgrade", "h2c");
    assert_eq!(checked(101, &[("Upgrade", "h2c, websocket"), upgrade[1], accept]), Err(Refusal::MissingUpgrade));
    assert_eq!(checked(101, &[upgrade[0], other, upgrade[1], accept]), Err(Refusal::MissingUpgrade));
    assert_eq!(checked(101, &[("Upgrade", " WebSocket "), upgrade[1], accept]), Ok(()));
}

/// "if this header field indicates the use of a subprotocol that was not present in the client's handshake" (RFC 6455 §4.1).
#[test]
fn a_client_refuses_a_subprotocol_that_it_did_not_request() {
    let key = Key::new(*b"the sample nonce");
    let checked = |selected: &'static [&'static str], requested: &'static [&'static str]| {
        let mut response = Response::new(101).with_protocols(requested);
        for (name, value) in [
            ("Upgrade", "websocket"),
            ("Connection", "Upgrade"),
            ("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
        ] {
            response.header(name, value.as_bytes());
        }
        selected.iter().for_each(|name| response.header("sec-websocket-protocol", name.as_bytes()));
        response.check(&key)
    };
    for requested in [&[][..], &["jsonrpc", "mqtt"]] {
        assert_eq!(checked(&[], requested), Ok(()));
        for selected in [&["chat"][..], &["JSONRPC"], &["jsonrpc, mqtt"], &[""], &["jsonrpc", "jsonrpc"]] {
            assert_eq!(
                checked(selected, requested),
                Err(Refusal::UnrequestedProtocol),
                "{selected:?} of {requested:?}"
            );
        }
    }
    assert_eq!(checked(&["mqtt"], &["jsonrpc", "mqtt"]), Ok(()));
    assert_eq!(checked(&["mqtt"], &[]), Err(Refusal::UnrequestedProtocol));
    assert_eq!(Refusal::UnrequestedProtocol.as_str(), "unrequested Sec-WebSocket-Protocol");
}

#[test]
fn refusals_have_words_and_a_request_begins_empty() {
    assert_eq!(Refusal::Status(200).as_str(), "status is not 101");
    assert_eq!(Refusal::InvalidAccept.as_str(), "invalid Sec-WebSocket-Accept");
    assert_eq!(Refusal::UnrequestedExtension.as_str(), "unrequested Sec-WebSocket-Extensions");
    assert_eq!(Refusal::InvalidAccept.to_string(), Refusal::InvalidAccept.as_str());
    assert_eq!(Request::default().accept().unwrap_err(), Refusal::MissingUpgrade);
}

#[test]
fn a_close_of_the_program_is_sent_once_and_its_answer_awaited() {
    // a call and a ping that cross the close, the close of the peer, and a message behind it
    let stream = [
        client_frame(0x81, CALL),
        client_frame(0x89, b"p"),
        client_frame(0x88, &1000u16.to_be_bytes()),
        client_frame(0x81, CALL),
    ]
    .concat();
    let run = |stream: &[u8], code: u16, reason: &str, is_async: bool| {
        let (mut framer, mut output, mut sent) = (Framer::<ToServer, 256>::new(), [0; 256], [0; 256]);
        let mut writer = &mut sent[..];
        let mut connection = Connection::new(stream, &mut writer, &mut framer, &mut output);
        let close = |connection: &mut Connection<'_, _, _, _, _>| {
            if !is_async {
                return connection.close(code, reason);
            }
            match pin!(connection.close_async(code, reason)).poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(closed) => closed,
                Poll::Pending => panic!("it waits"),
            }
        };
        let outcome = close(&mut connection).is_ok();
        let again = close(&mut connection);
        let send = connection.send(&Notification::new("tick"));
        let rest = writer.len();
        (outcome, again == Err(ConnectionError::OutputBroken), send.is_ok(), sent[..256 - rest].to_vec())
    };
    for is_async in [false, true] {
        let close = server_frame(0x88, b"\x03\xe9bye");
        assert_eq!(run(&stream, 1001, "bye", is_async), (true, true, false, close.clone()));
        // a stream that ends, or ends inside a message, without a close
        assert_eq!(run(b"", 1001, "bye", is_async), (true, true, false, close.clone()));
        assert_eq!(run(&stream[..9], 1001, "bye", is_async), (true, true, false, close));
        // nothing is sent for a code that must not be sent, and for a reason that is too long
        let (outcome, _, is_open, sent) = run(b"", 1005, "", is_async);
        assert_eq!((outcome, is_open, &sent[2..4]), (false, true, &b"{\""[..]));
        assert!(!run(b"", 1000, &"x".repeat(124), is_async).0);
        assert_eq!(run(b"", 1000, &"x".repeat(123), is_async).3.len(), 127);
    }
}

#[test]
fn a_close_that_the_stream_refuses_is_sent_by_the_next_one() {
    for is_async in [false, true] {
        let wire = Wire::new("");
        let (mut framer, mut output) = (Framer::<ToServer, 64>::new(), [0; 64]);
        let mut connection = Connection::new(Half(&wire), Half(&wire), &mut framer, &mut output);
        let mut close = || if is_async { run(connection.close_async(1001, "")) } else { connection.close(1001, "") };
        wire.borrow_mut().write = Turn::Fails;
        assert_eq!(close(), Err(ConnectionError::Write(PipeError::Fault)));
        wire.borrow_mut().read = Turn::Fails;
        // the close is sent, and the answer is not read
        assert_eq!(close(), Err(ConnectionError::Read(PipeError::Fault)));
        assert_eq!(wire.borrow().flushed, server_frame(0x88, &1001u16.to_be_bytes()));
    }
}

#[test]
fn a_reset_counts_neither_control_frames_nor_faults() {
    let stream = [(0x81, CALL), (0x89, b"p"), (0x81, CALL), (0x83, b"reserved")]
        .map(|(first, bytes)| client_frame(first, bytes));
    let (stream, mut sent) = (stream.concat(), [0; 16]);
    let (mut framer, mut output) = (Framer::<ToServer, 256>::new(), [0; 64]);
    let mut connection = Connection::new(&stream[..], &mut sent[..], &mut framer, &mut output);
    assert_eq!(connection.read(), Ok(true));
    assert_eq!((connection.reset(), connection.reset()), (2, 0));
}
