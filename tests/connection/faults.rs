//! Faults of a stream: it interrupts, takes few bytes, breaks in the middle of a message; and a peer that cannot
//! read the answers.
#![cfg(feature = "embedded-io-async")]

use core::cell::Cell;
use core::pin::pin;
use core::task::Poll;

use embedded_io::{ErrorKind, ErrorType, Write};
use nanojsonrpc::connection::{Connection, ConnectionError, serve, serve_async};
use nanojsonrpc::frame::{ContentLength, Events, Frame, Framer, Lines, Values};
use nanojsonrpc::memory::{Pipe, PipeEnd, PipeError, Plan};
use nanojsonrpc::server::{Event, MIN_ANSWER_LEN};
use nanojsonrpc::{Dialect, ErrorObject, Notification, Router, Server};

use crate::tasks::{poll, run};

const PIPE: usize = 4096;
const BUFFER: usize = 256;

type Ended = Result<(), ConnectionError<PipeError, PipeError>>;

fn count(called: &mut u32) -> Result<u32, ErrorObject<'static>> {
    *called += 1;
    Ok(*called)
}

macro_rules! server {
    () => {
        Server::new(Router::new().request("count", count))
    };
}

fn call(id: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"count","id":{id}}}"#)
}

fn answer(id: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","result":{id},"id":{id}}}"#)
}

fn framed<F: Frame>(text: &str) -> Vec<u8> {
    let mut out = vec![0; text.len() + 64];
    let len = F::encode(text.as_bytes(), &mut out).unwrap();
    out.truncate(len);
    out
}

fn stream<F: Frame>(texts: &[String]) -> Vec<u8> {
    texts.iter().flat_map(|text| framed::<F>(text)).collect()
}

/// All that has arrived at this end.
fn arrived(end: &PipeEnd<'_, PIPE>) -> Vec<u8> {
    let mut bytes = vec![0; PIPE];
    let len = match end.try_read(&mut bytes) {
        Ok(len) => len,
        Err(PipeError::WouldBlock) => 0,
        Err(error) => panic!("{error}"),
    };
    bytes.truncate(len);
    bytes
}

with_every_frame! {
    two_peers_that_cannot_read_each_other_fall_silent
    two_peers_with_short_texts_fall_silent
    of_texts_that_cannot_be_read_the_first_in_a_row_is_answered
    interruptions_and_short_writes_change_nothing
    nothing_follows_a_message_that_was_sent_in_part
    a_framer_goes_from_stream_to_stream
    a_connection_goes_from_stream_to_stream
    a_dropped_answer_breaks_the_output
    a_line_goes_on_after_a_part_of_a_message
    an_answer_that_is_not_sent_is_an_event
    a_part_of_a_message_is_not_ended_by_a_failed_write
    a_reset_counts_the_messages_that_it_drops
}

// --- peers that cannot read each other ---

/// A writer that counts messages, one for each write.
struct Counted<'e, 'p> {
    end: &'e PipeEnd<'p, PIPE>,
    messages: &'e Cell<u32>,
}

impl ErrorType for Counted<'_, '_> {
    type Error = PipeError;
}

impl Write for Counted<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, PipeError> {
        self.messages.set(self.messages.get() + 1);
        self.end.try_write(bytes)
    }

    fn flush(&mut self) -> Result<(), PipeError> {
        Ok(())
    }
}

impl embedded_io_async::Write for Counted<'_, '_> {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, PipeError> {
        Write::write(self, bytes)
    }

    async fn flush(&mut self) -> Result<(), PipeError> {
        Ok(())
    }
}

/// One side: reads and answers all that has arrived.
type Step<'s> = &'s mut dyn FnMut();

/// Runs the rest with a peer at `end` whose framer has `N` bytes.
type WithPeer = fn(&PipeEnd<'_, PIPE>, &Cell<u32>, Dialect, bool, &mut dyn FnMut(Step<'_>));

fn with_peer<F: Frame, const N: usize>(
    end: &PipeEnd<'_, PIPE>,
    messages: &Cell<u32>,
    dialect: Dialect,
    is_async: bool,
    rest: &mut dyn FnMut(Step<'_>),
) {
    let (mut framer, mut output) = (Framer::<F, N>::new(), [0; 256]);
    let mut server = server!().with_dialect(dialect);
    let mut connection = Connection::new(end, Counted { end, messages }, &mut framer, &mut output);
    rest(&mut || {
        loop {
            if is_async {
                match poll(pin!(connection.read_async())) {
                    Poll::Pending => return,
                    Poll::Ready(read) => assert_eq!(read, Ok(true)),
                }
                run(connection.answer_async(&mut server, &mut 0)).unwrap();
            } else {
                match connection.read() {
                    Err(ConnectionError::Read(PipeError::WouldBlock)) => return,
                    read => assert_eq!(read, Ok(true)),
                }
                connection.answer(&mut server, &mut 0).unwrap();
            }
        }
    });
}

/// How many messages two peers send after these bytes were sent by each of them.
fn talk(there: &[u8], back: &[u8], peers: [(WithPeer, Dialect); 2], is_async: bool) -> u32 {
    let mut pipe: Pipe<PIPE> = Pipe::new();
    let (one, other) = pipe.ends();
    assert_eq!((one.try_write(there), other.try_write(back)), (Ok(there.len()), Ok(back.len())));
    let messages = Cell::new(0);
    let [(with_one, its_dialect), (with_other, other_dialect)] = peers;
    with_one(&one, &messages, its_dialect, is_async, &mut |one| {
        with_other(&other, &messages, other_dialect, is_async, &mut |other| {
            for _ in 0..50 {
                let before = messages.get();
                one();
                other();
                if messages.get() == before {
                    return;
                }
            }
            panic!("{} messages, and no end", messages.get());
        });
    });
    messages.get()
}

/// A notification that is longer than every buffer here.
fn long() -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"note","params":["{}"]}}"#, "x".repeat(300))
}

fn two_peers_that_cannot_read_each_other_fall_silent<F: Frame>() {
    macro_rules! peers {
        ($($size:literal)*) => { [$(with_peer::<F, $size>),*] };
    }
    let peers: [WithPeer; 14] = peers!(1 2 16 40 63 64 65 78 79 95 96 97 98 128);
    let long = framed::<F>(&long());
    for one in peers {
        for other in peers {
            let both = [(one, Dialect::JSON_RPC), (other, Dialect::JSON_RPC)];
            for is_async in [false, true] {
                assert!(talk(&long, b"", both, is_async) <= 2);
                assert!(talk(&long.repeat(2), &long.repeat(3), both, is_async) <= 7);
            }
        }
    }
}

fn two_peers_with_short_texts_fall_silent<F: Frame>() {
    let long = framed::<F>(&long());
    let step = if cfg!(miri) { 40 } else { 3 };
    for one in (0..130).step_by(step) {
        for other in (0..130).step_by(step) {
            let both = [one, other].map(|len| (with_peer::<F, 512> as WithPeer, Dialect::JSON_RPC.with_max_len(len)));
            for is_async in [false, true] {
                assert!(talk(&long, b"", both, is_async) <= 2, "{one}, {other}");
                assert!(talk(&long.repeat(2), &long.repeat(3), both, is_async) <= 7, "{one}, {other}");
            }
        }
    }
}

fn of_texts_that_cannot_be_read_the_first_in_a_row_is_answered<F: Frame>() {
    let refused =
        |id: &str| format!(r#"{{"jsonrpc":"2.0","error":{{"code":-32600,"message":"Invalid Request"}},"id":{id}}}"#);
    let malformed_response = r#"{"jsonrpc":"2.0","result":1,"error":1,"id":9}"#.to_string();
    let incoming = stream::<F>(&[
        "{}".into(),
        "[7]".into(),
        malformed_response.clone(),
        "7".into(),
        call(1),
        "{}".into(),
        malformed_response,
        "{}".into(),
        r#"{"jsonrpc":"2.0","method":1,"id":2}"#.into(),
        "[1,2]".into(),
        format!("[3,{}]", call(2)),
        "{}".into(),
    ]);
    let expected = [
        refused("null"),
        answer(1),
        refused("null"),
        refused("2"),
        format!("[{0},{0}]", refused("null")),
        format!("[{},{}]", refused("null"), answer(2)),
        refused("null"),
    ];
    for is_async in [false, true] {
        let mut pipe: Pipe<PIPE> = Pipe::new();
        let (device, hub) = pipe.ends();
        assert_eq!(hub.try_write(&incoming), Ok(incoming.len()));
        hub.close();
        let (mut framer, mut output, mut server) = (Framer::<F, BUFFER>::new(), [0; 512], server!());
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
        if is_async {
            run(connection.serve_async(&mut server, &mut 0)).unwrap();
        } else {
            connection.serve(&mut server, &mut 0).unwrap();
        }
        assert_eq!(connection.unanswered(), 3);
        let expected = stream::<F>(&expected).escape_ascii().to_string();
        assert_eq!(arrived(&hub).escape_ascii().to_string(), expected);
    }
}

// --- faults of the stream ---

/// Serves with a framer that already has the whole stream.
fn serve_either<F: Frame>(
    device: &PipeEnd<'_, PIPE>,
    framer: &mut Framer<F, BUFFER>,
    called: &mut u32,
    is_async: bool,
) -> Ended {
    let (mut output, mut server) = ([0; 256], server!());
    if is_async {
        run(serve_async(device, device, framer, &mut output, &mut server, called))
    } else {
        serve(device, device, framer, &mut output, &mut server, called)
    }
}

fn interruptions_and_short_writes_change_nothing<F: Frame>() {
    let incoming = stream::<F>(&[call(1), call(2), call(3)]);
    let expected = stream::<F>(&[answer(1), answer(2), answer(3)]).escape_ascii().to_string();
    for is_async in [false, true] {
        for tries in 2..8 {
            for size in (1..50).step_by(if cfg!(miri) { 20 } else { 1 }) {
                let mut pipe: Pipe<PIPE> = Pipe::new();
                let (device, hub) = pipe.ends();
                let plan = Plan::in_chunks(size).interrupt_every(tries);
                let device = device.reading(plan).writing(plan);
                assert_eq!(hub.try_write(&incoming), Ok(incoming.len()));
                hub.close();
                let (mut framer, mut called) = (Framer::<F, BUFFER>::new(), 0);
                let outcome = serve_either(&device, &mut framer, &mut called, is_async);
                assert_eq!((outcome, called), (Ok(()), 3), "{tries} tries, {size} bytes");
                assert_eq!(arrived(&hub).escape_ascii().to_string(), expected, "{tries} tries, {size} bytes");
            }
        }
    }
}

/// The rest of a message, of a message that is too long, and of an answer does not reach the next stream.
fn a_framer_goes_from_stream_to_stream<F: Frame>() {
    let long = framed::<F>(&format!("[\"{}\"]", "x".repeat(BUFFER)));
    let incoming = [stream::<F>(&[call(1), call(2)]), long, stream::<F>(&[call(3)])].concat();
    let fresh = stream::<F>(&[call(1), call(2)]);
    let expected = stream::<F>(&[answer(1), answer(2)]).escape_ascii().to_string();
    for is_async in [false, true] {
        for place in (0..=incoming.len()).step_by(if cfg!(miri) { 37 } else { 1 }) {
            let plan = Plan::in_chunks(50);
            // ended, broken in reading, broken in writing
            for (reading, writing) in
                [(plan.cut_at(place), plan), (plan.fail_at(place), plan), (plan, plan.fail_at(place.min(40)))]
            {
                let (mut framer, mut called) = (Framer::<F, BUFFER>::new(), 0);
                let mut pipe: Pipe<PIPE> = Pipe::new();
                let (device, hub) = pipe.ends();
                let device = device.reading(reading).writing(writing);
                assert_eq!(hub.try_write(&incoming), Ok(incoming.len()));
                hub.close();
                if serve_either(&device, &mut framer, &mut called, is_async).is_err() {
                    framer.clear();
                }
                let mut pipe: Pipe<PIPE> = Pipe::new();
                let (device, hub) = pipe.ends();
                assert_eq!(hub.try_write(&fresh), Ok(fresh.len()));
                hub.close();
                assert_eq!(serve_either(&device, &mut framer, &mut 0, is_async), Ok(()), "{place}");
                assert_eq!(arrived(&hub).escape_ascii().to_string(), expected, "{place}");
            }
        }
    }
}

/// After a reset, a connection whose stream has ended is at the front of the next stream, also with unread messages.
fn a_connection_goes_from_stream_to_stream<F: Frame>() {
    let incoming = stream::<F>(&[call(1), call(2)]);
    for place in 0..=incoming.len() {
        let mut pipe: Pipe<PIPE> = Pipe::new();
        let (device, hub) = pipe.ends();
        hub.try_write(&incoming[..place]).unwrap();
        hub.try_write(&incoming).unwrap();
        let device = device.reading(Plan::in_chunks(place.max(1)));
        let (mut framer, mut output, mut called) = (Framer::<F, BUFFER>::new(), [0; 256], 0);
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
        if place > 0 {
            assert_eq!(connection.read(), Ok(true));
        }
        connection.reset();
        while device.is_readable() {
            assert_eq!(connection.read(), Ok(true));
            connection.answer(&mut server!(), &mut called).unwrap();
        }
        assert_eq!(arrived(&hub), stream::<F>(&[answer(1), answer(2)]), "{place}");
    }
}

fn nothing_follows_a_message_that_was_sent_in_part<F: Frame>() {
    let incoming = stream::<F>(&[call(1), call(2), call(3)]);
    let frames = [1, 2, 3].map(|id| framed::<F>(&answer(id)));
    let all = frames.concat();
    let starts = [0, frames[0].len(), frames[0].len() + frames[1].len()];
    for is_async in [false, true] {
        for place in (0..all.len()).step_by(if cfg!(miri) { 11 } else { 1 }) {
            let mut pipe: Pipe<PIPE> = Pipe::new();
            let (device, hub) = pipe.ends();
            let device = device.writing(Plan::in_chunks(7).interrupt_every(3).fail_once_at(place));
            assert_eq!(hub.try_write(&incoming), Ok(incoming.len()));
            let (mut framer, mut called) = (Framer::<F, BUFFER>::new(), 0);
            let outcome = serve_either(&device, &mut framer, &mut called, is_async);
            assert_eq!(outcome, Err(ConnectionError::Write(PipeError::Fault)), "{place}");
            let sent = arrived(&hub);
            assert_eq!(sent, all[..place]);
            hub.close();
            let calls = called;
            let outcome = serve_either(&device, &mut framer, &mut called, is_async);
            if let Some(lost) = starts.iter().position(|start| *start == place) {
                // between two messages the stream continues; the program gets the error of the missing one
                assert_eq!((outcome, called), (Ok(()), 3), "{place}");
                assert_eq!(arrived(&hub), frames[lost + 1..].concat(), "{place}");
                continue;
            }
            // no handler is called for an answer that could not be sent
            assert_eq!((outcome, called), (Err(ConnectionError::OutputBroken), calls), "{place}");
            let mut output = [0; 256];
            let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
            let note = Notification::new("note");
            let refused = if is_async { run(connection.send_async(&note)) } else { connection.send(&note) };
            assert_eq!(refused, Err(ConnectionError::OutputBroken), "{place}");
            let text = br#"{"jsonrpc":"2.0","method":"note"}"#;
            let refused = if is_async { run(connection.send_text_async(text)) } else { connection.send_text(text) };
            assert_eq!(refused, Err(ConnectionError::OutputBroken), "{place}");
            assert_eq!(arrived(&hub), b"", "{place}");
            connection.reset();
            connection.send(&note).unwrap();
            assert_eq!(arrived(&hub), framed::<F>(str::from_utf8(text).unwrap()), "{place}");
        }
    }
}

/// A writer that accepts a few bytes at a time and, once, none.
struct Reluctant {
    taken: Vec<u8>,
    refuses_at: Option<usize>,
}

impl ErrorType for Reluctant {
    type Error = ErrorKind;
}

impl Write for Reluctant {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        if self.refuses_at == Some(self.taken.len()) {
            self.refuses_at = None;
            return Ok(0);
        }
        let until = self.refuses_at.map_or(usize::MAX, |at| at - self.taken.len());
        let len = bytes.len().min(3).min(until);
        self.taken.extend_from_slice(&bytes[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> Result<(), ErrorKind> {
        Ok(())
    }
}

#[test]
fn a_writer_that_takes_nothing_breaks_the_output_only_inside_a_message() {
    let whole = framed::<Lines>(r#"{"jsonrpc":"2.0","method":"note"}"#);
    for place in 0..whole.len() {
        let mut writer = Reluctant { taken: Vec::new(), refuses_at: Some(place) };
        let (mut framer, mut output) = (Framer::<Lines, BUFFER>::new(), [0; 128]);
        let mut connection = Connection::new(&b""[..], &mut writer, &mut framer, &mut output);
        let note = Notification::new("note");
        assert!(matches!(connection.send(&note), Err(ConnectionError::WriteZero)));
        let again = connection.send(&note);
        if place == 0 {
            assert_eq!((again.is_ok(), &writer.taken), (true, &whole));
        } else {
            assert!(matches!(again, Err(ConnectionError::OutputBroken)), "{place}");
            assert_eq!(writer.taken, whole[..place]);
        }
    }
}

fn a_dropped_answer_breaks_the_output<F: Frame>() {
    let mut pipe: Pipe<PIPE> = Pipe::new();
    let (device, hub) = pipe.ends();
    assert!(hub.try_write(&framed::<F>(&call(1))).is_ok());
    // so that only a part of the answer has room
    let filler = vec![b' '; PIPE - 10];
    assert_eq!(device.try_write(&filler), Ok(filler.len()));
    let (mut framer, mut output, mut server, mut called) = (Framer::<F, BUFFER>::new(), [0; 256], server!(), 0);
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    connection.read().unwrap();
    assert!(poll(pin!(connection.answer_async(&mut server, &mut called))).is_pending());
    assert_eq!((called, arrived(&hub).len()), (1, PIPE));
    assert_eq!(connection.send(&Notification::new("note")), Err(ConnectionError::OutputBroken));
    connection.reset();
    connection.send(&Notification::new("note")).unwrap();
    assert_eq!(arrived(&hub), framed::<F>(r#"{"jsonrpc":"2.0","method":"note"}"#));
}

/// A serial line has no new stream: after a write error the frame of the part is ended, and the messages that have arrived are answered.
fn a_line_goes_on_after_a_part_of_a_message<F: Frame>() {
    let incoming = stream::<F>(&[call(1), call(2), call(3)]);
    let frames = [1, 2, 3].map(|id| framed::<F>(&answer(id)));
    for is_async in [false, true] {
        for place in (1..frames[0].len()).step_by(if cfg!(miri) { 11 } else { 1 }) {
            let mut pipe: Pipe<PIPE> = Pipe::new();
            let (device, hub) = pipe.ends();
            let device = device.writing(Plan::in_chunks(7).interrupt_every(3).fail_once_at(place));
            assert_eq!(hub.try_write(&incoming), Ok(incoming.len()));
            let (mut framer, mut output, mut server, mut called) = (Framer::<F, BUFFER>::new(), [0; 256], server!(), 0);
            let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
            assert_eq!(connection.read(), Ok(true));
            let broken = connection.answer(&mut server, &mut called);
            assert_eq!(broken, Err(ConnectionError::Write(PipeError::Fault)), "{place}");
            let resumed = if is_async { run(connection.resume_output_async()) } else { connection.resume_output() };
            if F::tail().is_empty() {
                assert_eq!(resumed, Err(ConnectionError::OutputBroken), "{place}");
                assert_eq!(connection.send(&Notification::new("note")), Err(ConnectionError::OutputBroken));
                assert_eq!(arrived(&hub), &frames[0][..place], "{place}");
                continue;
            }
            assert_eq!(resumed, Ok(()), "{place}");
            // nothing is left to end
            assert_eq!(connection.resume_output(), Ok(()));
            assert_eq!(connection.answer(&mut server, &mut called), Ok(()), "{place}");
            let expected = [&frames[0][..place], F::tail(), &frames[1], &frames[2]].concat();
            assert_eq!((called, arrived(&hub)), (3, expected), "{place}");
        }
    }
}

/// The handlers have run when the stream fails, so the observer receives the messages whose answers are lost.
fn an_answer_that_is_not_sent_is_an_event<F: Frame>() {
    let batch = format!("[{},{}]", call(2), call(3));
    let incoming = stream::<F>(&[call(1), batch.clone(), call(4)]);
    let first = framed::<F>(&answer(1)).len();
    for is_async in [false, true] {
        // before the first byte of an answer, and inside it
        for (place, lost) in [(0, &call(1)), (5, &call(1)), (first, &batch), (first + 9, &batch)] {
            let mut pipe: Pipe<PIPE> = Pipe::new();
            let (device, hub) = pipe.ends();
            let device = device.writing(Plan::WHOLE.fail_once_at(place));
            assert_eq!(hub.try_write(&incoming), Ok(incoming.len()));
            let mut server =
                Server::new(Router::new().request("count", |(called, _): &mut (u32, Vec<String>)| count(called)))
                    .observed_by(|(_, log): &mut (u32, Vec<String>), event: Event<'_>| match event {
                        Event::AnswerUnsent(text) => log.push(String::from_utf8(text.to_vec()).unwrap()),
                        other => log.push(other.to_string()),
                    });
            let (mut framer, mut output, mut context) = (Framer::<F, BUFFER>::new(), [0; 256], (0, Vec::new()));
            let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
            assert_eq!(connection.read(), Ok(true));
            let answered = match is_async {
                true => run(connection.answer_async(&mut server, &mut context)),
                false => connection.answer(&mut server, &mut context),
            };
            assert_eq!(answered, Err(ConnectionError::Write(PipeError::Fault)), "{place}");
            assert_eq!(context.1, [lost.trim()], "{place}");
        }
    }
}

fn a_part_of_a_message_is_not_ended_by_a_failed_write<F: Frame>() {
    for is_async in [false, true] {
        let mut pipe: Pipe<PIPE> = Pipe::new();
        let (device, hub) = pipe.ends();
        let device = device.writing(Plan::WHOLE.fail_at(5));
        let (mut framer, mut output) = (Framer::<F, BUFFER>::new(), [0; 256]);
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
        let note = Notification::new("note");
        assert_eq!(connection.send(&note), Err(ConnectionError::Write(PipeError::Fault)));
        let resumed = if is_async { run(connection.resume_output_async()) } else { connection.resume_output() };
        let expected =
            if F::tail().is_empty() { ConnectionError::OutputBroken } else { ConnectionError::Write(PipeError::Fault) };
        assert_eq!(resumed, Err(expected));
        assert_eq!(connection.send(&note), Err(ConnectionError::OutputBroken));
        assert_eq!(arrived(&hub), &framed::<F>(r#"{"jsonrpc":"2.0","method":"note"}"#)[..5]);
    }
}

fn a_reset_counts_the_messages_that_it_drops<F: Frame>() {
    let incoming = stream::<F>(&[call(1), call(2), call(3)]);
    for len in 0..=incoming.len() {
        let mut pipe: Pipe<PIPE> = Pipe::new();
        let (device, hub) = pipe.ends();
        hub.try_write(&incoming[..len]).unwrap();
        let (mut framer, mut output) = (Framer::<F, BUFFER>::new(), [0; 256]);
        let mut whole = Framer::<F, BUFFER>::new();
        whole.push(&incoming[..len]);
        let mut expected = 0;
        while whole.next().is_some() {
            expected += 1;
        }
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
        if len > 0 {
            assert_eq!(connection.read(), Ok(true));
        }
        assert_eq!((connection.reset(), connection.reset()), (expected, 0), "{len}");
    }
}

/// Neither a fault nor a message of the frame itself is a message that a reset drops.
#[cfg(feature = "websocket")]
#[test]
fn a_reset_counts_only_messages_of_json() {
    use nanojsonrpc::frame::WebSocket;

    fn dropped<F: Frame>(incoming: &[u8]) -> usize {
        let mut pipe: Pipe<PIPE> = Pipe::new();
        let (device, hub) = pipe.ends();
        hub.try_write(incoming).unwrap();
        let (mut framer, mut output) = (Framer::<F, BUFFER>::new(), [0; 256]);
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
        assert_eq!(connection.read(), Ok(true));
        connection.reset()
    }

    // masked with zeros: a ping, a text, a text that is not masked
    let (ping, text, fault) = (&b"\x89\x80\0\0\0\0"[..], &b"\x81\x81\0\0\0\x001"[..], &b"\x81\x011"[..]);
    assert_eq!(dropped::<WebSocket>(&[ping, text, ping, text].concat()), 2);
    assert_eq!(dropped::<WebSocket>(ping), 0);
    assert_eq!(dropped::<WebSocket>(&[text, fault].concat()), 1);
    assert_eq!(dropped::<ContentLength>(b"Content-Length: 1\r\n\r\n1Content-Length: x\r\n\r\n"), 1);
}

/// The smallest output of `serve` with which a call is answered, by its documentation.
#[test]
fn a_call_is_served_exactly_if_the_documented_output_is_there() {
    fn served<F: Frame>(room: usize) -> (u32, u32) {
        let mut pipe: Pipe<PIPE> = Pipe::new();
        let (device, hub) = pipe.ends();
        assert!(hub.try_write(&framed::<F>(&call(7))).is_ok());
        hub.close();
        let (mut framer, mut output, mut called, mut refused) = (Framer::<F, BUFFER>::new(), vec![0; room], 0, 0);
        let observe = |_: &mut u32, event: Event<'_>| refused += u32::from(event == Event::NoRoom);
        let mut server = server!().observed_by(observe);
        serve(&device, &device, &mut framer, &mut output, &mut server, &mut called).unwrap();
        (called, refused)
    }
    fn check<F: Frame>() {
        let least = 40 + F::tail().len() + MIN_ANSWER_LEN + "7".len();
        assert_eq!((served::<F>(least), served::<F>(least - 1)), ((1, 0), (0, 1)));
    }
    check::<Lines>();
    check::<ContentLength>();
    check::<Events>();
    check::<Values>();
}

#[test]
fn the_writer_of_a_connection_can_be_reached() {
    let (note, mut sent) = (Notification::new("note"), [0; 64]);
    let (mut framer, mut output) = (Framer::<Lines, BUFFER>::new(), [0; 256]);
    let mut connection = Connection::new(&b""[..], &mut sent[..], &mut framer, &mut output);
    connection.send(&note).unwrap();
    assert_eq!(connection.writer_mut().len(), 64 - framed::<Lines>(r#"{"jsonrpc":"2.0","method":"note"}"#).len());
}

/// A stream of a web page, of TLS or of SSH is answered once, whatever it holds, and is over before it ends.
#[test]
fn a_stream_that_begins_as_another_protocol_gets_one_error() {
    fn answered<F: Frame>(front: &[u8]) -> (String, u32) {
        let (pipe, mut called) = (&mut Pipe::<PIPE>::new(), 0);
        let (device, hub) = pipe.ends();
        let body = [b"\r\n\r\n", &framed::<F>(&call(1))[..], b"\n", &framed::<F>(&call(2))].concat();
        hub.try_write(&[front, &body].concat()).unwrap();
        let (mut framer, mut output) = (Framer::<F, BUFFER>::new(), [0; BUFFER]);
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
        assert_eq!(connection.serve(&mut server!(), &mut called), Ok(()));
        assert_eq!(connection.send(&Notification::new("awake")), Err(ConnectionError::OutputBroken));
        (String::from_utf8(arrived(&hub)).unwrap(), called)
    }

    let error = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#;
    for front in [
        &b"POST / HTTP/1.1\r\nHost: localhost"[..],
        b"\x16\x03\x01\0\xA5",
        b"SSH-2.0-OpenSSH_9.6",
        b"GET /chat HTTP/1.1\r\nUpgrade: websocket",
    ] {
        assert_eq!(answered::<Lines>(front), (error.to_string() + "\n", 0));
        assert_eq!(answered::<Values>(front), (error.to_string() + "\n", 0));
        assert_eq!(answered::<ContentLength>(front), (String::from_utf8(framed::<ContentLength>(error)).unwrap(), 0));
    }
    // so does a stream of values that has lost its place
    assert_eq!(answered::<Values>(format!("{{'a'}}{}", call(3)).as_bytes()), (error.to_string() + "\n", 0));
}
