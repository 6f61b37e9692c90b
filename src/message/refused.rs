//! A refused text, with all data for its response.

use core::fmt;

use super::{ErrorCode, classify};
use crate::error::{Error, ErrorKind};
use crate::json::{Captured, RawValue};

/// A refused text: the fault, and the id for the error response, if it could be read.
///
/// ```
/// use nanojsonrpc::{ErrorCode, Request};
///
/// let text = br#"{"jsonrpc":"2.0","method":1,"id":"a"}"#;
/// if let Err(refused) = Request::parse(text) {
///     assert_eq!(refused.code(), ErrorCode::INVALID_REQUEST);
///     assert_eq!((refused.offset(), refused.id.map(|id| id.as_bytes())), (26, Some(&b"\"a\""[..])));
///     let mut buffer = [0; 96];
///     let len = refused.write_response(&mut buffer).unwrap_or_default();
///     assert_eq!(
///         &buffer[..len],
///         br#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":"a"}"#
///     );
/// }
/// ```
///
/// Borrows the id from the text. With `?` it becomes an [`Error`], which borrows nothing, in a function that returns one; a function that returns
/// another error for a text of its own writes `.map_err(Error::from)?`.
///
/// Source: JSON-RPC 2.0 §5, on the id of an error response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Refused<'a> {
    /// The kind and the offset of the fault.
    pub error: Error,
    /// The id of the message; `None` if it is absent, invalid, repeated or too long, and for a syntax error.
    pub id: Option<RawValue<'a>>,
    /// The opposite of [`is_answerable`](Self::is_answerable): 4 bytes of flash less (thumbv7m at `s`, 2026-11).
    pub(super) is_silent: bool,
}

impl<'a> Refused<'a> {
    /// The refusal of `text`, of which some members may be `captured`.
    pub(super) fn of(error: Error, text: &'a [u8], captured: &Captured<'a>) -> Self {
        Self {
            error,
            id: RawValue::optional(text, captured.get(classify::ID)),
            is_silent: classify::is_response(captured),
        }
    }

    /// The kind of the fault.
    pub const fn kind(&self) -> ErrorKind {
        self.error.kind()
    }

    /// The offset of the fault, in bytes from the front of the text.
    pub const fn offset(&self) -> usize {
        self.error.offset()
    }

    /// Whether the text gets a response. `false` for an object with `result` or `error` and without `method`, because an error response
    /// with the same id would end a call of the peer. Also `false` for a valid notification or response that was refused for its kind, or
    /// for the length of its id or method.
    ///
    /// ```
    /// use nanojsonrpc::Envelope;
    ///
    /// let answerable = |text: &'static [u8]| Envelope::parse(text).map_err(|refused| refused.is_answerable());
    /// assert_eq!(answerable(br#"{"jsonrpc":"2.0","method":1,"id":1}"#), Err(true));
    /// assert_eq!(answerable(br#"{"jsonrpc":"2.0","error":1,"id":1}"#), Err(false));
    /// ```
    pub const fn is_answerable(&self) -> bool {
        !self.is_silent
    }

    /// The error code for the response.
    pub const fn code(self) -> ErrorCode {
        self.error.code()
    }
}

impl From<Refused<'_>> for Error {
    fn from(refused: Refused<'_>) -> Self {
        refused.error
    }
}

impl fmt::Display for Refused<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl core::error::Error for Refused<'_> {}
