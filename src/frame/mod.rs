//! Frames: the ends of messages in a stream of bytes.
//!
//! | frame | a message is | for | after an error, reading continues |
//! |---|---|---|---|
//! | [`Lines`] | a line, which ends in LF or CRLF | the stdio transport of MCP, JSON Lines, serial lines | after the next LF |
//! | [`Delimited`] | a text that ends with CR, NUL, U+0003, U+001E or any set of control characters; `Lines` is one of these | terminals, Klipper, JSON text sequences | after the next end |
//! | [`ContentLength`] | as long as its header declares: `Content-Length: 42` | the Language Server Protocol | after the declared length, if that is too long; else at the next valid header |
//! | [`Events`] | the data of a server-sent event | the HTTP transports of MCP | after the next empty line |
//! | [`Values`] | a JSON value, refused at its first wrong byte | peers that send no separator after a message | after a value that is too long; else at the next line that begins with a bracket; if the peer sends no LF, the stream ends |
//!
//! If the peer ends each message with LF, use [`Lines`], also on a noisy serial line: a wrong byte costs one message. With [`Values`] it
//! can cost two messages, because a wrong opening bracket makes the next message a part of the damaged one.
//!
//! A frame of your own implements [`Decode`] and [`Frame`]: `examples/frames/mod.rs` has COBS, and a length before each message. Framers,
//! connections, limits and observers work with it as with the others.
//!
//! With the feature `websocket`, `WebSocket`: a message is one of RFC 6455, in a frame or in fragments. Reading continues after a message
//! that is too long; after a violation of the protocol, it ends.
//!
//! The messages do not depend on the cuts between chunks. Each message that is too long or truncated, each byte order
//! mark and each stretch of other bytes is one [`FrameError`], with a kind and an offset in the stream.
//!
//! A stream of [`Lines`], [`ContentLength`] or [`Values`] that begins as another protocol, with a request line or status line of HTTP, a
//! record of TLS or the version of SSH, is one [`OtherProtocol`](FrameErrorKind::OtherProtocol), and then [over](FramerOver::is_over).
//! Otherwise the body of a request that any web page can send would run as a call.
//!
//! A [`Framer`] reads, over one buffer: its own array, a borrowed slice, or growing memory; a [`Splitter`], in a buffer of the program. The [`Frame`] itself
//! writes: [`Frame::encode`] into a buffer, or [`Frame::head`] and [`Frame::tail`] around a message that is sent in
//! place.
//!
//! ```
//! # fn main() -> Result<(), nanojsonrpc::Error> {
//! use nanojsonrpc::frame::{ContentLength, Frame, Framer};
//!
//! let mut wire = [0; 32];
//! let len = ContentLength::encode(b"{\"id\":1}", &mut wire)?;
//! assert_eq!(&wire[..len], b"Content-Length: 8\r\n\r\n{\"id\":1}");
//!
//! let mut framer = Framer::<ContentLength, 64>::new();
//! framer.push(&wire[..len]);
//! assert_eq!(framer.next(), Some(Ok(&b"{\"id\":1}"[..])));
//! # Ok(()) }
//! ```

mod buffer;
mod content_length;
mod decode;
mod encode;
mod error;
mod event;
mod event_reader;
mod events;
mod framer;
mod front;
mod lines;
mod spans;
mod splitter;
mod values;
#[cfg(feature = "websocket")]
pub mod websocket;

use core::ops::Range;

pub use buffer::Buffer;
pub use content_length::ContentLength;
pub use decode::Decode;
pub use encode::Head;
#[cfg(feature = "embedded-io")]
pub(crate) use encode::escape_line_separators;
pub use error::{FrameError, FrameErrorKind};
pub use event::Event;
pub use events::Events;
pub use framer::{Framer, FramerOver};
pub use lines::{Delimited, Delimiter, LineFeed, Lines};
pub use spans::Spans;
pub use splitter::Splitter;
pub use values::Values;
#[cfg(feature = "websocket")]
pub use websocket::WebSocket;

use crate::error::Error;

/// U+FEFF in UTF-8.
const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// The span of the next message in the buffer, or the fault of the stream.
pub type Found = Result<Range<usize>, FrameError>;

/// A rule for the end of a message, with its reading half, [`Decode`]: [`Lines`] and other [`Delimited`] texts, [`ContentLength`], [`Events`], [`Values`], `WebSocket` with the feature `websocket`, and frames of
/// your own.
pub trait Frame: Decode {
    /// The item that a [`Framer`] returns. `as_ref` returns the message.
    type Item<'b>: AsRef<[u8]>
    where
        Self: 'b;

    /// Whether U+2028 and U+2029 are written as escapes, which are twice as long.
    #[doc(hidden)]
    const ESCAPES_LINE_SEPARATORS: bool = false;

    /// The length of the longest message that the frame can hold. A connection writes no longer one.
    const MAX_MESSAGE_LEN: usize = usize::MAX;

    /// The bytes before a message of `len` bytes.
    fn head(len: usize) -> Head;

    /// The bytes after a message, at most [`Head::MAX_TAIL_LEN`].
    fn tail() -> &'static [u8];

    /// Replaces every CR and LF of a JSON text by a space, if they would break the frame.
    ///
    /// A raw CR or LF in a valid JSON text is white space between tokens, as a space is. RFC 8259 §2, §7.
    /// [`encode`](Self::encode) calls this method.
    fn replace_line_ends(message: &mut [u8]);

    /// Writes `message`, a JSON text, in its frame to the front of `out`, and returns the length of the frame.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if the frame does not fit; then `out` counts as unwritten.
    fn encode(message: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let (place, len) = encode::around(Self::head(message.len()).as_ref(), message, Self::tail(), out)?;
        Self::replace_line_ends(out.get_mut(place).unwrap_or_default());
        Ok(len)
    }

    /// Writes the [head](Self::head) in front of a message that is sent in place, and replaces its line ends. `output` is [`Head::MAX_LEN`]
    /// bytes of room, and the message. Returns the offset at which the frame begins; its [tail](Self::tail) is written behind `output`.
    ///
    /// A frame that changes messages, such as COBS, implements this method and [`encode`](Self::encode).
    fn encode_in_place(output: &mut [u8]) -> usize {
        let message = output.get_mut(Head::MAX_LEN..).unwrap_or_default();
        Self::replace_line_ends(message);
        Self::head(message.len()).put_before(output)
    }

    /// As [`encode_in_place`](Self::encode_in_place). `opcode` is that of [`Control::Reply`], or 0.
    #[doc(hidden)]
    fn seal(_opcode: u8, output: &mut [u8]) -> usize {
        Self::encode_in_place(output)
    }

    /// Whether the stream has ended by the rules of the frame, so that nothing more is read or sent.
    fn is_over(&self) -> bool {
        false
    }

    /// The item for a message.
    fn item<'b>(&'b self, message: &'b [u8]) -> Self::Item<'b>;
}

/// Control: the action of a connection for a message or fault that concerns only the frame, such as a ping.
#[allow(dead_code, reason = "only WebSocket replies")]
#[doc(hidden)]
#[derive(Debug)]
#[non_exhaustive]
pub enum Control<'m> {
    /// No action: the message or fault is for the program.
    No,
    /// No action: the message or fault concerns only the frame, and needs no reply.
    Idle,
    /// Sends a frame with this opcode and payload.
    Reply(u8, &'m [u8]),
}
