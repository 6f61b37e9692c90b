//! The writer is flushed behind the last message that can be answered, and no message waits for a later flush.
#![cfg(all(feature = "serde", feature = "embedded-io-async"))]

use core::convert::Infallible;

use embedded_io::{ErrorType, Read, Write};
use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::{Client, Notification, Router, Server, Writer};

use crate::tasks::run;

const CALLS: usize = 500;

/// A stream that brings one chunk at a time, and hands out written bytes at a flush.
#[derive(Default)]
struct Wire {
    chunks: Vec<Vec<u8>>,
    unflushed: Vec<u8>,
    flushed: Vec<u8>,
    flushes: usize,
}

impl Wire {
    fn new(chunks: &[String]) -> Self {
        Self { chunks: chunks.iter().rev().map(|chunk| chunk.clone().into_bytes()).collect(), ..Self::default() }
    }

    /// Lines that the peer has received.
    fn lines(&self) -> usize {
        assert!(self.unflushed.is_empty(), "{} bytes wait for a flush", self.unflushed.len());
        self.flushed.iter().filter(|byte| **byte == b'\n').count()
    }
}

/// Reader and writer of one wire.
struct Half<'w>(&'w core::cell::RefCell<Wire>);

impl ErrorType for Half<'_> {
    type Error = Infallible;
}

impl Read for Half<'_> {
    fn read(&mut self, room: &mut [u8]) -> Result<usize, Infallible> {
        let chunk = self.0.borrow_mut().chunks.pop().unwrap_or_default();
        room[..chunk.len()].copy_from_slice(&chunk);
        Ok(chunk.len())
    }
}

impl Write for Half<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        let len = bytes.len().min(7);
        self.0.borrow_mut().unflushed.extend_from_slice(&bytes[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        let wire = &mut *self.0.borrow_mut();
        wire.flushed.append(&mut wire.unflushed);
        wire.flushes += 1;
        Ok(())
    }
}

impl embedded_io_async::Read for Half<'_> {
    async fn read(&mut self, room: &mut [u8]) -> Result<usize, Infallible> {
        Read::read(self, room)
    }
}

impl embedded_io_async::Write for Half<'_> {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        Write::write(self, bytes)
    }

    async fn flush(&mut self) -> Result<(), Infallible> {
        Write::flush(self)
    }
}

fn call(method: &str, id: usize) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"id\":{id}}}\n")
}

/// Many calls in one chunk, with garbage and a notification between them, and one call in a chunk of its own.
fn pipelined() -> [String; 2] {
    let mut chunk: String = (0..CALLS).map(|id| call(if id % 3 == 0 { "wait" } else { "ping" }, id)).collect();
    chunk.push_str("}\n{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}\n");
    [chunk, call("ping", CALLS)]
}

/// `$serve` on a wire with these chunks: the lines that the peer receives, and the flushes.
macro_rules! served {
    ($chunks:expr, |$connection:ident| $serve:expr) => {{
        let wire = core::cell::RefCell::new(Wire::new($chunks));
        let (mut framer, mut output) = (Framer::<Lines, 65536>::new(), [0; 256]);
        let mut $connection = Connection::new(Half(&wire), Half(&wire), &mut framer, &mut output);
        $serve;
        let wire = wire.into_inner();
        (wire.lines(), wire.flushes)
    }};
}

macro_rules! server {
    ($method:ident) => {
        Server::new(Router::new().request("ping", |_: &mut ()| Ok("pong")).$method("wait", waiting))
    };
}

#[test]
fn pipelined_calls_are_flushed_once_for_each_read() {
    fn waiting(_: &mut ()) -> Result<&'static str, nanojsonrpc::ErrorObject<'static>> {
        Ok("waited")
    }
    let mut server = server!(request);
    let expected = (CALLS + 2, 2);
    let found = served!(&pipelined(), |connection| connection.serve(&mut server, &mut ()).unwrap());
    assert_eq!(found, expected);
    let found = served!(&pipelined(), |connection| run(connection.serve_async(&mut server, &mut ())).unwrap());
    assert_eq!(found, expected);
}

#[test]
fn handlers_side_by_side_leave_nothing_unflushed() {
    async fn waiting(_: &mut ()) -> Result<&'static str, nanojsonrpc::ErrorObject<'static>> {
        tokio::task::yield_now().await;
        Ok("waited")
    }
    let mut server = server!(request_async);
    let (lines, flushes) = served!(&pipelined(), |connection| {
        run(connection.concurrent::<4, 128, 128>().serve(&mut server, &mut ())).unwrap()
    });
    assert_eq!(lines, CALLS + 2);
    assert!(flushes < CALLS / 2, "{flushes}");
}

#[test]
fn sent_messages_are_flushed_before_send_returns() {
    let chunks = [String::new()];
    let found = served!(&chunks, |connection| {
        connection.send(&Notification::new("awake")).unwrap();
        run(connection.send_async(&Notification::new("awake"))).unwrap();
    });
    assert_eq!(found, (2, 2));
    let mut client: Client<(), 2> = Client::new();
    let mut buffer = [0; 128];
    let mut calls = Writer::new(&mut buffer);
    client.call("ping", &(), (), &mut calls).unwrap();
    client.call("ping", &(), (), &mut calls).unwrap();
    let found = served!(&chunks, |connection| {
        connection.send_text(calls.written()).unwrap();
        run(connection.send_text_async(calls.written())).unwrap();
        connection.send_text(b"").unwrap();
    });
    assert_eq!(found, (4, 2));
}

#[test]
fn a_call_and_answers_before_its_result_are_flushed() {
    let mut server = Server::new(Router::new().request("ping", |_: &mut ()| Ok("pong")));
    let chunk = format!("{}{{\"jsonrpc\":\"2.0\",\"result\":19,\"id\":4503599627370496}}\n", call("ping", 1));
    let chunks = [chunk];
    let found = served!(&chunks, |connection| {
        assert_eq!(connection.peer(&mut server, &mut ()).call("subtract", &[42, 23]), Ok(19));
    });
    assert_eq!(found, (2, 2));
    let found = served!(&chunks, |connection| {
        assert_eq!(run(connection.peer_async(&mut server, &mut ()).call_async("subtract", &[42, 23])), Ok(19));
    });
    assert_eq!(found, (2, 2));
}
