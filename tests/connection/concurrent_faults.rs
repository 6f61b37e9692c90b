//! The answers of handlers that are done when serving ends early.
#![cfg(all(feature = "serde", feature = "embedded-io-async"))]

use core::cell::Cell;
use core::future::poll_fn;
use core::pin::pin;
use core::task::Poll;
use std::rc::Rc;

use embedded_io::ErrorType;
use embedded_io_async::Write;
use nanojsonrpc::connection::{Connection, ConnectionError};
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::memory::PipeError;
use nanojsonrpc::server::AsyncRoutes;
use nanojsonrpc::{ErrorObject, Notification, Router, Server, Writer};

use crate::tasks::{Half, Turn, Wire, poll, run, wait};

/// The handlers of `wait` end when it is set.
type Gate = Rc<Cell<bool>>;

async fn passed(gate: &mut Gate, (number,): (u32,)) -> Result<u32, ErrorObject<'static>> {
    poll_fn(|_| if gate.get() { Poll::Ready(()) } else { Poll::Pending }).await;
    Ok(number)
}

async fn soon(_: &mut Gate) -> Result<u32, ErrorObject<'static>> {
    wait().await;
    Ok(7)
}

fn server() -> Server<impl AsyncRoutes<Gate> + Clone> {
    Server::new(Router::new().request_async("wait", passed).request_async("soon", soon))
}

fn calls(count: u32) -> String {
    (0..count)
        .map(|id| format!("{{\"jsonrpc\":\"2.0\",\"method\":\"wait\",\"params\":[{id}],\"id\":{id}}}\n"))
        .collect()
}

fn answer(id: u32) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"result\":{id},\"id\":{id}}}\n")
}

const FAULT: Result<(), ConnectionError<PipeError, PipeError>> = Err(ConnectionError::Write(PipeError::Fault));

/// The result of serving four calls that are answered at once, and the bytes that reach the peer.
fn served(fault: impl Fn(&mut Wire)) -> (Result<(), ConnectionError<PipeError, PipeError>>, String) {
    let wire = Wire::new(&calls(4));
    let (mut framer, mut output, mut server, mut gate) =
        (Framer::<Lines, 512>::new(), [0; 256], server(), Gate::default());
    let mut connection = Connection::new(Half(&wire), Half(&wire), &mut framer, &mut output);
    let opened = gate.clone();
    let mut serving = pin!(connection.concurrent::<4, 128, 128>().serve(&mut server, &mut gate));
    assert!(poll(serving.as_mut()).is_pending());
    opened.set(true);
    fault(&mut wire.borrow_mut());
    let Poll::Ready(served) = poll(serving.as_mut()) else { panic!("it serves on") };
    (served, wire.borrow_mut().take())
}

#[test]
fn an_answer_that_cannot_be_written_costs_no_other_answer() {
    let (served, sent) = served(|wire| wire.write = Turn::Fails);
    assert_eq!((served, sent), (FAULT, [1, 2, 3].map(answer).concat()));
}

#[test]
fn nothing_follows_a_part_of_an_answer_and_whole_answers_before_it_are_flushed() {
    let (served, sent) = served(|wire| wire.fails_at = Some(answer(0).len() + 5));
    assert_eq!((served, sent), (FAULT, answer(0) + &answer(1)[..5]));
}

#[test]
fn a_flush_that_fails_costs_no_answer_of_a_handler_that_is_done() {
    let wire = Wire::new("");
    let (mut framer, mut output, mut server, mut gate) =
        (Framer::<Lines, 512>::new(), [0; 256], server(), Gate::default());
    // two calls wait; the answer to a third is flushed while they end
    let mut connection = Connection::new(Half(&wire), Half(&wire), &mut framer, &mut output);
    let opened = gate.clone();
    let soon = "{\"jsonrpc\":\"2.0\",\"method\":\"soon\",\"id\":7}\n";
    wire.borrow_mut().incoming.extend((calls(2) + soon).bytes());
    wire.borrow_mut().flush = Turn::Waits;
    let mut serving = pin!(connection.concurrent::<3, 128, 128>().serve(&mut server, &mut gate));
    assert!(poll(serving.as_mut()).is_pending());
    assert!(poll(serving.as_mut()).is_pending());
    assert_eq!(wire.borrow().unflushed, answer(7).as_bytes());
    opened.set(true);
    wire.borrow_mut().flush = Turn::Fails;
    assert_eq!(run(serving), FAULT);
    assert_eq!(wire.borrow_mut().take(), [7, 0, 1].map(answer).concat());
}

#[cfg(feature = "websocket")]
#[test]
fn a_ping_that_cannot_be_answered_costs_no_answer_of_a_handler_that_is_done() {
    use crate::websocket::ToClient;
    use nanojsonrpc::frame::{Frame, WebSocket};

    let mut incoming = Vec::new();
    for text in calls(2).lines() {
        let mut frame = [0; 128];
        let len = ToClient::encode(text.as_bytes(), &mut frame).unwrap();
        incoming.extend_from_slice(&frame[..len]);
    }
    let wire = Wire::new("");
    wire.borrow_mut().incoming.extend(incoming);
    let (mut framer, mut output, mut server, mut gate) =
        (Framer::<WebSocket, 512>::new(), [0; 128], server(), Gate::default());
    let mut connection = Connection::new(Half(&wire), Half(&wire), &mut framer, &mut output);
    let mut serving = pin!(connection.concurrent::<3, 128, 128>().serve(&mut server, &mut gate));
    assert!(poll(serving.as_mut()).is_pending());
    // a ping of 120 bytes, behind a call whose handler is done at once
    let soon = "{\"jsonrpc\":\"2.0\",\"method\":\"soon\",\"id\":7}";
    let mut frame = [0; 128];
    let len = ToClient::encode(soon.as_bytes(), &mut frame).unwrap();
    wire.borrow_mut().incoming.extend(frame[..len].iter().copied());
    wire.borrow_mut().incoming.extend(b"\x89\xf8\0\0\0\0".iter().copied().chain([b'p'; 120]));
    let served = run(serving);
    assert!(matches!(served, Err(ConnectionError::Message(_))), "{served:?}");
    assert_eq!(wire.borrow().flushed.len(), 2 + answer(7).trim().len());
}

#[test]
fn a_queue_keeps_the_messages_that_are_not_sent_when_serving_ends() {
    const ALL: usize = 1000;
    let wire = Wire::new("");
    wire.borrow_mut().has_ended = true;
    let (mut framer, mut output, mut server, mut gate) =
        (Framer::<Lines, 512>::new(), [0; 256], server(), Gate::default());
    let mut connection = Connection::new(Half(&wire), Half(&wire), &mut framer, &mut output);
    let left = Cell::new(ALL);
    let queue = async |out: &mut Writer<'_>| {
        left.set(left.get() - 1);
        out.message(&Notification::<64>::new("news"))
    };
    run(connection.concurrent::<1, 128, 128>().queued_by(queue).serve(&mut server, &mut gate)).unwrap();
    let sent = wire.borrow_mut().take().lines().count();
    assert_eq!((sent + left.get(), sent % 64, left.get() > 0), (ALL, 0, true));
}

/// A writer that fails once, and then lets the handlers end.
struct FailsOnce(Gate, Vec<u8>);

impl ErrorType for FailsOnce {
    type Error = PipeError;
}

impl Write for FailsOnce {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, PipeError> {
        if !self.0.replace(true) {
            return Err(PipeError::Fault);
        }
        self.1.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    async fn flush(&mut self) -> Result<(), PipeError> {
        Ok(())
    }
}

#[cfg(feature = "websocket")]
#[test]
fn no_answer_follows_a_close_that_cannot_be_answered() {
    use crate::websocket::client_frame;
    use nanojsonrpc::frame::WebSocket;

    let wire = Wire::new("");
    for text in calls(2).lines() {
        wire.borrow_mut().incoming.extend(client_frame(0x81, text.as_bytes()));
    }
    wire.borrow_mut().incoming.extend(client_frame(0x88, b""));
    let (mut framer, mut output, mut server, mut gate) =
        (Framer::<WebSocket, 512>::new(), [0; 128], server(), Gate::default());
    let mut writer = FailsOnce(gate.clone(), Vec::new());
    let mut connection = Connection::new(Half(&wire), &mut writer, &mut framer, &mut output);
    assert_eq!(run(connection.concurrent::<2, 128, 128>().serve(&mut server, &mut gate)), FAULT);
    assert_eq!((gate.get(), writer.1), (true, Vec::new()));
}

#[test]
fn a_refusal_or_an_answer_in_place_that_cannot_be_written_ends_serving() {
    // of two calls the second finds no slot; a method without a handler is answered in place
    for incoming in [calls(2), "{\"jsonrpc\":\"2.0\",\"method\":\"unknown\",\"id\":1}\n".to_owned()] {
        let wire = Wire::new(&incoming);
        wire.borrow_mut().write = Turn::Fails;
        let (mut framer, mut output, mut server, mut gate) =
            (Framer::<Lines, 512>::new(), [0; 256], server(), Gate::default());
        let mut connection = Connection::new(Half(&wire), Half(&wire), &mut framer, &mut output);
        let serving = connection.concurrent::<1, 128, 128>().refusing(ErrorObject::new(-32000, "busy"));
        assert_eq!(run(serving.serve(&mut server, &mut gate)), FAULT, "{incoming}");
        assert_eq!(wire.borrow_mut().take(), "", "{incoming}");
    }
}
