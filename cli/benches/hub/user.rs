//! A user over WebSocket, at little cost: the frames are made before, and an answer is known by its length and its id.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

/// All ids have so many digits.
const DIGITS: usize = 8;
const FIRST: u64 = 10_000_000;
/// More calls than are ever in flight.
const SLOTS: usize = 1 << 14;

/// Params from 2 bytes to 4 KB: numbers, names, text, and many of them.
pub(crate) fn params() -> [String; 5] {
    let reading = r#"{"at":1764510000123,"celsius":21.375,"unit":"C","ok":true}"#;
    let named = r#"{"level":20,"reason":"it is \"dark\"","fade":{"ms":250,"curve":"ease"}}"#;
    [
        "[]".to_owned(),
        named.to_owned(),
        format!("[{}]", [reading; 5].join(",")),
        format!("{{\"text\":\"{}\"}}", "The lamp in the kitchen is on. ".repeat(36)),
        format!("{{\"readings\":[{}]}}", [reading; 68].join(",")),
    ]
}

/// The text of a call.
pub(crate) fn call(method: &str, params: &str, id: u64) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params},\"id\":{id}}}")
}

/// The text of its answer.
pub(crate) fn answer(params: &str, id: u64) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"result\":{params},\"id\":{id}}}")
}

/// The frames of calls, which take turns, with the lengths of their answers.
pub(crate) struct Shapes(Vec<(Vec<u8>, usize)>);

impl Shapes {
    pub(crate) fn new() -> Self {
        let shape = |params: &String| (frame(call("lamp.set", params, FIRST).as_bytes()), answer(params, FIRST).len());
        Self(params().iter().map(shape).collect())
    }

    fn of(&self, number: u64) -> &(Vec<u8>, usize) {
        &self.0[number as usize % self.0.len()]
    }

    /// Adds the frame of a call.
    fn put(&self, number: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.of(number).0);
        let end = out.len() - 1;
        let mut id = FIRST + number;
        for digit in out[end - DIGITS..end].iter_mut().rev() {
            *digit = b'0' + (id % 10) as u8;
            id /= 10;
        }
    }
}

/// A text in a masked frame. The mask is 0, which leaves the text as it is.
fn frame(text: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x81];
    match text.len() {
        len @ 0..=125 => frame.push(0x80 | len as u8),
        len => {
            frame.push(0x80 | 126);
            frame.extend_from_slice(&u16::try_from(len).expect("a short text").to_be_bytes());
        }
    }
    frame.extend_from_slice(&[0; 4]);
    frame.extend_from_slice(text);
    frame
}

/// One WebSocket.
pub(crate) struct User {
    stream: TcpStream,
    bytes: Vec<u8>,
    begin: usize,
    end: usize,
}

impl User {
    pub(crate) fn connect(host: &str) -> Self {
        let mut stream = TcpStream::connect(host).expect("connected: is ulimit -n high enough?");
        stream.set_nodelay(true).expect("set");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("set");
        write!(
            stream,
            "GET /ws HTTP/1.1\r\nhost: {host}\r\nupgrade: websocket\r\nconnection: upgrade\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        .expect("sent");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("a response");
            head.push(byte[0]);
        }
        assert!(head.starts_with(b"HTTP/1.1 101"), "{}", head.escape_ascii());
        Self { stream, bytes: Vec::new(), begin: 0, end: 0 }
    }

    /// The length and the id of the next answer, if it has been read whole.
    fn next(&mut self) -> Option<(usize, u64)> {
        let received = &self.bytes[self.begin..self.end];
        let (head, len) = match received {
            [0x81, 126, high, low, ..] => (4, usize::from(u16::from_be_bytes([*high, *low]))),
            [0x81, len @ 0..=125, ..] => (2, usize::from(*len)),
            [0x81] | [] | [0x81, 126, ..] => return None,
            other => panic!("a frame of another kind: {}", other.escape_ascii()),
        };
        let text = received.get(head..head + len)?;
        self.begin += head + len;
        let id = text[..len - 1].rsplit(|byte| *byte == b':').next().expect("an id");
        assert_eq!(id.len(), DIGITS, "{}", text.escape_ascii());
        Some((len, id.iter().fold(0, |id, digit| id * 10 + u64::from(digit - b'0'))))
    }

    fn read(&mut self) {
        if self.bytes.is_empty() {
            self.bytes = vec![0; 1 << 20];
        }
        self.bytes.copy_within(self.begin..self.end, 0);
        (self.begin, self.end) = (0, self.end - self.begin);
        let len = self.stream.read(&mut self.bytes[self.end..]).expect("an answer");
        assert_ne!(len, 0, "the connection is closed");
        self.end += len;
    }

    /// Keeps `in_flight` calls in flight for `time`. Returns the calls a second.
    pub(crate) fn run(&mut self, shapes: &Shapes, in_flight: usize, time: Duration) -> f64 {
        let (mut out, mut next, mut is_waiting) = (Vec::new(), 0, vec![false; SLOTS]);
        let put = |next: &mut u64, out: &mut Vec<u8>, is_waiting: &mut Vec<bool>| {
            shapes.put(*next, out);
            is_waiting[*next as usize % SLOTS] = true;
            *next += 1;
        };
        (0..in_flight).for_each(|_| put(&mut next, &mut out, &mut is_waiting));
        self.stream.write_all(&out).expect("sent");
        let (mut waiting, mut answered, begun) = (in_flight, 0_u32, Instant::now());
        while begun.elapsed() < time {
            self.read();
            out.clear();
            while let Some((len, id)) = self.next() {
                accept(shapes, (len, id), &mut is_waiting);
                answered += 1;
                put(&mut next, &mut out, &mut is_waiting);
            }
            self.stream.write_all(&out).expect("sent");
        }
        let rate = f64::from(answered) / begun.elapsed().as_secs_f64();
        while waiting != 0 {
            match self.next() {
                Some(answer) => {
                    accept(shapes, answer, &mut is_waiting);
                    waiting -= 1;
                }
                None => self.read(),
            }
        }
        rate
    }

    /// Calls at a constant rate for `time`, whenever the answers come. Returns the round trips in nanoseconds.
    pub(crate) fn pace(&mut self, shapes: &Shapes, rate: f64, time: Duration) -> Histogram<u64> {
        let sent: Arc<Vec<AtomicU64>> = Arc::new((0..SLOTS).map(|_| AtomicU64::new(0)).collect());
        let (count, begun) = ((rate * time.as_secs_f64()) as u64, Instant::now());
        let nanos = move || u64::try_from(begun.elapsed().as_nanos()).expect("a short time");
        let mut histogram = Histogram::new(3).expect("a histogram");
        thread::scope(|scope| {
            let (mut stream, times) = (self.stream.try_clone().expect("a clone"), Arc::clone(&sent));
            scope.spawn(move || {
                let (mut number, mut out) = (0, Vec::new());
                while number < count {
                    let due = ((begun.elapsed().as_secs_f64() * rate) as u64 + 1).min(count);
                    while number < due {
                        shapes.put(number, &mut out);
                        times[number as usize % SLOTS].store(nanos(), Ordering::Release);
                        number += 1;
                    }
                    stream.write_all(&out).expect("sent");
                    out.clear();
                    let next = Duration::from_secs_f64(number as f64 / rate);
                    thread::sleep(next.saturating_sub(begun.elapsed()));
                }
            });
            for _ in 0..count {
                let (len, id) = loop {
                    match self.next() {
                        Some(answer) => break answer,
                        None => self.read(),
                    }
                };
                let number = id - FIRST;
                assert_eq!(len, shapes.of(number).1);
                let sent = sent[number as usize % SLOTS].swap(0, Ordering::Acquire);
                assert_ne!(sent, 0, "a second answer to {id}");
                histogram.record(nanos() - sent).expect("a short time");
            }
        });
        histogram
    }
}

/// Checks that it is the answer to a call in flight.
fn accept(shapes: &Shapes, (len, id): (usize, u64), is_waiting: &mut [bool]) {
    let number = id - FIRST;
    assert_eq!(len, shapes.of(number).1);
    assert!(std::mem::take(&mut is_waiting[number as usize % SLOTS]), "a second answer to {id}");
}
