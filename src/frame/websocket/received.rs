//! The items that a framer of a WebSocket returns.

use super::opcode::{BINARY, CLOSE, PING, PONG};
use super::{NO_CODE, Side, control};
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

/// The end of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Close<'b>(&'b [u8]);

impl<'b> Close<'b> {
    /// The code; [`NO_CODE`] if the close has none. RFC 6455 §7.4.
    pub fn code(self) -> u16 {
        self.0.first_chunk().map_or(NO_CODE, |code| u16::from_be_bytes(*code))
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
