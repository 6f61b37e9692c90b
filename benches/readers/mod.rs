//! Everything that reads the bytes of a peer, each as a function of a text, for the search for the text that takes the most instructions.
//!
//! `benches/hostile.rs` and `firmware/worst` compile this file, so it needs neither `std` nor memory. Each reader does what a program
//! does that trusts nothing: it validates the text, and uses all that it finds.
#![allow(unreachable_pub, reason = "a module of two programs")]

use core::hint::black_box;

use nanojsonrpc::frame::{ContentLength, Events, Frame, Framer, Lines, Values, WebSocket};
use nanojsonrpc::http::{Chunked, Endpoint, Head, call_in_target, read_head};
use nanojsonrpc::{Dialect, Envelope, Envelopes, ErrorObject, Message, RawValue, Request, Router, Server};
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};

/// Reads a text, and returns whether it is accepted. The output is at least [`OUTPUT`] times as long, and begins with the text, for readers
/// that work in place.
pub type Reader = fn(text: &[u8], output: &mut [u8]) -> bool;

/// The shortest element of a batch, `1,`, is answered with 80 bytes.
pub const OUTPUT: usize = 44;

/// The length of the buffer of each frame.
const BUFFER: usize = 1024;

/// The readers, with the names that `hostile.txt` has.
pub const READERS: [(&str, Reader); 25] = [
    ("message", |text, _| black_box(&Message::parse(text)).is_ok()),
    ("request", |text, _| black_box(&Request::parse(text)).is_ok()),
    ("envelope", |text, _| black_box(&Envelope::parse(text)).is_ok()),
    ("batch", |text, _| batch(text)),
    ("members", |text, _| RawValue::parse(text).map(members).is_ok()),
    ("elements", |text, _| RawValue::parse(text).map(elements).is_ok()),
    ("pointer", |text, _| RawValue::parse(text).map(pointer).is_ok()),
    ("every value", |text, _| RawValue::parse(text).map(every_value).is_ok()),
    ("typed", typed),
    ("lines", |text, _| frame::<Lines>(text, BUFFER)),
    ("lines, bytewise", |text, _| frame::<Lines>(text, 1)),
    ("length", |text, _| frame::<ContentLength>(text, BUFFER)),
    ("length, bytewise", |text, _| frame::<ContentLength>(text, 1)),
    ("values", |text, _| frame::<Values>(text, BUFFER)),
    ("values, bytewise", |text, _| frame::<Values>(text, 1)),
    ("events", |text, _| frame::<Events>(text, BUFFER)),
    ("events, bytewise", |text, _| frame::<Events>(text, 1)),
    ("websocket", |text, _| frame::<WebSocket>(text, BUFFER)),
    ("websocket, bytewise", |text, _| frame::<WebSocket>(text, 1)),
    ("chunked", |text, output| black_box(&Chunked::new().decode(&mut output[..text.len()])).is_ok()),
    ("response head", |text, _| read_head(text, |name, value| _ = black_box((name, value))).is_ok()),
    ("request head", |text, _| str::from_utf8(text).map(request_head).is_ok()),
    ("target", |text, output| {
        str::from_utf8(text).is_ok_and(|target| black_box(call_in_target(target, "/rpc", output)).is_ok())
    }),
    ("server", server),
    ("server, batch", server),
];

/// The head of a text in a file of `benches/count`: the name of its reader, filled with spaces, and its length in little-endian order.
pub struct Record<'h> {
    pub name: &'h str,
    pub len: usize,
}

impl<'h> Record<'h> {
    pub fn of(head: &'h [u8; 24]) -> Self {
        let (name, len) = head.split_last_chunk::<4>().expect("a shorter part");
        let name = core::str::from_utf8(name).expect("a name");
        Self { name: name.trim_end(), len: u32::from_le_bytes(*len) as usize }
    }

    pub fn reader(&self) -> Reader {
        named(self.name)
    }
}

pub fn named(name: &str) -> Reader {
    READERS.iter().find(|(known, _)| *known == name).expect("the name of a reader").1
}

/// A batch, element by element: another member of each, and the copies of its id and method.
fn batch(text: &[u8]) -> bool {
    let mut is_accepted = false;
    for element in Envelopes::new(text, Dialect::JSON_RPC) {
        _ = black_box(element.map_or_else(|refused| refused.get("src"), |message| message.get("src")));
        is_accepted |= black_box(&element.and_then(Message::<64, 64>::try_from)).is_ok();
    }
    is_accepted
}

fn members(value: RawValue<'_>) {
    black_box(value.get("sensor"));
    for (name, value) in value.members() {
        black_box((name.as_str(), scalar(value)));
    }
}

fn elements(value: RawValue<'_>) {
    value.elements().for_each(|value| _ = black_box(scalar(value)));
}

fn pointer(value: RawValue<'_>) {
    black_box(value.pointer("/sensors/last/0/value"));
    black_box(value.pointer("/99999"));
}

/// Each value of the text, at any depth. The nesting of a validated text is limited, so this recursion is, too.
fn every_value(value: RawValue<'_>) {
    black_box((value.as_i64(), value.as_str()));
    value.elements().for_each(every_value);
    for (name, value) in value.members() {
        black_box(name.as_str());
        every_value(value);
    }
}

/// A value as each of the types that it can have.
fn scalar(value: RawValue<'_>) -> (Option<i64>, Option<f64>, Option<usize>) {
    (value.as_i64(), value.as_f64(), value.as_str_raw().map(|text| text.chars().count()))
}

/// An element of the array that [`typed`] reads.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Reading<'a> {
    sensor: &'a str,
    at: i64,
    celsius: f64,
    samples: Each<f64>,
}

/// The elements of an array, none of which is stored.
struct Each<T>(core::marker::PhantomData<T>);

impl<T> Default for Each<T> {
    fn default() -> Self {
        Self(core::marker::PhantomData)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Each<T> {
    type Value = Self;

    fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self, A::Error> {
        while let Some(element) = elements.next_element::<T>()? {
            black_box(&element);
        }
        Ok(self)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Each<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Self::default())
    }
}

/// An array of structs with strings, integers and floats.
fn typed(text: &[u8], output: &mut [u8]) -> bool {
    RawValue::parse(text).is_ok_and(|value| value.read_with::<Each<Reading<'_>>>(output).is_ok())
}

/// The messages of a stream that comes in reads of `len` bytes.
fn frame<F: Frame>(stream: &[u8], len: usize) -> bool {
    let mut is_accepted = false;
    let mut framer = Framer::<F, BUFFER>::new();
    for mut read in stream.chunks(len) {
        while !read.is_empty() && !framer.is_over() {
            let pushed = framer.push(read);
            read = &read[pushed..];
            while let Some(message) = framer.next() {
                is_accepted |= black_box(&message).is_ok();
            }
        }
    }
    while let Some(message) = framer.finish() {
        is_accepted |= black_box(&message).is_ok();
    }
    is_accepted
}

/// The headers of a request to an endpoint. A program splits the lines with a parser of HTTP.
fn request_head(lines: &str) {
    let head = Head::from_headers("POST", "/rpc", lines.split("\r\n").filter_map(|line| line.split_once(':')));
    _ = black_box(Endpoint::new().at("/rpc").reading_chunks().begin(&head, BUFFER));
}

/// A server with four routes.
fn server(text: &[u8], output: &mut [u8]) -> bool {
    #[derive(Deserialize)]
    struct Led {
        on: bool,
        #[serde(default)]
        level: i32,
    }

    let mut server = Server::new(
        Router::new()
            .request("subtract", |_: &mut i32, (a, b): (i32, i32)| a.checked_sub(b).ok_or(ErrorObject::INVALID_PARAMS))
            .request("level", |level: &mut i32| Ok(*level))
            .request("scale", |level: &mut i32, (scale,): (f32,)| Ok(*level as f32 * scale))
            .notification("led.set", |level: &mut i32, led: Led| *level = if led.on { led.level } else { 0 }),
    );
    black_box(server.process(&mut 0, text, output).answer()).is_some()
}
