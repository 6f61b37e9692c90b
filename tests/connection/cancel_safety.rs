//! The section "Cancel safety" of the documentation of `Connection`: a test for each sentence.
#![cfg(all(feature = "serde", feature = "embedded-io-async"))]

use core::cell::{Cell, RefCell};
use core::future::poll_fn;
use core::pin::pin;
use core::task::Poll;
use std::rc::Rc;

use nanojsonrpc::connection::{Connection, ConnectionError, serve_async};
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::memory::PipeError;
use nanojsonrpc::server::{AsyncRoutes, route::Routes};
use nanojsonrpc::{Envelope, ErrorObject, Notification, Router, Server};

use crate::tasks::{Half, Turn, Wire, poll, run};

/// The first id of `Connection::call`.
const FIRST: u64 = 1 << 52;

type Framing = Framer<Lines, 256>;

/// What the handlers have done, and whether they may end.
#[derive(Clone, Default)]
struct Log {
    seen: Rc<RefCell<Vec<String>>>,
    is_open: Rc<Cell<bool>>,
}

impl Log {
    fn note(&self, text: impl Into<String>) {
        self.seen.borrow_mut().push(text.into());
    }

    fn take(&self) -> Vec<String> {
        core::mem::take(&mut *self.seen.borrow_mut())
    }
}

async fn wait(log: &mut Log, (number,): (u32,)) -> Result<u32, ErrorObject<'static>> {
    log.note(format!("wait {number}"));
    poll_fn(|_| if log.is_open.get() { Poll::Ready(()) } else { Poll::Pending }).await;
    Ok(number)
}

fn router() -> Router<Log, impl Routes<Log> + AsyncRoutes<Log> + Clone> {
    Router::new()
        .request("ping", |log: &mut Log, (number,): (u32,)| {
            log.note(format!("ping {number}"));
            Ok(number)
        })
        .response(|log: &mut Log, response: &Envelope<'_>| {
            log.note(format!("response {:?}", response.id().and_then(|id| id.as_i64())))
        })
}

/// A server with a handler that waits.
fn waiting() -> Server<impl AsyncRoutes<Log> + Clone> {
    Server::new(router().request_async("wait", wait))
}

fn call(method: &str, number: u32) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":[{number}],\"id\":{number}}}\n")
}

fn answer(number: u32) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"result\":{number},\"id\":{number}}}\n")
}

fn note(method: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\"}}\n")
}

/// A connection over `$wire`, and the rest of a test.
macro_rules! connected {
    ($wire:ident, $framer:ident, $connection:ident) => {
        let mut output = [0; 256];
        let mut $connection = Connection::new(Half(&$wire), Half(&$wire), &mut $framer, &mut output);
    };
}

#[test]
fn a_dropped_read_loses_no_byte() {
    let wire = Wire::new("");
    let (mut framer, mut log, mut server) = (Framing::new(), Log::default(), waiting());
    connected!(wire, framer, connection);
    for byte in call("ping", 1).bytes() {
        assert!(poll(pin!(connection.read_async())).is_pending());
        wire.borrow_mut().incoming.push_back(byte);
        assert_eq!(run(connection.read_async()), Ok(true));
    }
    run(connection.answer_async(&mut server, &mut log)).unwrap();
    assert_eq!(wire.borrow_mut().take(), answer(1));
}

#[test]
fn a_message_that_is_dropped_while_it_is_written_breaks_the_output() {
    for room in 0..answer(1).len() {
        let wire = Wire::new(&call("ping", 1));
        let (mut framer, mut log, mut server) = (Framing::new(), Log::default(), waiting());
        connected!(wire, framer, connection);
        run(connection.read_async()).unwrap();
        wire.borrow_mut().room = Some(room);
        assert!(poll(pin!(connection.answer_async(&mut server, &mut log))).is_pending());
        wire.borrow_mut().room = None;
        let broken = Err(ConnectionError::OutputBroken);
        assert_eq!(run(connection.send_async(&Notification::new("a"))), broken);
        assert_eq!(run(connection.answer_async(&mut server, &mut log)), broken);
        assert_eq!(wire.borrow().unflushed.len() + wire.borrow().flushed.len(), room);
        // the handler has run once, and does not run again
        assert_eq!(log.take(), ["ping 1"]);
    }
}

/// The method that follows a dropped future.
#[derive(Clone, Copy, Debug)]
enum Next {
    Send,
    SendText,
    SendNothing,
    Answer,
    SendAsync,
    SendTextAsync,
    AnswerAsync,
    Serve,
    Concurrent,
}

const EVERY_NEXT: [Next; 9] = [
    Next::Send,
    Next::SendText,
    Next::SendNothing,
    Next::Answer,
    Next::SendAsync,
    Next::SendTextAsync,
    Next::AnswerAsync,
    Next::Serve,
    Next::Concurrent,
];

/// Calls the method, and returns what it sends itself.
fn follow(next: Next, connection: &mut Connection<'_, Half<'_>, Half<'_>, Lines, [u8; 256]>, log: &mut Log) -> String {
    let (text, next_note) = (note("next"), Notification::new("next"));
    match next {
        Next::Send => connection.send(&next_note).unwrap(),
        Next::SendText => connection.send_text(text.trim().as_bytes()).unwrap(),
        Next::SendAsync => run(connection.send_async(&next_note)).unwrap(),
        Next::SendTextAsync => run(connection.send_text_async(text.trim().as_bytes())).unwrap(),
        Next::SendNothing => connection.send_text(b"").unwrap(),
        Next::Answer => connection.answer(&mut Server::new(router()), log).unwrap(),
        Next::AnswerAsync => run(connection.answer_async(&mut waiting(), log)).unwrap(),
        Next::Serve => assert!(poll(pin!(connection.serve_async(&mut waiting(), log))).is_pending()),
        Next::Concurrent => {
            let mut server = waiting();
            assert!(poll(pin!(connection.concurrent::<2, 128, 128>().serve(&mut server, log))).is_pending());
        }
    }
    let sends = matches!(next, Next::Send | Next::SendText | Next::SendAsync | Next::SendTextAsync);
    if sends { note("next") } else { String::new() }
}

#[test]
fn the_next_method_flushes_a_message_whose_flush_was_dropped() {
    for next in EVERY_NEXT {
        for dropped in 0..6 {
            // also a connection that is made anew for the same stream
            for is_new in [false, true] {
                let wire = Wire::new(&call("ping", 1));
                let (mut framer, mut log, mut server) = (Framing::new(), Log::default(), waiting());
                connected!(wire, framer, connection);
                run(connection.read_async()).unwrap();
                wire.borrow_mut().flush = Turn::Waits;
                let first = note("first");
                let expected = match dropped {
                    0 => {
                        assert!(poll(pin!(connection.send_async(&Notification::new("first")))).is_pending());
                        first
                    }
                    1 => {
                        assert!(poll(pin!(connection.send_text_async(first.trim().as_bytes()))).is_pending());
                        first
                    }
                    2 => {
                        assert!(poll(pin!(connection.answer_async(&mut server, &mut log))).is_pending());
                        answer(1)
                    }
                    3 => {
                        assert!(poll(pin!(connection.serve_async(&mut server, &mut log))).is_pending());
                        answer(1)
                    }
                    4 => {
                        let serving = connection.concurrent::<2, 128, 128>();
                        assert!(poll(pin!(serving.serve(&mut server, &mut log))).is_pending());
                        answer(1)
                    }
                    _ => {
                        let mut peer = connection.peer_async(&mut server, &mut log);
                        let call = peer.call_async::<u32>("m", &[7]);
                        assert!(poll(pin!(call)).is_pending());
                        format!("{{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":[7],\"id\":{FIRST}}}\n") + &answer(1)
                    }
                };
                assert_eq!(wire.borrow_mut().take(), "", "{next:?} after {dropped}");
                wire.borrow_mut().flush = Turn::Passes;
                let behind = if is_new {
                    connected!(wire, framer, connection);
                    follow(next, &mut connection, &mut log)
                } else {
                    follow(next, &mut connection, &mut log)
                };
                let mut expected = expected + &behind;
                if dropped < 2 && !behind.is_empty() {
                    // the call is not answered yet
                    run(Connection::new(Half(&wire), Half(&wire), &mut framer, &mut [0; 256])
                        .answer_async(&mut server, &mut log))
                    .unwrap();
                }
                if dropped < 2 && !matches!(next, Next::SendNothing) {
                    expected += &answer(1);
                }
                assert_eq!(wire.borrow_mut().take(), expected, "{next:?} after {dropped}, {is_new}");
                assert!(wire.borrow().unflushed.is_empty());
            }
        }
    }
}

#[test]
fn a_flush_that_fails_is_repeated_by_the_next_method() {
    for next in EVERY_NEXT {
        let wire = Wire::new("");
        let (mut framer, mut log) = (Framing::new(), Log::default());
        connected!(wire, framer, connection);
        wire.borrow_mut().flush = Turn::Fails;
        assert_eq!(connection.send(&Notification::new("first")), Err(ConnectionError::Write(PipeError::Fault)));
        let behind = follow(next, &mut connection, &mut log);
        assert_eq!(wire.borrow_mut().take(), note("first") + &behind, "{next:?}");
    }
}

#[test]
fn whole_answers_before_a_part_of_one_are_flushed() {
    for is_async in [false, true] {
        let wire = Wire::new(&(call("ping", 1) + &call("ping", 2)));
        let (mut framer, mut log, mut server) = (Framing::new(), Log::default(), waiting());
        connected!(wire, framer, connection);
        run(connection.read_async()).unwrap();
        wire.borrow_mut().room = Some(answer(1).len() + 5);
        assert!(poll(pin!(connection.answer_async(&mut server, &mut log))).is_pending());
        wire.borrow_mut().room = None;
        let broken = Err(ConnectionError::OutputBroken);
        if is_async {
            assert_eq!(run(connection.answer_async(&mut server, &mut log)), broken);
        } else {
            assert_eq!(connection.answer(&mut Server::new(router()), &mut log), broken);
        }
        assert_eq!(wire.borrow_mut().take(), answer(1) + &answer(2)[..5]);
    }
}

#[test]
fn a_handler_that_is_dropped_loses_only_its_own_call() {
    let wire = Wire::new(&[call("ping", 1), call("wait", 2), call("ping", 3), call("wait", 4)].concat());
    let (mut framer, mut log, mut server) = (Framing::new(), Log::default(), waiting());
    connected!(wire, framer, connection);
    run(connection.read_async()).unwrap();
    assert!(poll(pin!(connection.answer_async(&mut server, &mut log))).is_pending());
    log.is_open.set(true);
    run(connection.answer_async(&mut server, &mut log)).unwrap();
    assert_eq!(wire.borrow_mut().take(), [answer(1), answer(3), answer(4)].concat());
    assert_eq!(log.take(), ["ping 1", "wait 2", "ping 3", "wait 4"]);
}

#[test]
fn the_answer_to_a_dropped_call_is_a_response_to_the_server() {
    let wire = Wire::new("");
    let (mut framer, mut log, mut server) = (Framing::new(), Log::default(), waiting());
    connected!(wire, framer, connection);
    {
        let mut peer = connection.peer_async(&mut server, &mut log);
        let call = peer.call_async::<u32>("m", &());
        assert!(poll(pin!(call)).is_pending());
    }
    let answers =
        [FIRST, FIRST + 1].map(|id| format!("{{\"jsonrpc\":\"2.0\",\"result\":{},\"id\":{id}}}\n", id - FIRST));
    wire.borrow_mut().incoming.extend(answers.concat().bytes());
    assert_eq!(run(connection.peer_async(&mut server, &mut log).call_async("m", &())), Ok(1));
    assert_eq!(log.take(), [format!("response Some({FIRST})")]);
}

#[test]
fn concurrent_handlers_end_with_their_future_and_messages_behind_them_are_kept() {
    // the third call waits for a slot
    let calls = [call("ping", 1), call("wait", 2), call("wait", 3), call("wait", 4), call("ping", 5), call("wait", 6)];
    let wire = Wire::new(&calls.concat());
    let (mut framer, mut log, mut server) = (Framer::<Lines, 512>::new(), Log::default(), waiting());
    connected!(wire, framer, connection);
    assert!(poll(pin!(connection.concurrent::<2, 128, 128>().serve(&mut server, &mut log))).is_pending());
    assert_eq!(wire.borrow_mut().take(), answer(1));
    log.is_open.set(true);
    assert!(poll(pin!(connection.concurrent::<2, 128, 128>().serve(&mut server, &mut log))).is_pending());
    assert_eq!(wire.borrow_mut().take(), [answer(5), answer(6)].concat());
    assert_eq!(log.take(), ["ping 1", "wait 2", "wait 3", "ping 5", "wait 6"]);
}

#[test]
fn a_batch_whose_handler_is_dropped_is_not_answered() {
    let batch = format!("[{},{}]\n", call("ping", 1).trim(), call("wait", 2).trim());
    let wire = Wire::new(&(batch + &call("ping", 3)));
    let (mut framer, mut log, mut server) = (Framing::new(), Log::default(), waiting());
    connected!(wire, framer, connection);
    run(connection.read_async()).unwrap();
    assert!(poll(pin!(connection.answer_async(&mut server, &mut log))).is_pending());
    run(connection.answer_async(&mut server, &mut log)).unwrap();
    assert_eq!(
        (wire.borrow_mut().take(), log.take()),
        (answer(3), ["ping 1", "wait 2", "ping 3"].map(String::from).into())
    );
}

#[test]
fn answers_that_wait_to_be_written_end_with_their_future() {
    let wire = Wire::new(&[call("wait", 1), call("ping", 2)].concat());
    let (mut framer, mut log, mut server) = (Framing::new(), Log::default(), waiting());
    connected!(wire, framer, connection);
    wire.borrow_mut().flush = Turn::Waits;
    let opened = log.is_open.clone();
    {
        let mut serving = pin!(connection.concurrent::<2, 128, 128>().serve(&mut server, &mut log));
        assert!(poll(serving.as_mut()).is_pending());
        opened.set(true);
        assert!(poll(serving.as_mut()).is_pending());
    }
    wire.borrow_mut().flush = Turn::Passes;
    run(connection.answer_async(&mut server, &mut log)).unwrap();
    assert_eq!(wire.borrow_mut().take(), answer(2));
}

#[test]
fn an_answer_that_has_been_read_is_lost_with_a_call_whose_flush_is_dropped() {
    let wire = Wire::new(&call("ping", 1));
    let (mut framer, mut log, mut server) = (Framing::new(), Log::default(), waiting());
    connected!(wire, framer, connection);
    wire.borrow_mut().incoming.extend(format!("{{\"jsonrpc\":\"2.0\",\"result\":5,\"id\":{FIRST}}}\n").bytes());
    run(connection.read_async()).unwrap();
    wire.borrow_mut().flush = Turn::Waits;
    {
        let mut peer = connection.peer_async(&mut server, &mut log);
        let call = peer.call_async::<u32>("m", &());
        assert!(poll(pin!(call)).is_pending());
    }
    wire.borrow_mut().flush = Turn::Passes;
    run(connection.answer_async(&mut server, &mut log)).unwrap();
    assert_eq!(log.take(), ["ping 1"]);
    assert!(wire.borrow_mut().take().ends_with(&answer(1)));
}

#[test]
fn another_connection_on_the_stream_knows_that_an_unreadable_text_was_answered() {
    let wire = Wire::new("");
    let (mut framer, mut log, mut server) = (Framing::new(), Log::default(), waiting());
    let mut answers = |text: &str| {
        wire.borrow_mut().incoming.extend(text.bytes());
        let mut output = [0; 256];
        let serving = serve_async(Half(&wire), Half(&wire), &mut framer, &mut output, &mut server, &mut log);
        assert!(poll(pin!(serving)).is_pending());
        wire.borrow_mut().take().matches("-32700").count()
    };
    assert_eq!(["?\n", "?\n", &call("ping", 1), "?\n"].map(&mut answers), [1, 0, 0, 1]);
}

#[test]
fn a_stream_that_was_served_to_its_end_leaves_nothing_in_its_framer() {
    let (mut framer, mut log, mut server) = (Framing::new(), Log::default(), waiting());
    for round in 0..9 {
        let wire = Wire::new("?\n?\n");
        wire.borrow_mut().has_ended = true;
        connected!(wire, framer, connection);
        match round % 3 {
            0 => connection.serve(&mut Server::new(router()), &mut log).unwrap(),
            1 => run(connection.serve_async(&mut server, &mut log)).unwrap(),
            _ => run(connection.concurrent::<2, 128, 128>().serve(&mut server, &mut log)).unwrap(),
        }
        assert_eq!((wire.borrow_mut().take().matches("-32700").count(), connection.unanswered()), (1, 1), "{round}");
    }
}

#[cfg(feature = "websocket")]
#[test]
fn a_close_whose_flush_was_dropped_is_flushed_by_the_next_one() {
    use nanojsonrpc::frame::WebSocket;

    for is_failed in [false, true] {
        let wire = Wire::new("");
        let (mut framer, mut output) = (Framer::<WebSocket, 64>::new(), [0; 128]);
        let mut connection = Connection::new(Half(&wire), Half(&wire), &mut framer, &mut output);
        if is_failed {
            wire.borrow_mut().flush = Turn::Fails;
            assert_eq!(connection.close(1000, "done"), Err(ConnectionError::Write(PipeError::Fault)));
        } else {
            wire.borrow_mut().flush = Turn::Waits;
            assert!(poll(pin!(connection.close_async(1000, "done"))).is_pending());
            wire.borrow_mut().flush = Turn::Passes;
        }
        assert_eq!(wire.borrow().flushed.len(), 0);
        assert_eq!(run(connection.close_async(1000, "done")), Err(ConnectionError::OutputBroken));
        assert_eq!(wire.borrow().flushed, b"\x88\x06\x03\xe8done");
    }
}
