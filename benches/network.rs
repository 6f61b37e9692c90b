//! Prints the costs of a stream: of WebSocket messages, compared with a copy of the same bytes, and of the flushes for pipelined calls.
//!
//! All variants take turns in one process, and the best round counts, because a busy machine only adds time. The benchmark panics if a
//! masked message takes longer than `SLOWER` copies of it, or if a server flushes more often than it reads.

use core::convert::Infallible;
use core::hint::black_box;
use core::time::Duration;
use std::time::Instant;

use embedded_io::{ErrorType, Write};
use nanojsonrpc::connection::serve;
use nanojsonrpc::frame::websocket::{self, Client, MaskingKey, Received};
use nanojsonrpc::frame::{Frame, Framer, Lines, WebSocket};
use nanojsonrpc::{Router, Server};

const LEN: usize = 64 * 1024;
/// Room for the header, too: otherwise the framer moves the message to the front.
const ROOM: usize = LEN + 16;
/// Without optimisation, the benchmark checks only results and flushes.
const IS_FAST: bool = !cfg!(debug_assertions);
const ROUNDS: usize = if IS_FAST { 400 } else { 1 };
/// A copy into the buffer and one pass over it take 2; one byte at a time takes 38.
const SLOWER: f64 = 6.0;

struct Keys;

impl MaskingKey for Keys {
    fn next_key() -> [u8; 4] {
        [0x37, 0xFA, 0x21, 0x3D]
    }
}

type ToServer = WebSocket<Client<Keys>>;

/// Runs `f` as one round and stores its time if it is the best.
fn time(best: &mut Duration, f: impl FnOnce()) {
    let begin = Instant::now();
    f();
    *best = begin.elapsed().min(*best);
}

fn masks() {
    let message: Vec<u8> = (0..LEN).map(|at| b' ' + (at % 90) as u8).collect();
    let mut masked = vec![0; LEN + 16];
    let len = ToServer::encode(&message, &mut masked).unwrap();
    masked.truncate(len);
    let mut binary = masked.clone();
    binary[0] = 0x82;
    let mut plain = vec![0; LEN + 16];
    let len = <WebSocket>::encode(&message, &mut plain).unwrap();
    plain.truncate(len);
    plain[0] = 0x82;

    let (mut copy, mut out, mut reference) = (vec![0; LEN], vec![0; LEN + 16], message.clone());
    let mut of_client = Box::new(Framer::<WebSocket, ROOM>::new());
    let mut of_server = Box::new(Framer::<ToServer, ROOM>::new());
    let [mut memcpy, mut bytes, mut read, mut text, mut unmasked, mut write] = [Duration::MAX; 6];
    for _ in 0..ROUNDS {
        time(&mut memcpy, || black_box(&mut copy).copy_from_slice(black_box(&message)));
        time(&mut bytes, || {
            for (at, byte) in black_box(&mut reference).iter_mut().enumerate() {
                *byte = black_box(*byte ^ Keys::next_key()[at % 4]);
            }
        });
        for (stream, best) in [(&binary, &mut read), (&masked, &mut text)] {
            time(best, || {
                let mut rest = &black_box(stream)[..];
                while !rest.is_empty() {
                    rest = &rest[of_client.push(rest)..];
                    if let Some(found) = of_client.next() {
                        assert!(
                            matches!(found, Ok(Received::Binary(bytes) | Received::Text(bytes)) if bytes.len() == LEN)
                        );
                    }
                }
            });
        }
        time(&mut unmasked, || {
            let mut rest = &black_box(&plain)[..];
            while !rest.is_empty() {
                rest = &rest[of_server.push(rest)..];
                if let Some(found) = of_server.next() {
                    assert!(matches!(found, Ok(Received::Binary(bytes)) if bytes.len() == LEN));
                }
            }
        });
        time(&mut write, || assert_eq!(ToServer::encode(black_box(&message), &mut out), Ok(masked.len())));
        assert_eq!(out[..masked.len()], masked[..]);
    }
    println!("a message of 64 KB, in GB/s and in copies of it:");
    for (name, best) in [
        ("memcpy", memcpy),
        ("read, masked, binary", read),
        ("read, masked, text", text),
        ("read, not masked, binary", unmasked),
        ("written, masked", write),
        ("masked byte by byte", bytes),
    ] {
        let copies = best.as_secs_f64() / memcpy.as_secs_f64();
        println!("  {name:24} {:6.2} {copies:6.2}", LEN as f64 / best.as_secs_f64() / 1e9);
    }
    for best in [read, write] {
        let copies = best.as_secs_f64() / memcpy.as_secs_f64();
        assert!(copies < SLOWER || !IS_FAST, "a masked message takes {copies:.1} copies");
    }
}

/// Counts the calls of a server on its writer.
#[derive(Default)]
struct Counter {
    writes: usize,
    bytes: usize,
    flushes: usize,
}

impl ErrorType for Counter {
    type Error = Infallible;
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        self.writes += 1;
        self.bytes += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        self.flushes += 1;
        Ok(())
    }
}

/// A reader that counts its reads, and fills the whole buffer, like a socket with pipelined calls.
struct Calls<'s> {
    rest: &'s [u8],
    reads: usize,
}

impl ErrorType for Calls<'_> {
    type Error = Infallible;
}

impl embedded_io::Read for Calls<'_> {
    fn read(&mut self, room: &mut [u8]) -> Result<usize, Infallible> {
        let (now, later) = self.rest.split_at(room.len().min(self.rest.len()));
        room[..now.len()].copy_from_slice(now);
        self.rest = later;
        self.reads += 1;
        Ok(now.len())
    }
}

const CALLS: usize = 500;

fn call(id: usize) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"add","params":[{id},1],"id":{id}}}"#)
}

fn flushes_of<F: Frame>(name: &str, stream: &[u8], answers: usize)
where
    for<'b> F::Item<'b>: AsRef<[u8]>,
{
    let mut server = Server::new(Router::new().request("add", |_: &mut (), (a, b): (i64, i64)| Ok(a + b)));
    let (mut framer, mut output) = (Framer::<F, 512>::new(), [0; 512]);
    let (mut reader, mut writer) = (Calls { rest: stream, reads: 0 }, Counter::default());
    serve(&mut reader, &mut writer, &mut framer, &mut output, &mut server, &mut ()).unwrap();
    let (reads, Counter { writes, bytes, flushes }) = (reader.reads, writer);
    println!("  {name:24} {flushes:4} flushes, {reads:4} reads of up to 512 bytes, {writes} writes");
    assert_eq!(bytes, answers);
    assert!(flushes <= reads, "{flushes} flushes for {reads} reads");
}

fn flushes() {
    let (mut lines, mut frames, mut out) = (Vec::new(), Vec::new(), [0; 128]);
    let (mut as_lines, mut as_frames) = (0, 0);
    for id in 0..CALLS {
        let answer = format!(r#"{{"jsonrpc":"2.0","result":{},"id":{id}}}"#, id + 1).len();
        (as_lines, as_frames) = (as_lines + answer + 1, as_frames + answer + 2);
        let len = Lines::encode(call(id).as_bytes(), &mut out).unwrap();
        lines.extend(&out[..len]);
        let len = ToServer::encode(call(id).as_bytes(), &mut out).unwrap();
        frames.extend(&out[..len]);
    }
    // the close, and the response to it
    let len = ToServer::close(websocket::Close::NORMAL, "", &mut out).unwrap();
    frames.extend(&out[..len]);
    println!("{CALLS} pipelined calls:");
    flushes_of::<Lines>("lines", &lines, as_lines);
    flushes_of::<WebSocket>("WebSocket", &frames, as_frames + 4);
}

fn main() {
    masks();
    flushes();
}
