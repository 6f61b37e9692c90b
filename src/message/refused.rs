//! A refused text, with all data for its response.

use core::fmt;

use super::{ErrorCode, classify};
use crate::error::{Error, ErrorKind};
use crate::json::{Captured, Kind, RawValue, ReadableMembers};

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
    /// The whole received text; for an element of a batch, that of the batch.
    pub text: &'a [u8],
    /// The offset of the message in the text, or of what separates it from the last one.
    pub(super) start: usize,
    /// The opposite of [`is_answerable`](Self::is_answerable): 4 bytes of flash less (thumbv7m at `s`, 2026-11).
    pub(super) is_silent: bool,
}

impl<'a> Refused<'a> {
    /// The refusal of the message at `start` in `text`, of which some members may be `captured`.
    pub(super) fn of(error: Error, text: &'a [u8], start: usize, captured: &Captured<'a>) -> Self {
        Self {
            error,
            id: RawValue::optional(text, captured.get(classify::ID)),
            text,
            start,
            is_silent: classify::is_unanswered(error, captured),
        }
    }

    /// The refusal of a message of which only the front, `text`, was received.
    #[cfg(all(feature = "embedded-io", any(feature = "mcp", feature = "serde")))]
    pub(crate) const fn unread(error: Error, text: &'a [u8]) -> Self {
        Self { error, id: None, text, start: 0, is_silent: true }
    }

    /// The kind of the fault.
    pub const fn kind(&self) -> ErrorKind {
        self.error.kind()
    }

    /// The offset of the fault, in bytes from the front of the text.
    pub const fn offset(&self) -> usize {
        self.error.offset()
    }

    /// Whether the text gets a response. `false` for an object with `result` or `error`, because an error response with the same id would
    /// end a call of the peer; and for an object without `id` whose `method` is a string, which is a notification, such as one with wrong
    /// params. Also `false` for a valid notification or response that was refused for its kind, or for the length of its id or method.
    ///
    /// ```
    /// use nanojsonrpc::Envelope;
    ///
    /// let answerable = |text: &'static [u8]| Envelope::parse(text).map_err(|refused| refused.is_answerable());
    /// assert_eq!(answerable(br#"{"jsonrpc":"2.0","method":1,"id":1}"#), Err(true));
    /// assert_eq!(answerable(br#"{"jsonrpc":"2.0","error":1,"id":1}"#), Err(false));
    /// assert_eq!(answerable(br#"{"jsonrpc":"2.0","method":"led","params":7}"#), Err(false));
    /// ```
    pub const fn is_answerable(&self) -> bool {
        !self.is_silent
    }

    /// The member `name` of the refused object, as far as it could be read: `None` if it is absent, or if the first syntax error is before
    /// it or in it. Of two members with the name, the first. Of an array, a member of the first element, or of the element that was refused.
    ///
    /// ```
    /// use nanojsonrpc::Response;
    ///
    /// let refused = Response::parse(br#"{"id":1,"error":{"message":"Must home axis first"}}"#).unwrap_err();
    /// let message = refused.get("error").and_then(|error| error.get("message"));
    /// assert!(message.and_then(|message| message.as_str_raw()).is_some_and(|message| message == *"Must home axis first"));
    ///
    /// let refused = Response::parse(br#"{"id":1,"result":nan}"#).unwrap_err();
    /// assert_eq!(refused.id, None); // no response to a syntax error has an id
    /// assert_eq!(refused.get("id").and_then(|id| id.as_i64()), Some(1));
    /// ```
    pub fn get(&self, name: &str) -> Option<RawValue<'a>> {
        self.members()?.find(|(found, _)| *found == *name)?.1
    }

    fn members(&self) -> Option<ReadableMembers<'a>> {
        ReadableMembers::new(self.text, self.text.get(self.start..)?)
    }

    /// The id of the call that this text may answer, `Some(None)` if it cannot be read. `None` if the text answers no call: it does not begin
    /// an object, or it shows a method and no result or error, or it is a whole object without all of these.
    pub(crate) fn answered_id(&self) -> Option<Option<RawValue<'a>>> {
        let mut members = self.members()?;
        let (mut id, mut is_call, mut is_response) = (None, false, false);
        for (name, value) in &mut members {
            if name == *"id" {
                id = value.filter(|value| matches!(value.kind(), Kind::String | Kind::Number));
            }
            is_call |= name == *"method";
            is_response |= name == *"result" || name == *"error";
        }
        let is_answer = is_response || !is_call && (id.is_some() || !members.is_whole());
        is_answer.then_some(id)
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
