//! The items that a framer of a WebSocket returns.

use super::opcode::{BINARY, CLOSE, PING, PONG};
use super::{Side, control};
use crate::error::Error;

/// A message or control frame from the peer. `as_ref` returns the bytes of the message, the payload of a ping or pong, or the reason of a
/// close.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Received<'b> {
    /// A message in text frames. It is UTF-8.
    Text(&'b [u8]),
    /// A message in binary frames. A connection treats it as text.
    Binary(&'b [u8]),
    /// A ping. The peer expects a pong with the same payload; see [`reply`](Self::reply).
    Ping(&'b [u8]),
    /// A pong. It has the payload of a ping, or any payload.
    Pong(&'b [u8]),
    /// The end of the connection.
    Close(Close<'b>),
}

/// The end of a connection. The constants are its codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Close<'b>(&'b [u8]);

impl<'b> Close<'b> {
    /// The connection has done its work. RFC 6455 §7.4.1.
    pub const NORMAL: u16 = 1000;
    /// One side goes away, such as a server that stops. RFC 6455 §7.4.1.
    pub const GOING_AWAY: u16 = 1001;
    /// The peer violated the protocol. RFC 6455 §7.4.1.
    pub const PROTOCOL_ERROR: u16 = 1002;
    /// The code of a close without a code; it is never sent. RFC 6455 §7.4.1.
    pub const NO_CODE: u16 = 1005;
    /// A text is not UTF-8. RFC 6455 §7.4.1.
    pub const INVALID_PAYLOAD: u16 = 1007;
    /// A message is too long. RFC 6455 §7.4.1.
    pub const TOO_BIG: u16 = 1009;

    /// The code; [`NO_CODE`](Self::NO_CODE) if the close has none. RFC 6455 §7.4.
    pub fn code(self) -> u16 {
        self.0.first_chunk().map_or(Self::NO_CODE, |code| u16::from_be_bytes(*code))
    }

    /// The reason in UTF-8, meant for logs.
    pub fn reason(self) -> &'b [u8] {
        self.0.get(2..).unwrap_or_default()
    }
}

impl<'b> Received<'b> {
    pub(super) fn of(opcode: u8, payload: &'b [u8]) -> Self {
        match opcode {
            BINARY => Self::Binary(payload),
            PING => Self::Ping(payload),
            PONG => Self::Pong(payload),
            CLOSE => Self::Close(Close(payload)),
            _ => Self::Text(payload),
        }
    }

    /// Writes the reply that the standard requires to the front of `out`, and returns its length: a pong to a ping, or a close with the
    /// same code to a close. Do not send a close twice. Other items need no reply; for these the length is 0. `S` is the side of the
    /// program.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if the reply does not fit. Then treat `out` as unwritten.
    pub fn reply<S: Side>(&self, out: &mut [u8]) -> Result<usize, Error> {
        match self {
            Self::Ping(payload) => control::<S>(PONG, payload, out),
            Self::Close(Close(payload)) => control::<S>(CLOSE, payload.get(..2).unwrap_or_default(), out),
            _ => Ok(0),
        }
    }
}

impl AsRef<[u8]> for Received<'_> {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Text(bytes) | Self::Binary(bytes) | Self::Ping(bytes) | Self::Pong(bytes) => bytes,
            Self::Close(close) => close.reason(),
        }
    }
}
