//! A refused text, with all data for its response.

use core::fmt;

use super::{ErrorCode, ErrorObject, Id, Refused, Response};
use crate::error::{Error, ErrorKind};
use crate::json::{RawValue, start_of};

/// The reason why a text was refused, and the id for the response.
///
/// ```
/// use nanojsonrpc::{ErrorCode, Id, Request};
///
/// let text = br#"{"jsonrpc":"2.0","method":1,"id":"a"}"#;
/// if let Err(rejection) = Request::parse(text) {
///     assert_eq!(rejection.code(), ErrorCode::INVALID_REQUEST);
///     assert_eq!((rejection.offset(), rejection.id()), (26, &Id::try_from("a").unwrap_or_default()));
///     let mut buffer = [0; 96];
///     let len = rejection.answer().and_then(|answer| answer.write(&mut buffer).ok()).unwrap_or_default();
///     assert_eq!(
///         &buffer[..len],
///         br#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":"a"}"#
///     );
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Rejection<const ID: usize = 64> {
    error: Error,
    id: Id<ID>,
    is_answerable: bool,
}

impl<const ID: usize> Rejection<ID> {
    pub(super) const fn new(error: Error, id: Id<ID>) -> Self {
        Self { error, id, is_answerable: true }
    }

    /// A rejection without a response: "The Server MUST NOT reply to a Notification" (JSON-RPC 2.0 §4.1), and a response is not a call.
    pub(super) const fn silent(error: Error) -> Self {
        Self { error, id: Id::Null, is_answerable: false }
    }

    /// Adds the offset of the message in `text` to a fault that was found without the text.
    pub(super) fn in_text(self, text: &[u8]) -> Self {
        Self { error: Error::new(self.error.kind(), start_of(text)), ..self }
    }

    /// A rejection with an empty id, which the caller fills in place.
    pub(super) const fn unfilled(refused: &Refused<'_>) -> Self {
        Self { error: refused.error, id: Id::Null, is_answerable: refused.is_answerable() }
    }

    /// Fills in the id. If `id` does not fit, the id stays null.
    pub(super) fn fill_from(&mut self, id: Option<RawValue<'_>>) {
        if let Some(id) = id {
            _ = self.id.read_into(id);
        }
    }

    /// The id, for the caller to fill in.
    pub(super) const fn id_mut(&mut self) -> &mut Id<ID> {
        &mut self.id
    }

    /// The kind and the offset of the fault.
    pub const fn error(&self) -> Error {
        self.error
    }

    /// The kind of the fault.
    pub const fn kind(&self) -> ErrorKind {
        self.error.kind()
    }

    /// The offset of the fault, in bytes from the front of the text.
    pub const fn offset(&self) -> usize {
        self.error.offset()
    }

    /// The error code for the response.
    pub const fn code(&self) -> ErrorCode {
        self.error.code()
    }

    /// The id of the message; null if it is absent, invalid, repeated or too long, and for a syntax error.
    pub const fn id(&self) -> &Id<ID> {
        &self.id
    }

    /// Whether the text gets a response. `false` for a valid notification or response where another kind was expected; and for an object
    /// with `result` or `error` and without `method`, even if it is otherwise invalid, because a response with the same id would end a call
    /// of the peer.
    pub const fn is_answerable(&self) -> bool {
        self.is_answerable
    }

    /// The error response to send, with a standard message or one that names the limit; `None` if the text is not
    /// [answerable](Self::is_answerable).
    pub fn answer(self) -> Option<Response<'static, ID>> {
        let outcome = Err(ErrorObject::refusing(self.error));
        if self.is_answerable { Some(Response { id: self.id, outcome }) } else { None }
    }
}

impl<const ID: usize> From<Refused<'_>> for Rejection<ID> {
    fn from(refused: Refused<'_>) -> Self {
        let mut rejection = Self::unfilled(&refused);
        rejection.fill_from(refused.id);
        rejection
    }
}

impl<const ID: usize> From<Error> for Rejection<ID> {
    fn from(error: Error) -> Self {
        Self::new(error, Id::Null)
    }
}

impl<const ID: usize> From<Rejection<ID>> for Error {
    fn from(rejection: Rejection<ID>) -> Self {
        rejection.error
    }
}

impl<const ID: usize> fmt::Display for Rejection<ID> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<const ID: usize> core::error::Error for Rejection<ID> {}
