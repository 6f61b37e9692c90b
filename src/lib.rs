//! Zero-copy, `no_std`, no-alloc JSON-RPC 2.0 for constrained targets.
//!
//! One pass over the bytes validates everything (UTF-8, RFC 8259, nesting, the JSON-RPC envelope) and captures the
//! parts. Params and results are raw, validated slices of the text, which you can read into your types. Nothing allocates, recurses or
//! panics, and there is no `unsafe`.
//!
//! # Read a message: borrowed, or held
//!
//! An [`Envelope`] borrows all of a message from its text: take it to look at a message, and to answer it at once. A [`Request`],
//! [`Notification`] or [`Response`] holds its id and method, decoded, in fixed-capacity buffers, and borrows only its params or result: take it to
//! write a message, or to keep one. A call to answer after the next read is kept by [`Request::without_params`].
//!
//! ```
//! # fn main() -> Result<(), Box<dyn core::error::Error>> {
//! use nanojsonrpc::{Envelope, EnvelopeKind, Request};
//!
//! let text = br#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
//! let envelope = Envelope::parse(text)?;
//! assert!(envelope.kind() == EnvelopeKind::Request && envelope.method() == "subtract");
//!
//! let request: Request<'_> = envelope.try_into()?; // or Request::parse(text)?
//! assert_eq!((request.method.as_str(), request.id.as_i64()), ("subtract", Some(1)));
//! # #[cfg(feature = "serde")] {
//! let (a, b): (i64, i64) = request.params()?;
//! assert_eq!(a - b, 19);
//! # }
//! # Ok(()) }
//! ```
//!
//! [`Envelopes`] gives the messages of a text, one or a batch of any length; a [`Message`] is a held message of any kind. A refusal borrows its id:
//! in a function that returns another error than [`Error`] for a text of its own, write `.map_err(Error::from)?`.
//!
//! # Answer a refused text
//!
//! ```
//! use nanojsonrpc::Envelope;
//!
//! let mut out = [0; 96];
//! let refused = Envelope::parse(b"{\"jsonrpc\":").unwrap_err();
//! assert_eq!(refused.to_string(), "unexpected end at byte 11");
//! let len = refused.write_response(&mut out).unwrap_or_default();
//! assert_eq!(&out[..len], br#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#);
//! ```
//!
//! # Write, one line each
//!
//! ```
//! # fn main() -> Result<(), nanojsonrpc::Error> {
//! use nanojsonrpc::{ErrorObject, Id, Notification, Request, Response};
//!
//! let mut out = [0; 128];
//! let n = Request::new(1, "sensor.subscribe").with_params(&["t1", "t2"]).write(&mut out)?;
//! assert_eq!(&out[..n], br#"{"jsonrpc":"2.0","method":"sensor.subscribe","params":["t1","t2"],"id":1}"#);
//! let n = Notification::new("ping").write(&mut out)?;
//! assert_eq!(&out[..n], br#"{"jsonrpc":"2.0","method":"ping"}"#);
//! let n = Response::success(1, &19).write(&mut out)?;
//! assert_eq!(&out[..n], br#"{"jsonrpc":"2.0","result":19,"id":1}"#);
//! let n = Response::error(Id::Null, ErrorObject::PARSE_ERROR).write(&mut out)?;
//! assert_eq!(&out[..n], br#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#);
//! # Ok(()) }
//! ```
//!
//! For batches, enums of the messages of one direction, and error messages in parts, see [`message`].
//!
//! # Look into a payload without serde
//!
//! ```
//! # fn main() -> Result<(), Box<dyn core::error::Error>> {
//! use nanojsonrpc::Notification;
//!
//! let text = br#"{"jsonrpc":"2.0","method":"reading","params":{"sensor":"t1","values":[20,21]}}"#;
//! let params = Notification::parse(text)?.params.unwrap_or(nanojsonrpc::RawValue::NULL);
//! assert_eq!(params.get("sensor").and_then(|sensor| sensor.as_str()), Some("t1"));
//! let values = params.get("values").into_iter().flat_map(|values| values.elements());
//! assert_eq!(values.filter_map(|value| value.as_i64()).sum::<i64>(), 41);
//! # Ok(()) }
//! ```
//!
//! [`RawValue::as_str`] is `None` for a string with an escape, such as `"\u0061"`; [`RawValue::as_str_raw`] compares and decodes any
//! string. For iterators, the parts of a [`Writer`], and the `Deserializer`, see [`json`].
//!
//! # Read a stream
//!
//! ```
//! use nanojsonrpc::Message;
//! use nanojsonrpc::frame::{Framer, Lines};
//!
//! let mut methods = 0;
//! let mut framer = Framer::<Lines, 128>::new();
//! // in chunks, as the bytes arrive
//! for chunk in ["{\"jsonrpc\":\"2.0\",\"meth", "od\":\"a\"}\n{\"jsonrpc\":\"2.0\",", "\"method\":\"b\"}\n"] {
//!     framer.push(chunk.as_bytes());
//!     while let Some(frame) = framer.next() {
//!         match frame.map(Message::parse) {
//!             Ok(Ok(Message::Notification(notification))) => methods += notification.method.as_str().len(),
//!             Ok(_) | Err(_) => {}
//!         }
//!     }
//! }
//! assert_eq!(methods, 2);
//! ```
//!
//! The module [`frame`] has the other frames, and the behaviour of each after an error.
//!
//! # Typed payloads
//!
//! With the feature `serde`, [`Request::params`], [`Notification::params`], [`Response::result`][`Response`], [`ErrorObject::data`] and
//! [`RawValue::read`][`RawValue`] read into any `Deserialize`, and messages are written with any `Serialize`. Values and texts equal
//! those of serde_json, except:
//!
//! | text or type | serde_json | here |
//! |---|---|---|
//! | string with an escape into `&str`, with a scratch buffer ([`RawValue::read_with`][`RawValue`]) | refused | read |
//! | string with an escape and over 256 bytes decoded, into a type that owns its text, without a scratch buffer and the feature `alloc` | read | [`EscapedString`](ErrorKind::EscapedString) |
//! | lone surrogate in an ignored string | read | not JSON |
//! | more than [`MAX_DEPTH`] open brackets, up to 127 | read | not JSON |
//! | a float, `-0` or an integer out of range, into a type that requests an integer from serde but also accepts an `f64` | read | refused |
//! | an integer, into a type that requests a float from serde | passed as an integer | passed as a float |
//! | params, or data of an error, without the `Option`s at the end of a tuple | refused | read as `None` |
//! | a number beyond `f32::MAX` into an `f32` | infinity | refused |
//! | an [`Id`] that is no `i64` (`1.50`, `-0`, 2^64) | the shortest text of its `f64`; with `arbitrary_precision` its text | exact |
//! | a number into serde_json's `Value` or `Number` with `arbitrary_precision` | its text | an integer of 64 bits, or its `f64` |
//!
//! NaN and infinities are written as null, as serde_json does. A field that overflows its capacity (`heapless`) is
//! [`InvalidLength`](ErrorKind::InvalidLength), with the offset of the value, its kind (string, array or object), and
//! the capacity of a vector or map: `expected an array, at most 16 long`.
//!
//! # Serve
//!
//! ```
//! # #[cfg(feature = "serde")] {
//! use nanojsonrpc::{ErrorObject, Router, Server};
//!
//! let mut server = Server::new(
//!     Router::new()
//!         .request("subtract", |_: &mut bool, (a, b): (i64, i64)| a.checked_sub(b).ok_or(ErrorObject::INVALID_PARAMS))
//!         .notification("led", |led: &mut bool, (on,): (bool,)| *led = on),
//! );
//! let (mut led, mut output) = (false, [0; 128]);
//! let call = br#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
//! let answer = br#"{"jsonrpc":"2.0","result":19,"id":1}"#;
//! assert_eq!(server.process(&mut led, call, &mut output).answer(), Some(&answer[..]));
//! let switch = br#"{"jsonrpc":"2.0","method":"led","params":[true]}"#;
//! assert_eq!((server.process(&mut led, switch, &mut output).answer(), led), (None, true));
//! # }
//! ```
//!
//! Module `service` (feature `macros`) generates all this from a trait, with params by name, a client, JSON Schemas and an OpenRPC
//! document. [`Handler`](server::Handler) lists the signatures of handlers. Module `connection` (feature `embedded-io`) serves a stream.
//!
//! # Call, and match the answers
//!
//! ```
//! # fn main() -> Result<(), Box<dyn core::error::Error>> {
//! use nanojsonrpc::{Client, Envelope, Writer, client::Answer};
//!
//! let mut client: Client<&str, 8> = Client::new();
//! let mut buffer = [0; 96];
//! let mut out = Writer::new(&mut buffer);
//! client.call("subtract", &[42, 23], "difference", &mut out)?;
//! assert_eq!(out.written(), br#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#);
//! let response = Envelope::parse(br#"{"jsonrpc":"2.0","result":19,"id":1}"#)?;
//! assert_eq!(client.accept(&response), Some(Answer::To("difference")));
//! # Ok(()) }
//! ```
//!
//! # Limits
//!
//! | item | limit | set by | beyond it |
//! |---|---|---|---|
//! | id: a decoded string, or the text of a number that is no `i64` (a [`Server`] or [`Envelope`]: no limit) | 64 bytes | const generic `ID` | [`IdTooLong`](ErrorKind::IdTooLong) |
//! | method of a received message, decoded (a [`Server`] or [`Envelope`]: no limit) | 64 bytes | const generic `METHOD` | [`MethodTooLong`](ErrorKind::MethodTooLong) |
//! | open brackets | [`MAX_DEPTH`] | constant | [`TooDeep`](ErrorKind::TooDeep) |
//! | elements of a batch | none | [`Dialect::with_max_batch`] | [`BatchTooLong`](ErrorKind::BatchTooLong) |
//! | length of a text | none | [`Dialect::with_max_len`] | [`MessageTooLong`](ErrorKind::MessageTooLong) |
//! | integers in payloads | 128 bits ([`RawValue::as_i64`], [`RawValue::as_u64`]: 64) | their type | `None`, [`InvalidValue`](ErrorKind::InvalidValue) |
//! | strings with escapes that a handler reads: the sum of their decoded lengths | the free part of the output | the caller | [`EscapedString`](ErrorKind::EscapedString), -32603; a notification is dropped; both are [`Event::Undecoded`](server::Event::Undecoded) |
//! | text, list or map in params, of a type with a capacity (`heapless`) | its capacity | the type | [`InvalidLength`](ErrorKind::InvalidLength), -32602, because the type is part of the method; with the capacity of a list or map |
//! | string with an escape, read into an owned type without a scratch buffer: decoded length | 256 bytes; no limit with the feature `alloc` | `params_with` | [`EscapedString`](ErrorKind::EscapedString) |
//! | message in a stream | the buffer | const generic of [`Framer`](frame::Framer), or a borrowed slice | [`TooLong`](frame::FrameErrorKind::TooLong) |
//! | header section in a stream | [`ContentLength::MAX_HEADER_LEN`](frame::ContentLength::MAX_HEADER_LEN) | constant | [`HeaderTooLong`](frame::FrameErrorKind::HeaderTooLong) |
//! | declared length in a stream | `u32::MAX` | constant | [`LengthTooLarge`](frame::FrameErrorKind::LengthTooLarge) |
//! | id of a server-sent event | 64 bytes | const generic of [`Events`](frame::Events) | [`EventIdTooLong`](frame::FrameErrorKind::EventIdTooLong) |
//! | name of a server-sent event | 32 bytes | const generic of [`Events`](frame::Events) | [`EventNameTooLong`](frame::FrameErrorKind::EventNameTooLong) |
//! | body of an HTTP request | the buffer | `http::Endpoint::begin` | status 413 |
//! | params in the target of a `GET` | 64 | `http::MAX_TARGET_PARAMS` | [`InvalidLength`](ErrorKind::InvalidLength) |
//! | line before a chunk of an HTTP body; trailers | 1,024 bytes | `http::Chunked::MAX_LINE_LEN` | `ChunkErrorKind::LineTooLong` |
//! | events stored for `Last-Event-ID` | `LEN` bytes, 65,535 each | const generic of `http::Replay` | the oldest is dropped |
//! | topic or subject of a broker | `N` bytes, at most 65,535 | const generic of `broker::Topic` | `TopicErrorKind::TooLong` |
//! | answered calls of a broker, to detect duplicates | `N`, with answers of `LEN` bytes in total | const generics of `broker::Recent` | the oldest is dropped; the error `broker::mqtt::ANSWER_LOST` |
//! | [`Output`] | the bytes, or the limit of a `Growing` | the caller | [`OutputFull`](ErrorKind::OutputFull) |
//! | room for the answer to a call | at least [`MIN_ANSWER_LEN`](server::MIN_ANSWER_LEN) bytes, which are 76, and the id | constant | -32600: [`IdTooLong`](ErrorKind::IdTooLong), in a batch [`BatchTooLong`](ErrorKind::BatchTooLong); no handler runs |
//! | handlers registered at run time | `N` | const generic of [`Registry`](server::Registry) | [`RegistryFull`](ErrorKind::RegistryFull) |
//! | calls in flight | `N` | const generic of [`Client`] | [`TooManyCalls`](ErrorKind::TooManyCalls) |
//! | values of an MCP completion | 100 | the protocol | the first 100, and `hasMore` |
//! | page of an MCP list | the output, and a number of entries | the caller, `Service::page_len` | a cursor for the next page |
//! | pages of a list that an MCP client follows | 1000 | `mcp::client::Client::max_pages` | `SessionError::Pages` |
//! | rounds of input that an MCP server requires | 16 | constant | `SessionError::Rounds` |
//! | deadline of a call | 2^31 ticks ahead | constant | a deadline more than 2^31 ticks ahead counts as expired |
//!
//! An item beyond a capacity is an error and is never truncated.
//!
//! # Not supported
//!
//! - Comments, trailing commas, single quotes, a byte order mark, NaN and infinities in texts. For JSON-RPC 1.0 and for devices that deviate
//!   from JSON-RPC 2.0, see [`Dialect::LENIENT`].
//! - Lone surrogates (`"\ud800"`): they are refused, because no Rust string can hold them.
//! - Repeated envelope members: the message is refused. Inside payloads [`RawValue::get`] finds the first, and
//!   serde decides about repeated fields of a type.
//! - Reading a part of a message. [`Error::is_incomplete`] shows whether more bytes could help.
//!
//! # Features
//!
//! | feature | on by default | adds | flash |
//! |---|---|---|---|
//! | `serde` | yes | typed params, results and data; messages as `Serialize` | for the types used |
//! | `serde-json-core` | no | its errors convert with `?`, its deserializer reads a [`RawValue`] | for used items |
//! | `embedded-io` | no | `connection`: serve and call over a stream of `embedded_io`; the pipe in [`memory`] is such a stream | for used items |
//! | `embedded-io-async` | no | the same for `embedded_io_async` | for used items |
//! | `mcp` | no | module `mcp`: the Model Context Protocol, messages, server and client; enables `http` | for used items |
//! | `authorization` | no | module `mcp::authorization`: OAuth as functions, for clients and servers; enables `mcp` | for used items |
//! | `websocket` | no | [WebSocket frames](frame) and the opening handshake | for used items |
//! | `broker` | no | module `broker`: topics of MQTT 5, subjects of NATS, calls that are delivered twice | for used items |
//! | `http` | no | module `http`: JSON-RPC over HTTP as functions, endpoint, webhooks, replayed events | for used items |
//! | `alloc` | no | owned text of any length through serde; `String` as error message and as output of MCP tools; framers and outputs that grow; needs a global allocator | for used items |
//! | `macros` | no | module `service`: services declared once; `json_schema`: JSON Schemas of types | as much as the same code by hand |
//! | `log` | no | `server::log_event`: dropped messages as warnings of the `log` crate | for used items |
//! | `defmt` | no | `defmt::Format` on every public type | for logged types |
//!
//! Features only add items: no result depends on a feature, except that `alloc` removes the limit of 256 bytes for owned strings. Two rules hold
//! only with `serde`: lists and options of a type are written only if it is `Serialize`, and `String` as a payload needs `alloc`. Without
//! `serde`, payloads are [`RawValue`]s and simple built-in values.
//!
//! # Floats
//!
//! Only [`RawValue::as_f32`], [`RawValue::as_f64`] and floats through serde use float code; other programs do not link it. The float is the
//! nearest one, ties to even, whatever the number of digits and the exponent, in a text of less than 2 GiB. Its text is the shortest one that is read as this float, of
//! these the nearest one. 64-bit hosts use `fast-float2` and `zmij`. Other machines use code without tables, float arithmetic and panics: on
//! thumbv7m an `f32` is read in 1.1 KB of flash, an `f64` in 1.2 KB, and written in 1.4 and 1.6 KB.
//!
//! A decimal fraction needs no float: [`RawValue::to_fixed`] reads `21.53` as 2153 hundredths, and [`Fixed`] is such a number in params and
//! results, `Fixed<i32, 2>`. Both are exact.
#![no_std]
#![deny(
    missing_docs,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation
)]
#![warn(clippy::std_instead_of_core, clippy::missing_errors_doc)]
// nightly: the documentation shows the feature that an item needs
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;

mod ascii;
#[cfg(any(feature = "mcp", feature = "websocket"))]
mod base64;
#[cfg(feature = "broker")]
pub mod broker;
pub mod client;
#[cfg(feature = "embedded-io")]
pub mod connection;
mod copy;
mod error;
pub mod frame;
#[cfg(feature = "http")]
pub mod http;
pub mod json;
#[cfg(feature = "macros")]
pub mod json_schema;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod memory;
pub mod message;
mod one_of;
pub mod server;
#[cfg(feature = "macros")]
pub mod service;

pub use client::Client;
pub use error::{Error, ErrorKind};
#[cfg(feature = "serde")]
pub use json::de::PayloadError;
pub use json::fixed::Fixed;
pub use json::grammar::MAX_DEPTH;
#[cfg(feature = "alloc")]
pub use json::growing::Growing;
pub use json::output::Output;
pub use json::string::RawStr;
pub use json::to_json::ToJson;
pub use json::value::RawValue;
pub use json::write::Writer;
pub use message::dialect::Dialect;
pub use message::envelope::Envelope;
pub use message::envelopes::{Batch, Envelopes};
pub use message::error_object::{ErrorCode, ErrorObject};
pub use message::hold::Message;
pub use message::id::Id;
pub use message::kind::EnvelopeKind;
pub use message::method::Method;
pub use message::notification::Notification;
pub use message::params::Params;
pub use message::refused::Refused;
pub use message::request::Request;
pub use message::response::Response;
#[cfg(feature = "macros")]
pub use nanojsonrpc_macros::{Schema, service};
pub use server::{Router, Server};
