//! WebSocket: frames, sides and the opening handshake. RFC 6455.
//!
//! A connection begins as HTTP: [`handshake`] implements both sides of that as functions of header values. After the handshake,
//! [`WebSocket`] frames the stream for a [`Framer`](super::Framer) or a `Connection`.
//!
//! A message in a text or binary frame is one JSON-RPC message; answers are text. A `Connection` itself answers pings and closes, and ends
//! a stream that violates the standard with the close code of the violation. Its method `close` ends the stream for the program;
//! [`WebSocket::peer_close`] has the code of a close of the peer. A `Framer` returns each [`Received`] instead; [`Received::reply`] writes
//! the pong or close that the standard requires.
//!
//! Not supported: extensions such as compression, and outgoing messages in fragments.
//!
//! ```
//! # fn main() -> Result<(), nanojsonrpc::Error> {
//! use nanojsonrpc::frame::websocket::{Received, Server};
//! use nanojsonrpc::frame::{Frame, Framer, WebSocket};
//!
//! // "Hello" in a masked text frame, and a ping: RFC 6455 §5.7
//! let mut framer = Framer::<WebSocket, 64>::new();
//! framer.push(b"\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58\x89\x80\0\0\0\0");
//! assert_eq!(framer.next(), Some(Ok(Received::Text(b"Hello"))));
//!
//! let mut wire = [0; 64];
//! let Some(Ok(ping)) = framer.next() else { panic!("no ping") };
//! assert_eq!(ping.reply::<Server>(&mut wire), Ok(2));
//! assert_eq!(&wire[..2], b"\x8a\x00");
//!
//! let len = <WebSocket>::encode(b"Hello", &mut wire)?;
//! assert_eq!(&wire[..len], b"\x81\x05Hello");
//! # Ok(()) }
//! ```

pub mod handshake;
mod mask;
mod reader;
mod received;
mod side;
mod utf8;

use core::fmt;
use core::marker::PhantomData;

pub use received::{Close, Received};
pub use side::{Client, MaskingKey, Server, Side};

use self::reader::Reader;
use super::decode::Decode;
use super::encode::{Head, Out};
use super::spans::Spans;
use super::{Control, Found, Frame, FrameErrorKind};
use crate::error::{Error, ErrorKind};

mod opcode {
    pub(super) const CONTINUATION: u8 = 0;
    pub(super) const TEXT: u8 = 1;
    pub(super) const BINARY: u8 = 2;
    pub(super) const CLOSE: u8 = 8;
    pub(super) const PING: u8 = 9;
    pub(super) const PONG: u8 = 10;
}

/// The maximum payload of a ping, a pong or a close, with its code. RFC 6455 §5.5.
pub const MAX_CONTROL_LEN: usize = 125;

/// Framing by WebSocket messages, each in one frame or in fragments. RFC 6455.
///
/// `S` is the side of the program. [`Server`], the default, requires masks on its input and sends none; [`Client`] refuses masks on its
/// input, and masks its output with keys of the program.
///
/// The buffer stores messages without headers: fragments are joined and unmasked in place. Text is checked for UTF-8 as it arrives, so
/// the first wrong byte ends the stream; of a text that is too long, at most its front is checked. The item is [`Received`].
///
/// # Limits
/// A message in one frame: the length of the buffer. In fragments: all but the last together must be shorter than the buffer. Declared
/// length of a frame: `u32::MAX`. A ping, pong or close between fragments needs room after the stored fragments. To answer a ping, a
/// connection needs an output of 40 bytes plus the payload of the ping, at most 125; to answer a close with a code, or a fault, 42 bytes.
/// If the output is shorter, the ping, close or fault is an error of the connection, [`OutputFull`](ErrorKind::OutputFull), and ends
/// `serve`.
///
/// # Errors and recovery
/// - [`TooLong`](FrameErrorKind::TooLong), at the last byte of the length, once the front of the message has filled the buffer: the framer
///   drops the rest of the message. If a ping, pong or
///   close does not fit after the stored fragments, the fragments are dropped. If it does not fit an empty buffer, the ping, pong or close
///   is dropped, too, and gets no reply.
/// - A kind with a [`close_code`](FrameErrorKind::close_code) for a violation of the protocol or a frame that is too large: the framer
///   drops everything after it, as the standard requires. The offset is the byte in the header or the text that shows the fault; for a text
///   that stops inside a character, the last byte of the text.
/// - [`Truncated`](FrameErrorKind::Truncated): the stream ends inside a frame or between fragments.
///
/// Everything after a close is dropped without an error: RFC 6455 §5.5.1.
///
/// ```
/// use nanojsonrpc::frame::websocket::{Client, MaskingKey, Received};
/// use nanojsonrpc::frame::{Frame, FrameErrorKind, Framer, WebSocket};
///
/// struct Random;
///
/// impl MaskingKey for Random {
///     fn next_key() -> [u8; 4] {
///         [0x37, 0xfa, 0x21, 0x3d] // from the random numbers of your system
///     }
/// }
///
/// let mut wire = [0; 32];
/// assert_eq!(WebSocket::<Client<Random>>::encode(b"Hello", &mut wire), Ok(11));
/// assert_eq!(&wire[..11], b"\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58");
///
/// // two fragments with a ping between them, then a masked frame, which no server may send
/// let mut framer = Framer::<WebSocket<Client<Random>>, 32>::new();
/// framer.push(b"\x01\x03Hel\x89\x00\x80\x02lo\x81\x85");
/// assert_eq!(framer.next(), Some(Ok(Received::Ping(b""))));
/// assert_eq!(framer.next(), Some(Ok(Received::Text(b"Hello"))));
/// let error = framer.next().and_then(Result::err).map(|error| (error.kind(), error.offset()));
/// assert_eq!(error, Some((FrameErrorKind::UnexpectedMask, 12)));
/// ```
pub struct WebSocket<S = Server> {
    reader: Reader,
    side: PhantomData<fn() -> S>,
}

impl<S: Side> WebSocket<S> {
    /// Writes a ping to the front of `out`, and returns its length. The peer answers with a pong that has the same payload.
    ///
    /// ```
    /// use nanojsonrpc::frame::websocket::{MAX_CONTROL_LEN, Received, Server};
    /// use nanojsonrpc::frame::{Framer, WebSocket};
    ///
    /// let mut out = [0; 16];
    /// assert_eq!(<WebSocket>::ping(b"7", &mut out), Ok(3));
    /// assert_eq!(&out[..3], b"\x89\x017");
    /// assert!(<WebSocket>::ping(&[0; MAX_CONTROL_LEN + 1], &mut [0; 256]).is_err());
    ///
    /// // a masked ping and a masked close with the code 1000 and the reason "bye"
    /// let mut framer = Framer::<WebSocket<Server>, 32>::new();
    /// framer.push(b"\x89\x81\0\0\0\x007\x88\x85\0\0\0\0\x03\xe8bye");
    /// assert_eq!(framer.next(), Some(Ok(Received::Ping(b"7"))));
    /// assert_eq!(<WebSocket>::pong(b"7", &mut out), Ok(3));
    /// let Some(Ok(Received::Close(close))) = framer.next() else { unreachable!() };
    /// assert_eq!((close.code(), close.reason()), (1000, &b"bye"[..]));
    /// ```
    ///
    /// # Errors
    /// [`InvalidValue`](ErrorKind::InvalidValue) if `payload` is longer than [`MAX_CONTROL_LEN`];
    /// [`OutputFull`](ErrorKind::OutputFull). Then treat `out` as unwritten.
    pub fn ping(payload: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        control::<S>(opcode::PING, payload, out)
    }

    /// Writes a pong to the front of `out`, and returns its length. `payload` is the payload of the ping.
    ///
    /// # Errors
    /// As [`ping`](Self::ping).
    pub fn pong(payload: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        control::<S>(opcode::PONG, payload, out)
    }

    /// Writes a close with a code to the front of `out`, and returns its length. Send nothing after it.
    ///
    /// ```
    /// use nanojsonrpc::frame::WebSocket;
    /// use nanojsonrpc::frame::websocket::Close;
    ///
    /// let mut out = [0; 16];
    /// assert_eq!(<WebSocket>::close(Close::NORMAL, "bye", &mut out), Ok(7));
    /// assert_eq!(&out[..7], b"\x88\x05\x03\xe8bye");
    /// ```
    ///
    /// # Errors
    /// [`InvalidValue`](ErrorKind::InvalidValue) if the standard forbids sending this `code`, or if the reason is longer than 123 bytes;
    /// [`OutputFull`](ErrorKind::OutputFull). Then treat `out` as unwritten.
    pub fn close(code: u16, reason: &str, out: &mut [u8]) -> Result<usize, Error> {
        let mut payload = [0; MAX_CONTROL_LEN];
        let mut rest = Out::new(&mut payload);
        let whole = rest.put(&code.to_be_bytes()).and_then(|()| rest.put(reason.as_bytes()));
        let len = rest.len();
        if whole.is_err() || !reader::is_close_code(code) {
            return Err(Error::new(ErrorKind::InvalidValue, 0));
        }
        control::<S>(opcode::CLOSE, payload.get(..len).unwrap_or_default(), out)
    }

    /// Whether the peer has closed the connection or violated the protocol. The framer then ignores further input.
    pub const fn is_over(&self) -> bool {
        self.reader.is_over()
    }

    /// The code of the close that the peer has sent; [`Close::NO_CODE`] if that close had no code or did not fit the buffer. `None` if the peer
    /// has sent no close since the framer was cleared.
    ///
    /// After a connection has ended, the code shows whether to connect again: a hub may close with a code of its own, 3000 to 4999. RFC
    /// 6455 §7.4.
    ///
    /// ```
    /// use nanojsonrpc::frame::{Framer, WebSocket};
    ///
    /// let mut framer = Framer::<WebSocket, 64>::new();
    /// // a masked close with the code 4001
    /// framer.push(b"\x88\x82\0\0\0\0\x0f\xa1");
    /// while framer.next().is_some() {}
    /// assert_eq!(framer.frame().peer_close(), Some(4001));
    /// ```
    pub const fn peer_close(&self) -> Option<u16> {
        self.reader.close_code()
    }
}

fn control<S: Side>(opcode: u8, payload: &[u8], out: &mut [u8]) -> Result<usize, Error> {
    if payload.len() > MAX_CONTROL_LEN {
        return Err(Error::new(ErrorKind::InvalidValue, 0));
    }
    put(opcode, payload, S::key(), out)
}

/// Writes a frame to the front of `out`, and returns its length.
fn put(opcode: u8, payload: &[u8], key: Option<[u8; 4]>, out: &mut [u8]) -> Result<usize, Error> {
    let head = head(opcode, payload.len(), key);
    let (place, len) = super::encode::around(head.as_ref(), payload, b"", out)?;
    if let Some(key) = key {
        mask::apply(out.get_mut(place).unwrap_or_default(), u32::from_le_bytes(key));
    }
    Ok(len)
}

/// The header of a frame that holds a whole message.
fn head(opcode: u8, len: usize, key: Option<[u8; 4]>) -> Head {
    let long = (len as u64).to_be_bytes();
    let [.., high, low] = long;
    let mask = if key.is_some() { 0x80 } else { 0 };
    let (code, bytes) = match len {
        0..=125 => (low, &[][..]),
        126..=0xFFFF => (126, &[high, low][..]),
        _ => (127, &long[..]),
    };
    Head::of(&[&[0x80 | opcode, mask | code], bytes, key.as_ref().map_or(&[], |key| &key[..])])
}

impl<S: Side> Decode for WebSocket<S> {
    const NEW: Self = Self { reader: Reader::NEW, side: PhantomData };

    fn step(&mut self, bytes: &mut [u8], limit: usize, spans: &mut Spans) -> Option<Found> {
        self.reader.step(bytes, limit, spans, S::HAS_MASKED_INPUT)
    }

    fn end(&mut self, _: &mut [u8], spans: &mut Spans) -> Option<Found> {
        self.reader.end(spans)
    }

    fn control<'m>(&self, found: Result<&'m [u8], FrameErrorKind>) -> Control<'m> {
        match (found, self.reader.found()) {
            (Ok(payload), opcode::PING) => Control::Reply(opcode::PONG, payload),
            (Ok(payload), opcode::CLOSE) => Control::Reply(opcode::CLOSE, payload.get(..2).unwrap_or_default()),
            (Ok(_), opcode::PONG) | (Err(FrameErrorKind::Truncated), _) => Control::Idle,
            (Err(kind), _) => {
                kind.close_code().map_or(Control::No, |code| Control::Reply(opcode::CLOSE, code_bytes(code)))
            }
            _ => Control::No,
        }
    }
}

impl<S: Side> Frame for WebSocket<S> {
    type Item<'b>
        = Received<'b>
    where
        S: 'b;

    /// The header of a text frame. For a client, the key in the header is 0, which leaves the message unchanged. A frame must have a random
    /// key, so [`encode`](Self::encode) and connections replace the 0 by a new key for each frame.
    fn head(len: usize) -> Head {
        head(opcode::TEXT, len, if S::HAS_MASKED_INPUT { None } else { Some([0; 4]) })
    }

    fn tail() -> &'static [u8] {
        b""
    }

    /// Does nothing: a message may contain any bytes in this framing.
    fn replace_line_ends(_: &mut [u8]) {}

    fn encode(message: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        put(opcode::TEXT, message, S::key(), out)
    }

    fn seal(opcode: u8, output: &mut [u8]) -> usize {
        let message = output.get_mut(Head::MAX_LEN..).unwrap_or_default();
        let key = S::key();
        if let Some(key) = key {
            mask::apply(message, u32::from_le_bytes(key));
        }
        head(if opcode == 0 { opcode::TEXT } else { opcode }, message.len(), key).put_before(output)
    }

    fn is_over(&self) -> bool {
        self.reader.is_over()
    }

    fn item<'b>(&'b self, message: &'b [u8]) -> Received<'b> {
        Received::of(self.reader.found(), message)
    }
}

/// The payload of a close with this code.
const fn code_bytes(code: u16) -> &'static [u8] {
    const CODES: [[u8; 2]; 3] =
        [Close::PROTOCOL_ERROR.to_be_bytes(), Close::INVALID_PAYLOAD.to_be_bytes(), Close::TOO_BIG.to_be_bytes()];
    let [protocol_error, invalid_payload, too_big] = &CODES;
    match code {
        Close::INVALID_PAYLOAD => invalid_payload,
        Close::TOO_BIG => too_big,
        _ => protocol_error,
    }
}

impl<S> fmt::Debug for WebSocket<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WebSocket").field(&self.reader).finish()
    }
}

#[cfg(feature = "defmt")]
impl<S> defmt::Format for WebSocket<S> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "WebSocket({})", self.reader);
    }
}
