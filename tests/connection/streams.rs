//! A server on a stream of bytes: any frame, any chunks, any fault, blocking or not.
#![cfg(all(feature = "embedded-io", feature = "serde"))]

use embedded_io::{ErrorKind, ErrorType, Read, Write};
use nanojsonrpc::connection::{Connection, ConnectionError, serve};
use nanojsonrpc::frame::{ContentLength, Events, Frame, FrameErrorKind, Framer, Lines, Values};
use nanojsonrpc::memory::{Pipe, PipeError, Plan};
use nanojsonrpc::server::{Replied, Reply};
use nanojsonrpc::{Client, Notification, Params, Response, Router, Server, Writer};

const PIPE: usize = 4096;
const BUFFER: usize = 256;

fn echo(_: &mut Vec<String>, params: Params<'_>, reply: Reply<'_>) -> Replied {
    reply.success(&params)
}

macro_rules! echo_server {
    () => {
        Server::new(
            Router::new()
                .request("echo", echo)
                .request("subtract", |_: &mut Vec<String>, (a, b): (i64, i64)| Ok(a - b))
                .notification("note", |heard: &mut Vec<String>, (text,): (String,)| heard.push(text)),
        )
    };
}

fn subtract(id: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"subtract","params":[{id},1],"id":{id}}}"#)
}

fn difference(id: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","result":{},"id":{id}}}"#, id - 1)
}

fn error(code: i32, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code},"message":"{message}"}},"id":null}}"#)
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

/// The messages in a stream, each whole, with nothing between them.
fn unframed<F: Frame>(stream: &[u8]) -> Vec<String> {
    let mut framer = Framer::<F, PIPE>::new();
    assert_eq!(framer.push(stream), stream.len());
    let mut texts = Vec::new();
    while let Some(item) = framer.next() {
        texts.push(String::from_utf8(item.expect("a whole message").as_ref().to_vec()).unwrap());
    }
    // a number would be left, which no answer is
    assert!(framer.finish().is_none());
    assert_eq!(stream.escape_ascii().to_string(), self::stream::<F>(&texts).escape_ascii().to_string());
    texts
}

/// The bytes sent, the notifications received, and the result of the connection.
type Served = (Vec<u8>, Vec<String>, Result<(), ConnectionError<PipeError, PipeError>>);

/// A server that reads and writes by these plans.
fn served<F: Frame, const N: usize>(incoming: &[u8], reading: Plan, writing: Plan) -> Served {
    let mut pipe: Pipe<PIPE> = Pipe::new();
    let (device, hub) = pipe.ends();
    let device = device.reading(reading).writing(writing);
    assert_eq!(hub.try_write(incoming), Ok(incoming.len()));
    hub.close();
    let (mut framer, mut output, mut heard) = (Framer::<F, N>::new(), [0; 512], Vec::new());
    let outcome = serve(&device, &device, &mut framer, &mut output, &mut echo_server!(), &mut heard);
    drop(device);
    let mut sent = vec![0; PIPE];
    let len = hub.try_read(&mut sent).unwrap();
    sent.truncate(len);
    (sent, heard, outcome)
}

/// The texts that are sent back, for chunks of every size.
fn answers<F: Frame>(incoming: &[u8]) -> Vec<String> {
    let (whole, heard, outcome) = served::<F, BUFFER>(incoming, Plan::WHOLE, Plan::WHOLE);
    assert_eq!(outcome, Ok(()));
    for size in (1..40).step_by(if cfg!(miri) { 39 } else { 1 }) {
        for (reading, writing) in [
            (Plan::in_chunks(size), Plan::in_chunks(size)),
            (Plan::in_random_chunks(size as u32, 90), Plan::in_random_chunks(!(size as u32), 30)),
        ] {
            let (sent, heard_too, outcome) = served::<F, BUFFER>(incoming, reading, writing);
            assert_eq!(
                (sent.escape_ascii().to_string(), outcome),
                (whole.escape_ascii().to_string(), Ok(())),
                "{size}"
            );
            assert_eq!(heard_too, heard, "{size}");
        }
    }
    unframed::<F>(&whole)
}

with_every_frame! {
    every_call_is_answered_in_its_frame
    a_message_too_long_is_answered_and_the_next_one_too
    the_end_of_the_stream_inside_a_message_is_answered
    line_breaks_between_tokens_do_not_break_the_frame
    a_damaged_byte_costs_no_more_than_its_message
    what_cannot_be_read_can_be_passed_over_in_silence
    a_reader_that_fails_ends_it_after_what_came_before
    a_writer_that_fails_ends_it
    an_answer_longer_than_the_output_is_an_internal_error
    its_own_messages_go_between_the_answers
    every_message_of_a_text_is_sent_in_a_frame_of_its_own
    a_framer_that_is_full_is_read_before_the_stream
}

fn every_call_is_answered_in_its_frame<F: Frame>() {
    let batch = format!(r#"[{},{}]"#, subtract(3), subtract(4));
    let note = r#"{"jsonrpc":"2.0","method":"note","params":["n"]}"#.to_string();
    let response = difference(9);
    let incoming = stream::<F>(&[subtract(1), note, subtract(2), response, batch, "{}".into(), subtract(5)]);
    let expected = [
        difference(1),
        difference(2),
        format!("[{},{}]", difference(3), difference(4)),
        error(-32600, "Invalid Request"),
        difference(5),
    ];
    assert_eq!(answers::<F>(&incoming), expected);
    assert_eq!(served::<F, BUFFER>(&incoming, Plan::WHOLE, Plan::WHOLE).1, ["n"]);
}

fn a_message_too_long_is_answered_and_the_next_one_too<F: Frame>() {
    for len in [BUFFER, BUFFER + 1, 3 * BUFFER] {
        let long = format!(r#"{{"jsonrpc":"2.0","method":"echo","params":["{}"],"id":1}}"#, "x".repeat(len));
        let incoming = stream::<F>(&[subtract(7), long, subtract(8)]);
        let expected = [difference(7), error(-32600, FrameErrorKind::TooLong.as_str()), difference(8)];
        assert_eq!(answers::<F>(&incoming), expected, "{len}");
    }
}

fn the_end_of_the_stream_inside_a_message_is_answered<F: Frame>() {
    let mut incoming = stream::<F>(&[subtract(7)]);
    let whole = incoming.len();
    incoming.extend(framed::<F>(&subtract(8)));
    // behind the `"id"` of the second one
    let end = incoming.len() - F::tail().len() - 5;
    assert_eq!(answers::<F>(&incoming[..end]), [difference(7), error(-32700, "Parse error")]);
    // the connection is cut at the same place
    let (sent, _, outcome) = served::<F, BUFFER>(&incoming, Plan::in_chunks(5).cut_at(end), Plan::WHOLE);
    assert_eq!((unframed::<F>(&sent), outcome), (vec![difference(7), error(-32700, "Parse error")], Ok(())));
    // between messages nothing is missing
    let (sent, _, outcome) = served::<F, BUFFER>(&incoming, Plan::in_chunks(5).cut_at(whole), Plan::WHOLE);
    assert_eq!((unframed::<F>(&sent), outcome), (vec![difference(7)], Ok(())));
}

fn line_breaks_between_tokens_do_not_break_the_frame<F: Frame>() {
    // only a frame that allows raw line breaks returns each unchanged
    let params = "[1,\r\n\t{\"a\":\n2},\r\"\\n\"]";
    let text = format!(r#"{{"jsonrpc":"2.0","method":"echo","params":{params},"id":1}}"#);
    let mut server = echo_server!();
    let mut pipe: Pipe<PIPE> = Pipe::new();
    let (device, hub) = pipe.ends();
    let (mut framer, mut output) = (Framer::<F, BUFFER>::new(), [0; 512]);
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    // as a separate message, with raw line breaks
    connection.send_text(text.as_bytes()).unwrap();
    let raw = nanojsonrpc::RawValue::parse(params.as_bytes()).unwrap();
    connection.send(&Notification::new("raw").with_params(&raw)).unwrap();
    // and as an answer to a call that held them
    let mut answer = [0; 256];
    let answer = server.process(&mut Vec::new(), text.as_bytes(), &mut answer).answer().unwrap();
    connection.send_text(answer).unwrap();
    let mut sent = [0; PIPE];
    let len = hub.try_read(&mut sent).unwrap();
    let texts = unframed::<F>(&sent[..len]);
    assert_eq!(texts.len(), 3);
    for (text, member) in texts.iter().zip(["params", "params", "result"]) {
        let text: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(text[member], serde_json::from_str::<serde_json::Value>(params).unwrap());
    }
    let is_raw_allowed = F::encode(b"[\r\n]", &mut [0; 64]).is_ok() && {
        let mut wire = [0; 64];
        let len = F::encode(b"[\r\n]", &mut wire).unwrap();
        wire[..len].windows(4).any(|part| part == b"[\r\n]")
    };
    assert_eq!(texts[0].contains(['\r', '\n']), is_raw_allowed);
}

fn a_damaged_byte_costs_no_more_than_its_message<F: Frame>() {
    let texts = [subtract(7), subtract(8), subtract(9)];
    let incoming = stream::<F>(&texts);
    let first = framed::<F>(&texts[0]).len();
    let head = framed::<F>(&texts[1]).windows(1).position(|byte| byte == b"{").unwrap();
    // a quotation mark of a member name in the second one becomes a space
    let (sent, _, outcome) = served::<F, BUFFER>(
        &incoming,
        Plan::in_random_chunks(3, 20).flip_at(first + head + 1, b'"' ^ b' '),
        Plan::WHOLE,
    );
    let expected = vec![difference(7), error(-32700, "Parse error"), difference(9)];
    assert_eq!((unframed::<F>(&sent), outcome), (expected, Ok(())));
}

fn what_cannot_be_read_can_be_passed_over_in_silence<F: Frame>() {
    let long = "x".repeat(2 * BUFFER);
    let incoming = stream::<F>(&[
        subtract(7),
        format!(r#"["{long}"]"#),
        subtract(8),
        r#"{"id":}"#.into(),
        subtract(9),
        "[1,2]".into(),
        subtract(10)[..9].into(),
    ]);
    let mut pipe: Pipe<PIPE> = Pipe::new();
    let (device, hub) = pipe.ends();
    hub.try_write(&incoming).unwrap();
    hub.close();
    let mut server = echo_server!().ignoring_unreadable();
    let (mut framer, mut output) = (Framer::<F, BUFFER>::new(), [0; 512]);
    serve(&device, &device, &mut framer, &mut output, &mut server, &mut Vec::new()).unwrap();
    let mut sent = [0; PIPE];
    let len = hub.try_read(&mut sent).unwrap();
    assert_eq!(unframed::<F>(&sent[..len]), [difference(7), difference(8), difference(9)]);
}

fn a_reader_that_fails_ends_it_after_what_came_before<F: Frame>() {
    let incoming = stream::<F>(&[subtract(7), subtract(8)]);
    let place = framed::<F>(&subtract(7)).len() + 10;
    let (sent, _, outcome) = served::<F, BUFFER>(&incoming, Plan::WHOLE.fail_at(place), Plan::WHOLE);
    assert_eq!((unframed::<F>(&sent), outcome), (vec![difference(7)], Err(ConnectionError::Read(PipeError::Fault))));
}

fn a_writer_that_fails_ends_it<F: Frame>() {
    let incoming = stream::<F>(&[subtract(7), subtract(8), subtract(9)]);
    let first = framed::<F>(&difference(7));
    for (plan, expected) in [
        (Plan::in_chunks(4).fail_at(first.len() + 3), PipeError::Fault),
        (Plan::in_chunks(4).cut_at(first.len() + 3), PipeError::Closed),
    ] {
        let (sent, _, outcome) = served::<F, BUFFER>(&incoming, Plan::WHOLE, plan);
        assert_eq!((sent.len(), outcome), (first.len() + 3, Err(ConnectionError::Write(expected))));
        assert_eq!(unframed::<F>(&sent[..first.len()]), [difference(7)]);
    }
}

fn an_answer_longer_than_the_output_is_an_internal_error<F: Frame>() {
    let text = format!(r#"{{"jsonrpc":"2.0","method":"echo","params":["{}"],"id":1}}"#, "x".repeat(100));
    let answer = text.replace(r#""method":"echo","params""#, r#""result""#);
    let internal = error(-32603, "Internal error").replace("null", "1");
    for (room, expected) in [(answer.len(), &answer), (answer.len() - 1, &internal)] {
        let mut pipe: Pipe<PIPE> = Pipe::new();
        let (device, hub) = pipe.ends();
        hub.try_write(&framed::<F>(&text)).unwrap();
        hub.close();
        let mut output = vec![0; 40 + room + F::tail().len()];
        let mut framer = Framer::<F, BUFFER>::new();
        serve(&device, &device, &mut framer, &mut output, &mut echo_server!(), &mut Vec::new()).unwrap();
        let mut sent = [0; PIPE];
        let len = hub.try_read(&mut sent).unwrap();
        assert_eq!(&unframed::<F>(&sent[..len]), core::slice::from_ref(expected));
    }
}

fn its_own_messages_go_between_the_answers<F: Frame>() {
    let mut pipe: Pipe<PIPE> = Pipe::new();
    let (device, hub) = pipe.ends();
    let (mut framer, mut output) = (Framer::<F, BUFFER>::new(), [0; 200]);
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let (mut client, mut heard) = (Client::<char, 2>::new(), Vec::new());
    let mut server = echo_server!();

    connection.send(&Notification::new("awake")).unwrap();
    hub.try_write(&stream::<F>(&[subtract(7), subtract(8)])).unwrap();
    assert_eq!(connection.read(), Ok(true));
    connection.answer(&mut server, &mut heard).unwrap();
    let mut buffer = [0; 128];
    let mut call = Writer::new(&mut buffer);
    client.call("time", &(), 't', &mut call).unwrap();
    connection.send_text(call.written()).unwrap();
    // a message that does not fit is not sent, not even in part
    let long = "x".repeat(200);
    let refused = connection.send(&Response::success(1, &long));
    assert!(
        matches!(refused, Err(ConnectionError::Message(error)) if error.kind() == nanojsonrpc::ErrorKind::OutputFull)
    );
    let refused = connection.send(&Notification::new(""));
    let kind = nanojsonrpc::ErrorKind::InvalidMethod;
    assert!(matches!(refused, Err(ConnectionError::Message(error)) if error.kind() == kind));
    // and a text that is no message leaves no trace
    connection.send_text(b"").unwrap();
    connection.send(&Response::success(2, &true)).unwrap();
    hub.close();
    assert_eq!((connection.read(), connection.has_ended()), (Ok(false), true));
    connection.answer(&mut server, &mut heard).unwrap();

    let mut sent = [0; PIPE];
    let len = hub.try_read(&mut sent).unwrap();
    let expected = [
        r#"{"jsonrpc":"2.0","method":"awake"}"#.into(),
        difference(7),
        difference(8),
        r#"{"jsonrpc":"2.0","method":"time","id":1}"#.into(),
        r#"{"jsonrpc":"2.0","result":true,"id":2}"#.to_string(),
    ];
    assert_eq!(unframed::<F>(&sent[..len]), expected);
}

fn every_message_of_a_text_is_sent_in_a_frame_of_its_own<F: Frame>() {
    use nanojsonrpc::ErrorKind::{ExpectedValue, OutputFull, UnexpectedEnd};

    let mut pipe: Pipe<PIPE> = Pipe::new();
    let (device, hub) = pipe.ends();
    let (mut framer, mut output) = (Framer::<F, BUFFER>::new(), [0; 128]);
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let mut client = Client::<char, 4>::new();
    let mut buffer = [0; 300];
    let mut calls = Writer::new(&mut buffer);
    client.call("subtract", &[1, 1], 'a', &mut calls).unwrap();
    client.call("subtract", &[2, 1], 'b', &mut calls).unwrap();
    let mut batch = client.batch(&mut calls);
    batch.call("time", &(), 'c').unwrap();
    batch.finish();
    client.notify("note", &["]}{["], &mut calls).unwrap();
    connection.send_text(calls.written()).unwrap();
    let mut sent = [0; PIPE];
    let len = hub.try_read(&mut sent).unwrap();
    let expected = [
        r#"{"jsonrpc":"2.0","method":"subtract","params":[1,1],"id":1}"#,
        r#"{"jsonrpc":"2.0","method":"subtract","params":[2,1],"id":2}"#,
        r#"[{"jsonrpc":"2.0","method":"time","id":3}]"#,
        r#"{"jsonrpc":"2.0","method":"note","params":["]}{["]}"#,
    ];
    assert_eq!(unframed::<F>(&sent[..len]), expected);
    // all of them or none
    let long = format!(r#"{{}}["{}"]"#, "x".repeat(128));
    for (text, kind, offset) in [("{}x", ExpectedValue, 2), ("{}[1", UnexpectedEnd, 4), (&long, OutputFull, 0)] {
        match connection.send_text(text.as_bytes()) {
            Err(ConnectionError::Message(error)) => {
                assert_eq!(error.kind(), kind, "{text}");
                assert!(kind == OutputFull || error.offset() == offset, "{text}: {error}");
            }
            sent => panic!("{text}: {sent:?}"),
        }
    }
    connection.send(&Notification::new("next")).unwrap();
    let len = hub.try_read(&mut sent).unwrap();
    assert_eq!(unframed::<F>(&sent[..len]), [r#"{"jsonrpc":"2.0","method":"next"}"#]);
}

fn a_framer_that_is_full_is_read_before_the_stream<F: Frame>() {
    let texts: Vec<String> = (10..40).map(subtract).collect();
    let incoming = stream::<F>(&texts);
    let mut pipe: Pipe<PIPE> = Pipe::new();
    let (device, hub) = pipe.ends();
    let mut framer = Framer::<F, BUFFER>::new();
    let taken = framer.push(&incoming);
    assert_eq!(taken, BUFFER);
    hub.try_write(&incoming[taken..]).unwrap();
    hub.close();
    let mut connection_output = [0; 256];
    let mut connection = Connection::new(&device, &device, &mut framer, &mut connection_output);
    // no room to read is not the end of the stream
    assert_eq!((connection.read(), connection.has_ended()), (Ok(true), false));
    connection.serve(&mut echo_server!(), &mut Vec::new()).unwrap();
    let mut sent = [0; PIPE];
    let len = hub.try_read(&mut sent).unwrap();
    assert_eq!(unframed::<F>(&sent[..len]), (10..40).map(difference).collect::<Vec<_>>());
}

/// Accepts this many bytes at a time, up to a total; then none.
struct Tired {
    taken: Vec<u8>,
    at_once: usize,
    strength: usize,
    flushes: usize,
}

#[derive(Debug, PartialEq)]
struct NoError;

impl core::fmt::Display for NoError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("no error")
    }
}

impl core::error::Error for NoError {}

impl embedded_io::Error for NoError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Other
    }
}

impl ErrorType for Tired {
    type Error = NoError;
}

impl Write for Tired {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, NoError> {
        let len = bytes.len().min(self.at_once).min(self.strength - self.taken.len());
        self.taken.extend_from_slice(&bytes[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> Result<(), NoError> {
        self.flushes += 1;
        Ok(())
    }
}

#[test]
fn a_writer_that_takes_nothing_more_is_an_error_not_a_panic() {
    let incoming = stream::<Lines>(&[subtract(7), subtract(8)]);
    let expected = stream::<Lines>(&[difference(7), difference(8)]);
    for at_once in [1, 3, 1000] {
        for strength in (0..=expected.len()).step_by(if cfg!(miri) { 19 } else { 1 }) {
            let mut writer = Tired { taken: Vec::new(), at_once, strength, flushes: 0 };
            let (mut framer, mut output) = (Framer::<Lines, BUFFER>::new(), [0; 256]);
            let outcome = Connection::new(&incoming[..], &mut writer, &mut framer, &mut output)
                .serve(&mut echo_server!(), &mut Vec::new());
            let is_enough = strength == expected.len();
            assert_eq!(outcome.is_ok(), is_enough, "{strength}");
            assert!(is_enough || matches!(outcome, Err(ConnectionError::WriteZero)), "{outcome:?}");
            assert_eq!(writer.taken, expected[..strength]);
            assert_eq!(writer.flushes, usize::from(is_enough));
        }
    }
}

#[test]
fn the_errors_of_both_directions_are_put_into_words() {
    type Error = ConnectionError<NoError, NoError>;
    assert_eq!(Error::Read(NoError).to_string(), "reading: no error");
    assert_eq!(Error::Write(NoError).to_string(), "writing: no error");
    assert_eq!(Error::WriteZero.to_string(), "writing: the writer takes no more bytes");
    let broken = "writing: nothing can follow a close, or a message that was sent in part";
    assert_eq!(Error::OutputBroken.to_string(), broken);
    assert_eq!(ConnectionError::<_, NoError>::Read(PipeError::Interrupted).to_string(), "reading: interrupted");
    let mut nowhere = [];
    let mut framer = Framer::<Lines, 8>::new();
    let mut connection = Connection::new(&b""[..], &mut [][..], &mut framer, &mut nowhere);
    let refused = connection.send_text(b"{}").unwrap_err();
    assert_eq!(refused.to_string(), "message: output full at byte 0");
    assert_eq!(connection.read(), Ok(false));
    let (mut reader, _) = connection.into_parts();
    assert_eq!(reader.read(&mut [0; 1]), Ok(0));
}

#[test]
fn frame_errors_are_answered_by_their_kind() {
    let stream = b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[7,1],\"id\":7}\n";
    assert_eq!(answers::<Lines>(stream), [difference(7)]);
    let mut stream = b"\xEF\xBB\xBF".to_vec();
    stream.extend(framed::<ContentLength>(&subtract(7)));
    assert_eq!(answers::<ContentLength>(&stream), [difference(7)]);
    let stream = b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[7,1],\"id\":7}";
    assert_eq!(answers::<Values>(stream), [difference(7)]);
    let mut stream = b"Content-Length: x\r\n\r\n".to_vec();
    stream.extend(framed::<ContentLength>(&subtract(7)));
    assert_eq!(answers::<ContentLength>(&stream), [error(-32700, "Parse error"), difference(7)]);
    let mut stream = format!("Content-Length: {}\r\n\r\n", u64::MAX).into_bytes();
    stream.extend(framed::<ContentLength>(&subtract(7)));
    let expected = error(-32600, FrameErrorKind::TooLong.as_str());
    assert_eq!(answers::<ContentLength>(&stream), [expected, difference(7)]);
    let deep = "[".repeat(200);
    let incoming = format!("{deep}\n{}\n", subtract(7));
    assert_eq!(answers::<Values>(incoming.as_bytes()), [error(-32700, "Parse error"), difference(7)]);
}

#[cfg(feature = "embedded-io-async")]
mod waiting {
    use core::pin::pin;
    use core::task::{Context, Poll};

    use nanojsonrpc::connection::serve_async;

    use super::*;
    use crate::tasks::{run, wait};

    /// Runs two futures in turns until both are done.
    async fn both<A: Future, B: Future>(one: A, other: B) -> (A::Output, B::Output) {
        let (mut one, mut other) = (pin!(one), pin!(other));
        let (mut first, mut second) = (None, None);
        core::future::poll_fn(|context| {
            go_on(&mut first, one.as_mut(), context);
            go_on(&mut second, other.as_mut(), context);
            match (first.is_some(), second.is_some()) {
                (true, true) => Poll::Ready((first.take().unwrap(), second.take().unwrap())),
                _ => Poll::Pending,
            }
        })
        .await
    }

    fn go_on<F: Future>(done: &mut Option<F::Output>, future: core::pin::Pin<&mut F>, context: &mut Context<'_>) {
        if done.is_none() {
            if let Poll::Ready(output) = future.poll(context) {
                *done = Some(output);
            }
        }
    }

    async fn echo(_: &mut Vec<String>, params: Params<'_>, reply: Reply<'_>) -> Replied {
        wait().await;
        reply.success(&params)
    }

    async fn subtract_async(_: &mut Vec<String>, (a, b): (i64, i64)) -> Result<i64, nanojsonrpc::ErrorObject<'static>> {
        wait().await;
        Ok(a - b)
    }

    async fn note(heard: &mut Vec<String>, (text,): (String,)) {
        wait().await;
        heard.push(text);
    }

    /// The output of a server over a pipe so short that each side must wait for the other again and again.
    fn served_async<F: Frame>(incoming: &[u8], seed: u32) -> (Vec<u8>, Vec<String>) {
        let mut pipe: Pipe<7> = Pipe::new();
        let (device, hub) = pipe.ends();
        let device = device.reading(Plan::in_random_chunks(seed, 9)).writing(Plan::in_random_chunks(!seed, 5));
        let mut server = Server::new(
            Router::new()
                .request_async("echo", echo)
                .request_async("subtract", subtract_async)
                .notification_async("note", note),
        );
        let (mut framer, mut output, mut heard) = (Framer::<F, BUFFER>::new(), [0; 512], Vec::new());
        let mut sent = Vec::new();
        let serving = async {
            serve_async(&device, &device, &mut framer, &mut output, &mut server, &mut heard).await.unwrap();
            device.close();
        };
        let writing = async {
            let mut rest = incoming;
            while !rest.is_empty() {
                rest = &rest[embedded_io_async::Write::write(&mut &hub, rest).await.unwrap()..];
            }
            hub.close();
        };
        let reading = async {
            let mut chunk = [0; 5];
            loop {
                match embedded_io_async::Read::read(&mut &hub, &mut chunk).await.unwrap() {
                    0 => break,
                    len => sent.extend_from_slice(&chunk[..len]),
                }
            }
        };
        run(both(serving, both(writing, reading)));
        (sent, heard)
    }

    fn the_same_as_blocking<F: Frame>() {
        let long = format!(r#"["{}"]"#, "x".repeat(2 * BUFFER));
        let batch = format!(r#"[{},1,{}]"#, subtract(3), subtract(4));
        let note = r#"{"jsonrpc":"2.0","method":"note","params":["n"]}"#.to_string();
        let text = r#"{"jsonrpc":"2.0","method":"echo","params":{"a": [1, "\u00e9"]},"id":"e"}"#.to_string();
        let mut incoming = stream::<F>(&[subtract(1), "{}".into(), note, long, batch, text, subtract(5)]);
        incoming.extend(&framed::<F>(&subtract(6))[..20]);
        let (whole, heard, outcome) = served::<F, BUFFER>(&incoming, Plan::WHOLE, Plan::WHOLE);
        assert_eq!((heard.len(), outcome), (1, Ok(())));
        assert_eq!(unframed::<F>(&whole).len(), 7);
        for seed in (1..30).step_by(if cfg!(miri) { 29 } else { 1 }) {
            let (sent, heard_too) = served_async::<F>(&incoming, seed);
            assert_eq!(sent.escape_ascii().to_string(), whole.escape_ascii().to_string(), "{seed}");
            assert_eq!(heard_too, heard, "{seed}");
        }
    }

    #[test]
    fn waiting_changes_no_byte_of_the_answers() {
        the_same_as_blocking::<Lines>();
        the_same_as_blocking::<ContentLength>();
        the_same_as_blocking::<Events>();
        the_same_as_blocking::<Values>();
    }

    #[test]
    fn its_own_messages_are_sent_without_blocking_too() {
        let mut pipe: Pipe<8> = Pipe::new();
        let (device, hub) = pipe.ends();
        let (mut framer, mut output) = (Framer::<Lines, BUFFER>::new(), [0; 128]);
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
        let sending = async {
            connection.send_async(&Notification::new("awake")).await.unwrap();
            connection.send_text_async(b"").await.unwrap();
            connection.send_text_async(b"[1,\n2]").await.unwrap();
            connection.send_text_async(b"{}[3] ").await.unwrap();
            let refused = connection.send_text_async(b"{}[3").await;
            assert!(matches!(refused, Err(ConnectionError::Message(_))));
            let refused = connection.send_text_async(&[b' '; 128]).await;
            assert!(matches!(refused, Err(ConnectionError::Message(_))));
            device.close();
        };
        let reading = async {
            let mut sent = Vec::new();
            let mut chunk = [0; 5];
            loop {
                match embedded_io_async::Read::read(&mut &hub, &mut chunk).await.unwrap() {
                    0 => return String::from_utf8(sent).unwrap(),
                    len => sent.extend_from_slice(&chunk[..len]),
                }
            }
        };
        let ((), sent) = run(both(sending, reading));
        assert_eq!(sent, "{\"jsonrpc\":\"2.0\",\"method\":\"awake\"}\n[1, 2]\n{}\n[3] \n");
    }

    impl embedded_io_async::Write for Tired {
        async fn write(&mut self, bytes: &[u8]) -> Result<usize, NoError> {
            Write::write(self, bytes)
        }

        async fn flush(&mut self) -> Result<(), NoError> {
            Write::flush(self)
        }
    }

    #[test]
    fn what_goes_wrong_while_waiting_is_told_as_it_is_without() {
        use nanojsonrpc::memory::PipeError;

        let incoming = stream::<Lines>(&[subtract(1), subtract(2)]);
        for place in (0..incoming.len()).step_by(if cfg!(miri) { 29 } else { 1 }) {
            let mut pipe: Pipe<PIPE> = Pipe::new();
            let (device, hub) = pipe.ends();
            let device = device.reading(Plan::WHOLE.fail_at(place));
            hub.try_write(&incoming).unwrap();
            let mut server = Server::new(Router::new().request_async("subtract", subtract_async));
            let (mut framer, mut output) = (Framer::<Lines, BUFFER>::new(), [0; 256]);
            let mut heard = Vec::new();
            let serving = serve_async(&device, &device, &mut framer, &mut output, &mut server, &mut heard);
            assert_eq!(run(serving), Err(ConnectionError::Read(PipeError::Fault)), "{place}");
        }
        let answer = framed::<Lines>(&difference(1));
        for place in (0..answer.len()).step_by(if cfg!(miri) { 17 } else { 1 }) {
            let mut pipe: Pipe<PIPE> = Pipe::new();
            let (device, hub) = pipe.ends();
            let device = device.writing(Plan::WHOLE.fail_at(place));
            hub.try_write(&incoming).unwrap();
            hub.close();
            let mut server = Server::new(Router::new().request_async("subtract", subtract_async));
            let (mut framer, mut output) = (Framer::<Lines, BUFFER>::new(), [0; 256]);
            let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
            let refused = run(connection.send_async(&Notification::new(&"x".repeat(256))));
            assert!(matches!(refused, Err(ConnectionError::Message(_))), "{refused:?}");
            let mut heard = Vec::new();
            let serving = connection.serve_async(&mut server, &mut heard);
            assert_eq!(run(serving), Err(ConnectionError::Write(PipeError::Fault)), "{place}");
        }
        let tired = Tired { taken: Vec::new(), at_once: 2, strength: 2, flushes: 0 };
        let (mut framer, mut output) = (Framer::<Lines, BUFFER>::new(), [0; 256]);
        let mut connection = Connection::new(&b""[..], tired, &mut framer, &mut output);
        assert_eq!(run(connection.send_text_async(b"{}")), Err(ConnectionError::WriteZero));
        assert_eq!(connection.into_parts().1.taken, b"{}");
    }

    #[test]
    fn an_event_without_data_is_no_call_for_those_who_wait_either() {
        let incoming = b"id: 1\ndata:\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"none\",\"id\":1}\n\n";
        let (sent, heard) = served_async::<Events>(incoming, 1);
        assert_eq!((unframed::<Events>(&sent).len(), heard.len()), (1, 0));
    }

    #[test]
    fn a_framer_that_is_full_is_not_the_end_of_the_stream() {
        let incoming = stream::<Lines>(&(10..40).map(subtract).collect::<Vec<_>>());
        let mut framer = Framer::<Lines, BUFFER>::new();
        let taken = framer.push(&incoming);
        let mut output = [0; 256];
        let mut server = Server::new(Router::new().request_async("subtract", subtract_async));
        let mut pipe: Pipe<PIPE> = Pipe::new();
        let (device, hub) = pipe.ends();
        hub.try_write(&incoming[taken..]).unwrap();
        hub.close();
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
        assert_eq!(run(connection.read_async()), Ok(true));
        run(connection.serve_async(&mut server, &mut Vec::new())).unwrap();
        let mut sent = [0; PIPE];
        let len = hub.try_read(&mut sent).unwrap();
        assert_eq!(unframed::<Lines>(&sent[..len]), (10..40).map(difference).collect::<Vec<_>>());
    }
}

#[test]
fn an_event_without_data_is_no_call() {
    let incoming = b"id: 1\ndata:\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"none\",\"id\":1}\n\n";
    let (sent, _, ended) = served::<Events, 256>(incoming, Plan::in_chunks(3), Plan::in_chunks(5));
    assert_eq!(ended, Ok(()));
    let texts = unframed::<Events>(&sent);
    assert_eq!(texts.len(), 1, "{texts:?}");
    // an empty message behind a length is one, and not JSON
    let (sent, _, _) =
        served::<ContentLength, 256>(b"Content-Length: 0\r\n\r\n", Plan::in_chunks(3), Plan::in_chunks(5));
    assert!(unframed::<ContentLength>(&sent).iter().all(|text| text.contains("-32700")));
    assert_eq!(unframed::<ContentLength>(&sent).len(), 1);
}

#[test]
fn who_uses_no_server_takes_the_messages_himself() {
    let incoming = stream::<Values>(&["[1]".to_string(), "{".to_string()]);
    let (mut framer, mut output) = (Framer::<Values, BUFFER>::new(), [0; 64]);
    let mut connection = Connection::new(&incoming[..], &mut [][..], &mut framer, &mut output);
    assert_eq!(format!("{connection:?}"), "Connection { has_ended: false, .. }");
    assert_eq!(connection.next(), None);
    assert_eq!(connection.read(), Ok(true));
    assert!(matches!(connection.next(), Some(Ok(value)) if value.as_json() == "[1]"));
    assert_eq!(connection.next(), None);
    assert_eq!((connection.read(), connection.has_ended()), (Ok(false), true));
    let error = connection.next().expect("the other half is missing").expect_err("the other half is missing");
    assert_eq!(error.kind(), nanojsonrpc::frame::FrameErrorKind::Truncated);
    assert_eq!(connection.next(), None);
}
