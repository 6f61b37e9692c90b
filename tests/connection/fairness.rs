//! No kind of work holds back another one: floods of messages, full queues, and the answers to unreadable texts.
#![cfg(all(feature = "serde", feature = "embedded-io-async"))]

use core::cell::{Cell, RefCell};
use core::future::{poll_fn, ready};
use core::pin::pin;
use core::task::Poll;
use std::rc::Rc;

use embedded_io::ErrorType;
use nanojsonrpc::connection::{CallError, Cancellation, Connection};
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::memory::{Pipe, PipeError};
use nanojsonrpc::server::AsyncRoutes;
use nanojsonrpc::{Dialect, ErrorObject, Notification, Router, Server, Writer};

use crate::tasks::{poll, sent};

const WAIT: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"wait\",\"id\":1}\n";
const CANCEL: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":1}}\n";
/// Long enough for a future to end, if it ends at all.
const LONG: u32 = 100_000;

type Gate = Rc<Cell<bool>>;

async fn wait(gate: &mut Gate) -> Result<u8, ErrorObject<'static>> {
    poll_fn(|_| if gate.get() { Poll::Ready(()) } else { Poll::Pending }).await;
    Ok(7)
}

fn server() -> Server<impl AsyncRoutes<Gate> + Clone> {
    Server::new(Router::new().request_async("wait", wait).request("ping", |_: &mut Gate| Ok("pong")))
}

/// The number of answers to unreadable texts, when `incoming` comes in parts. The gate opens before the part with that index.
fn answered(incoming: &[&[u8]], opens_before: usize) -> usize {
    let mut pipe: Pipe<1024> = Pipe::new();
    let (device, hub) = pipe.ends();
    let (mut framer, mut output, mut server, gate) = (Framer::<Lines, 256>::new(), [0; 256], server(), Gate::default());
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let mut context = gate.clone();
    let serving = connection.concurrent::<2, 128, 256>().cancelled_by(Cancellation::LANGUAGE_SERVER);
    let mut serving = pin!(serving.serve(&mut server, &mut context));
    for (at, part) in incoming.iter().enumerate() {
        gate.set(at >= opens_before);
        assert!(poll(serving.as_mut()).is_pending());
        hub.try_write(part).unwrap();
    }
    assert!(poll(serving.as_mut()).is_pending());
    sent(&hub).matches("-32700").count()
}

#[test]
fn a_message_between_two_unreadable_texts_counts_whatever_its_handler() {
    assert_eq!(answered(&[b"?\n", WAIT, b"?\n"], 9), 2);
    assert_eq!(answered(&[WAIT, b"?\n", CANCEL, b"?\n"], 9), 2);
    // the answer of a handler is no message of the peer
    assert_eq!(answered(&[WAIT, b"?\n", b"", b"?\n"], 3), 1);
    assert_eq!(answered(&[b"?\n?\n"], 9), 1);
}

#[test]
fn every_refused_batch_is_answered() {
    let mut pipe: Pipe<1024> = Pipe::new();
    let (device, hub) = pipe.ends();
    let call = r#"{"jsonrpc":"2.0","method":"wait","id":1}"#;
    let batches = format!("[{call},{call}]\n").repeat(2);
    for (dialect, room) in [(Dialect::MCP, 256), (Dialect::JSON_RPC.with_max_batch(1), 256), (Dialect::JSON_RPC, 180)] {
        for is_async in [false, true] {
            hub.try_write(batches.as_bytes()).unwrap();
            let (mut framer, mut output) = (Framer::<Lines, 256>::new(), [0; 256]);
            let mut connection = Connection::new(&device, &device, &mut framer, &mut output[..room]);
            let (mut server, mut context) = (server().with_dialect(dialect), Gate::default());
            if is_async {
                assert!(matches!(poll(pin!(connection.read_async())), Poll::Ready(Ok(true))));
                let answering = pin!(connection.answer_async(&mut server, &mut context));
                assert!(matches!(poll(answering), Poll::Ready(Ok(()))));
            } else {
                let mut server =
                    Server::new(Router::new().request("level", |_: &mut Gate| Ok(3))).with_dialect(dialect);
                assert!(connection.read().unwrap());
                connection.answer(&mut server, &mut context).unwrap();
            }
            let unanswered = connection.unanswered();
            assert_eq!((sent(&hub).matches("-32600").count(), unanswered), (2, 0), "{dialect:?}, {room}, {is_async}");
        }
    }
}

#[test]
fn the_answer_that_a_call_awaits_counts_as_a_message() {
    let mut pipe: Pipe<1024> = Pipe::new();
    let (device, hub) = pipe.ends();
    let answer = format!("?\n{{\"jsonrpc\":\"2.0\",\"result\":3,\"id\":{}}}\n?\n", 1u64 << 52);
    let (mut server, mut context) = (server(), Gate::default());
    for is_async in [false, true] {
        hub.try_write(answer.as_bytes()).unwrap();
        let (mut framer, mut output) = (Framer::<Lines, 256>::new(), [0; 256]);
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
        if is_async {
            let mut peer = connection.peer_async(&mut server, &mut context);
            let mut call = pin!(peer.call_async::<u8>("m", &()));
            assert!(matches!(poll(call.as_mut()), Poll::Ready(Ok(3))));
        } else {
            let mut server = Server::new(Router::new().request("level", |_: &mut Gate| Ok(3)));
            assert!(matches!(connection.peer(&mut server, &mut context).call::<u8>("m", &()), Ok(3)));
        }
        assert!(matches!(poll(pin!(connection.answer_async(&mut server, &mut context))), Poll::Ready(Ok(()))));
        assert_eq!((sent(&hub).matches("-32700").count(), connection.unanswered()), (2, 0));
    }
}

/// A peer that sends the same text forever.
struct Flood<'t> {
    text: &'t [u8],
    at: usize,
    reads: u32,
}

impl ErrorType for Flood<'_> {
    type Error = PipeError;
}

impl embedded_io_async::Read for Flood<'_> {
    async fn read(&mut self, bytes: &mut [u8]) -> Result<usize, PipeError> {
        self.reads += 1;
        assert!(self.reads < LONG, "reads without end");
        bytes.fill_with(|| {
            self.at += 1;
            self.text[(self.at - 1) % self.text.len()]
        });
        Ok(bytes.len())
    }
}

#[test]
fn a_peer_that_sends_without_a_pause_does_not_hold_back_a_deadline() {
    let text = b"{\"jsonrpc\":\"2.0\",\"method\":\"tick\"}\n";
    let (mut sent, mut server, mut context) = ([0; 128], server(), Gate::default());
    let mut writer = &mut sent[..];
    let (mut framer, mut output) = (Framer::<Lines, 256>::new(), [0; 256]);
    let mut connection = Connection::new(Flood { text, at: 0, reads: 0 }, &mut writer, &mut framer, &mut output);
    let mut peer = connection.peer_async(&mut server, &mut context).until_async(|| ready(()));
    let call = peer.call_async::<u8>("m", &());
    assert!(matches!(poll(pin!(call)), Poll::Ready(Err(CallError::Late))));
}

#[test]
fn an_answer_that_is_read_when_the_deadline_passes_counts() {
    let mut pipe: Pipe<1024> = Pipe::new();
    let (device, hub) = pipe.ends();
    hub.try_write(format!("{{\"jsonrpc\":\"2.0\",\"result\":3,\"id\":{}}}\n", 1u64 << 52).as_bytes()).unwrap();
    let (mut server, mut context) = (server(), Gate::default());
    let (mut framer, mut output) = (Framer::<Lines, 256>::new(), [0; 256]);
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let mut peer = connection.peer_async(&mut server, &mut context).until_async(|| ready(()));
    let call = peer.call_async::<u8>("m", &());
    assert!(matches!(poll(pin!(call)), Poll::Ready(Ok(3))));
}

/// Logs for each write whether it is an answer or a queued message, and drops the bytes.
struct Sink<'c>(&'c RefCell<Vec<&'static str>>);

impl ErrorType for Sink<'_> {
    type Error = PipeError;
}

impl embedded_io_async::Write for Sink<'_> {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, PipeError> {
        let is_answer = bytes.windows(6).any(|word| word == b"result");
        self.0.borrow_mut().push(if is_answer { "answer" } else { "queued" });
        Ok(bytes.len())
    }

    async fn flush(&mut self) -> Result<(), PipeError> {
        Ok(())
    }
}

#[test]
fn a_queue_that_always_has_a_message_holds_back_nothing() {
    let mut pipe: Pipe<1024> = Pipe::new();
    let (device, hub) = pipe.ends();
    hub.try_write(&[WAIT, WAIT].concat()).unwrap();
    let (log, gate) = (RefCell::new(Vec::new()), Gate::default());
    gate.set(true);
    let (mut framer, mut output, mut server, mut context) =
        (Framer::<Lines, 256>::new(), [0; 256], server(), gate.clone());
    let mut connection = Connection::new(&device, Sink(&log), &mut framer, &mut output);
    let queue = async |out: &mut Writer<'_>| {
        assert!(log.borrow().len() < LONG as usize, "the queue has every turn");
        out.message(&Notification::<64>::new("news"))
    };
    // stops after both calls were read
    let stop = poll_fn(|_| if log.borrow().contains(&"answer") { Poll::Ready(()) } else { Poll::Pending });
    let serving = connection.concurrent::<2, 128, 256>().queued_by(queue).until(stop);
    assert!(matches!(poll(pin!(serving.serve(&mut server, &mut context))), Poll::Ready(Ok(()))));
    let log = log.borrow();
    assert_eq!(log.iter().filter(|kind| **kind == "answer").count(), 2);
    // before each of four steps 64 messages of the queue: a look into the empty framer, a read, the first call, its answer
    assert_eq!(log.iter().position(|kind| *kind == "answer"), Some(64 * 4));
}

#[cfg(feature = "websocket")]
#[test]
fn nothing_is_taken_from_the_queue_behind_a_close() {
    use crate::websocket::ToClient;
    use nanojsonrpc::frame::{Frame, WebSocket};

    let mut pipe: Pipe<1024> = Pipe::new();
    let (device, hub) = pipe.ends();
    let mut frame = [0; 128];
    let len = ToClient::encode(&WAIT[..WAIT.len() - 1], &mut frame).unwrap();
    hub.try_write(&frame[..len]).unwrap();
    let len = ToClient::close(1000, "", &mut frame).unwrap();
    hub.try_write(&frame[..len]).unwrap();
    let (news, gate) = (Cell::new(0), Gate::default());
    let (mut framer, mut output, mut server, mut context) =
        (Framer::<WebSocket, 256>::new(), [0; 256], server(), gate.clone());
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let queue = async |out: &mut Writer<'_>| {
        if news.get() == 0 {
            core::future::pending::<()>().await;
        }
        news.set(news.get() - 1);
        out.message(&Notification::<64>::new("news"))
    };
    let mut serving = pin!(connection.concurrent::<2, 128, 256>().queued_by(queue).serve(&mut server, &mut context));
    assert!(poll(serving.as_mut()).is_pending());
    news.set(3);
    assert!(poll(serving.as_mut()).is_pending());
    gate.set(true);
    assert!(matches!(poll(serving.as_mut()), Poll::Ready(Ok(()))));
    assert_eq!(news.get(), 3);
    // the close is answered, and nothing follows
    let mut bytes = [0; 64];
    assert_eq!(hub.try_read(&mut bytes), Ok(4));
}

/// The size of a future that serves eight handlers at a time.
fn size<const MESSAGE: usize, const ANSWER: usize>() -> usize {
    let mut pipe: Pipe<64> = Pipe::new();
    let (device, _) = pipe.ends();
    let (mut framer, mut output, mut server, mut context) =
        (Framer::<Lines, 128>::new(), [0; 128], server(), Gate::default());
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    size_of_val(&connection.concurrent::<8, MESSAGE, ANSWER>().serve(&mut server, &mut context))
}

#[test]
fn a_serving_future_holds_the_documented_number_of_messages_and_answers() {
    let small = size::<1024, 1024>();
    assert_eq!((size::<2048, 1024>() - small) / 1024, 8);
    assert_eq!((size::<1024, 2048>() - small) / 1024, 9);
}

#[test]
fn a_queue_is_sent_to_its_end_while_nothing_else_happens() {
    const ALL: usize = 200;
    let mut pipe: Pipe<64> = Pipe::new();
    let (device, _hub) = pipe.ends();
    let (log, mut context) = (RefCell::new(Vec::new()), Gate::default());
    let (mut framer, mut output, mut server) = (Framer::<Lines, 256>::new(), [0; 256], server());
    let mut connection = Connection::new(&device, Sink(&log), &mut framer, &mut output);
    let queue = async |out: &mut Writer<'_>| {
        poll_fn(|_| if log.borrow().len() < ALL { Poll::Ready(()) } else { Poll::Pending }).await;
        out.message(&Notification::<64>::new("news"))
    };
    let serving = connection.concurrent::<1, 128, 128>().queued_by(queue);
    assert!(poll(pin!(serving.serve(&mut server, &mut context))).is_pending());
    assert_eq!(log.borrow().len(), ALL);
}
