//! What a text is, with nothing copied: the borrowed read that everything else stands on.

use super::{Dialect, ErrorCode, examine};
use crate::error::Error;
use crate::json::{Noted, RawStr, RawValue};

/// What kind of message an [`Envelope`] holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum EnvelopeKind {
    /// `method` and `id`.
    Request,
    /// `method` without `id`.
    Notification,
    /// `result` and `id`.
    Success,
    /// `error` and `id`.
    Error,
    /// An array of messages, each still to be judged.
    Batch,
}

/// A message as it stands in its text: what it is, and where its parts are. Nothing is copied or decoded.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Refused<'static>> {
/// use nanojsonrpc::{Envelope, EnvelopeKind};
///
/// let envelope = Envelope::parse(br#"{"jsonrpc":"2.0","method":"led","params":[true],"id":7}"#)?;
/// assert_eq!(envelope.kind(), EnvelopeKind::Request);
/// assert!(envelope.method() == "led");
/// assert_eq!(envelope.params().map(|params| params.as_bytes()), Some(&b"[true]"[..]));
/// assert_eq!(envelope.id().and_then(|id| id.as_i64()), Some(7));
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Envelope<'a> {
    kind: EnvelopeKind,
    text: &'a [u8],
    // the parts as they stand in `text`, empty where absent
    id: &'a [u8],
    method: &'a [u8],
    payload: &'a [u8],
}

/// A text that is no message: why, and the id with which to say so, if it could be read.
///
/// Source: JSON-RPC 2.0 §5, on the id of an error response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Refused<'a> {
    /// What is wrong, and where.
    pub error: Error,
    /// The message's own id where it was read whole, valid and not repeated. Always `None` for a syntax error.
    pub id: Option<RawValue<'a>>,
}

impl Refused<'_> {
    /// The code that answers it.
    pub const fn code(self) -> ErrorCode {
        self.error.code()
    }
}

impl core::fmt::Display for Refused<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.error.fmt(f)
    }
}

impl core::error::Error for Refused<'_> {}

impl<'a> Envelope<'a> {
    /// Reads one message, or a batch, from the whole of `text`.
    ///
    /// # Limits
    /// Nesting: [`MAX_DEPTH`](crate::MAX_DEPTH). Stack: constant. Time: one pass over `text`.
    ///
    /// # Errors
    /// A syntax error if there is one anywhere in `text`; otherwise what keeps it from being a message. Of several
    /// faults the first in this order is told: repeated member, `jsonrpc`, missing or conflicting members, `method`,
    /// `id`, `params`, `error`.
    ///
    /// Source: JSON-RPC 2.0 §4 to §6; RFC 8259.
    pub fn parse(text: &'a [u8]) -> Result<Self, Refused<'a>> {
        Self::parse_as(text, Dialect::JSON_RPC)
    }

    /// [`parse`](Self::parse) by the rules of `dialect`.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_as(text: &'a [u8], dialect: Dialect) -> Result<Self, Refused<'a>> {
        let mut noted = Noted::new(text);
        let examined = examine::text(text, dialect, &mut noted);
        let id = noted.get(examine::ID);
        match examined {
            Ok(kind) => {
                let payload = noted.get(examine::payload(kind));
                Ok(Self { kind, text, id, method: noted.get(examine::METHOD), payload })
            }
            Err(error) => Err(Refused { error, id: view(text, id) }),
        }
    }

    /// What the message is.
    pub const fn kind(&self) -> EnvelopeKind {
        self.kind
    }

    /// The id; `None` for a notification, for a batch, and where a dialect lets an error response lack it.
    pub fn id(&self) -> Option<RawValue<'a>> {
        view(self.text, self.id)
    }

    /// The method of a request or notification; empty otherwise.
    pub fn method(&self) -> RawStr<'a> {
        view(self.text, self.method).and_then(RawValue::as_str_raw).unwrap_or_default()
    }

    /// The params of a request or notification; `None` if they are absent or null.
    pub fn params(&self) -> Option<RawValue<'a>> {
        self.payload_of(self.kind == EnvelopeKind::Request || self.kind == EnvelopeKind::Notification)
    }

    /// The result of a success response.
    pub fn result(&self) -> Option<RawValue<'a>> {
        self.payload_of(self.kind == EnvelopeKind::Success)
    }

    /// The error object of an error response.
    pub fn error(&self) -> Option<RawValue<'a>> {
        self.payload_of(self.kind == EnvelopeKind::Error)
    }

    /// The array of a batch.
    pub fn elements(&self) -> Option<RawValue<'a>> {
        let array = RawValue::trusted(self.text, self.text.trim_ascii());
        if self.kind == EnvelopeKind::Batch { Some(array) } else { None }
    }

    fn payload_of(&self, is_asked_for: bool) -> Option<RawValue<'a>> {
        if is_asked_for { view(self.text, self.payload) } else { None }
    }
}

/// The value that `part` of `text` is; `None` if it is empty, which stands for absent.
pub(super) fn view<'a>(text: &[u8], part: &'a [u8]) -> Option<RawValue<'a>> {
    if part.is_empty() { None } else { Some(RawValue::trusted(text, part)) }
}
