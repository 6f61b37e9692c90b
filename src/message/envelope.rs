//! The borrowed view of a message, without copies; all other message types are built on it.

use core::iter::FusedIterator;

use super::response::write_response;
use super::{Dialect, ErrorCode, ErrorObject, Id, Rejection, Response, classify};
use crate::error::{Error, ErrorKind};
use crate::json::{Captured, Elements as RawElements, RawStr, RawValue, Writer, start_of};

/// The kind of message in an [`Envelope`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
// a whole register, because the compiler extracts a part of a register with masks
#[cfg_attr(target_pointer_width = "32", repr(u32))]
pub enum EnvelopeKind {
    /// `method` and `id`.
    Request,
    /// `method` without `id`.
    Notification,
    /// `result` and `id`.
    Success,
    /// `error` and `id`.
    Error,
    /// An array of messages that are not yet classified.
    Batch,
}

impl EnvelopeKind {
    /// Whether a message of this kind gets a response, even if it is refused.
    pub(crate) const fn is_answered(self) -> bool {
        matches!(self, Self::Request | Self::Batch)
    }
}

/// A borrowed view of a message: its kind and the spans of its parts. Nothing is copied or decoded.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::message::Refused<'static>> {
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
    // the parts as spelled in `text`, empty where absent
    id: &'a [u8],
    method: &'a [u8],
    payload: &'a [u8],
}

/// A refused text: the fault, and the id for the error response, if it could be read.
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
        Self { error, id: view(text, captured.get(classify::ID)), is_silent: classify::is_response(captured) }
    }

    /// The refusal of a refused `text`, or of a message of an unexpected kind. A request and a batch still get a response.
    pub(super) fn unexpected(classified: Result<EnvelopeKind, Error>, text: &'a [u8], captured: &Captured<'a>) -> Self {
        let kind = match classified {
            Ok(kind) => kind,
            Err(error) => return Self::of(error, text, captured),
        };
        Self {
            error: Error::new(ErrorKind::UnexpectedMessage, start_of(text)),
            id: view(text, captured.get(classify::ID)),
            is_silent: !kind.is_answered(),
        }
    }
}

impl Refused<'_> {
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

    /// Writes the error response to the front of `out` and returns its length in bytes: 0 for a text that is not
    /// [answerable](Self::is_answerable). The id is written as it was received, or as null. See
    /// [`Request::write_response`](super::Request::write_response).
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if `out` is too short; then the content of `out` is unspecified.
    pub fn write_response(&self, out: &mut [u8]) -> Result<usize, Error> {
        if self.is_silent {
            return Ok(0);
        }
        let mut out = Writer::new(out);
        let id = self.id.map_or(&b"null"[..], RawValue::as_bytes);
        write_response::<RawValue<'_>, _>(Err(&ErrorObject::refusing(self.error)), |out| out.put(id), &mut out)?;
        Ok(out.len())
    }
}

impl core::fmt::Display for Refused<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.error.fmt(f)
    }
}

impl core::error::Error for Refused<'_> {}

impl<'a> Envelope<'a> {
    /// An empty envelope, for [`Envelopes::next_into`].
    pub(crate) const fn unread(text: &'a [u8]) -> Self {
        Self { kind: EnvelopeKind::Batch, text, id: &[], method: &[], payload: &[] }
    }

    /// Reads one message, or a batch, from the whole of `text`.
    ///
    /// # Limits
    /// Nesting: [`MAX_DEPTH`](crate::MAX_DEPTH). Stack: constant. Time: one pass over `text`.
    ///
    /// # Errors
    /// A syntax error if there is one anywhere in `text`; otherwise the fault of the message. If there are several faults, the error is the
    /// first in this order: repeated member, `jsonrpc`, missing or conflicting members, `method`, `id`, `params`, `error`.
    ///
    /// Source: JSON-RPC 2.0 §4 to §6; RFC 8259.
    pub fn parse(text: &'a [u8]) -> Result<Self, Refused<'a>> {
        Self::parse_as(text, Dialect::JSON_RPC)
    }

    /// [`parse`](Self::parse) with the rules of `dialect`.
    ///
    /// # Errors
    /// [`MessageTooLong`](ErrorKind::MessageTooLong) if `text` is longer than `dialect` allows; the text is then not read.
    /// [`BatchNotAllowed`](ErrorKind::BatchNotAllowed) or [`BatchTooLong`](ErrorKind::BatchTooLong) for a batch that `dialect` refuses.
    /// Otherwise as [`parse`](Self::parse).
    // inlined on devices, so that `read` is optimised on its own before it is inlined: 32 bytes of stack less
    #[cfg_attr(not(target_pointer_width = "64"), inline)]
    pub fn parse_as(text: &'a [u8], dialect: Dialect) -> Result<Self, Refused<'a>> {
        let mut envelope = Self::unread(text);
        match envelope.read(dialect) {
            Ok(()) => Ok(envelope),
            Err(error) => Err(envelope.refused(error)),
        }
    }

    /// Reads one message, or a batch, from the whole of its text. After a refusal, the envelope has the id for the answer, and a kind that
    /// says whether the text is [answered](EnvelopeKind::is_answered).
    ///
    /// Reads in place: this saves a client one move of the envelope, 170 bytes of flash.
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    pub(super) fn read(&mut self, dialect: Dialect) -> Result<(), Error> {
        let mut captured = Captured::new(self.text);
        let classified = classify::text(self.text, dialect, &mut captured);
        self.set(classified, &captured)
    }

    /// Fills the envelope from the `captured` members of its text, and returns the verdict. The kind of a refused message only says whether
    /// it is answered.
    #[inline(always)]
    fn set(&mut self, classified: Result<EnvelopeKind, Error>, captured: &Captured<'a>) -> Result<(), Error> {
        let (kind, outcome) = match classified {
            Ok(kind) => (kind, Ok(())),
            Err(error) if classify::is_response(captured) => (EnvelopeKind::Error, Err(error)),
            Err(error) => (EnvelopeKind::Request, Err(error)),
        };
        *self = Self::of(kind, self.text, captured);
        outcome
    }

    /// The refusal of this message.
    pub(crate) fn refused(&self, error: Error) -> Refused<'a> {
        Refused { error, id: self.id(), is_silent: !self.kind.is_answered() }
    }

    /// The message with the classified members `captured` in `text`.
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    fn of(kind: EnvelopeKind, text: &'a [u8], captured: &Captured<'a>) -> Self {
        let payload = captured.get(classify::payload(kind));
        Self { kind, text, id: captured.get(classify::ID), method: captured.get(classify::METHOD), payload }
    }

    /// The kind of the message.
    pub const fn kind(&self) -> EnvelopeKind {
        self.kind
    }

    /// The id; `None` for a notification, for a batch, and for an error response without an id, which some dialects allow.
    pub fn id(&self) -> Option<RawValue<'a>> {
        view(self.text, self.id)
    }

    /// The id as spelled in the text; empty if there is none.
    pub(crate) const fn id_text(&self) -> &'a [u8] {
        self.id
    }

    /// The method as spelled in the text, with its quotation marks; empty if there is none.
    pub(super) const fn method_text(&self) -> &'a [u8] {
        self.method
    }

    /// The method of a request or notification; empty otherwise.
    pub const fn method(&self) -> RawStr<'a> {
        match self.method {
            [_, inside @ .., _] => RawStr::validated(inside),
            _ => RawStr::validated(&[]),
        }
    }

    /// The params of a request or notification; `None` if they are absent or null.
    pub fn params(&self) -> Option<RawValue<'a>> {
        self.payload_if(self.kind == EnvelopeKind::Request || self.kind == EnvelopeKind::Notification)
    }

    /// The result of a success response.
    pub fn result(&self) -> Option<RawValue<'a>> {
        self.payload_if(self.kind == EnvelopeKind::Success)
    }

    /// The error object of an error response.
    pub fn error(&self) -> Option<RawValue<'a>> {
        self.payload_if(self.kind == EnvelopeKind::Error)
    }

    /// The parts of the error object of an error response.
    ///
    /// ```
    /// use nanojsonrpc::{Envelope, ErrorCode};
    ///
    /// let text = br#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}"#;
    /// let error = Envelope::parse(text).unwrap().error_object().unwrap();
    /// assert_eq!(error.code, ErrorCode::METHOD_NOT_FOUND);
    /// ```
    pub fn error_object(&self) -> Option<ErrorObject<'a>> {
        self.error().map(|object| ErrorObject::read(self.text, object))
    }

    /// The array of a batch.
    pub fn elements(&self) -> Option<RawValue<'a>> {
        if self.kind == EnvelopeKind::Batch { Some(RawValue::alone_in(self.text)) } else { None }
    }

    fn payload_if(&self, is_present: bool) -> Option<RawValue<'a>> {
        if is_present { view(self.text, self.payload) } else { None }
    }
}

/// The messages of a text in order: one message, or the elements of a batch. Each item is an [`Envelope`], or the [`Refused`] of this
/// message.
///
/// A text that is refused as a whole counts as one message. No element of a batch is a batch.
///
/// ```
/// use nanojsonrpc::{Dialect, Envelopes};
///
/// let text = br#"[{"jsonrpc":"2.0","method":"ping"},1]"#;
/// let mut messages = Envelopes::new(text, Dialect::JSON_RPC);
/// assert!(messages.next().is_some_and(|one| one.is_ok_and(|ping| ping.method() == "ping")));
/// assert!(messages.next().is_some_and(|one| one.is_err_and(|refused| refused.offset() == 35)));
/// assert!(messages.next().is_none());
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Envelopes<'a> {
    text: &'a [u8],
    dialect: Dialect,
    is_read: bool,
    /// The elements of a batch; otherwise empty.
    rest: RawElements<'a>,
    is_batch: bool,
}

impl<'a> Envelopes<'a> {
    /// The messages of `text` by the rules of `dialect`. The text is read on the first call of `next`.
    pub fn new(text: &'a [u8], dialect: Dialect) -> Self {
        Self { text, dialect, is_read: false, rest: RawElements::none(), is_batch: false }
    }

    /// Whether the text is a batch; known after the first message.
    pub const fn is_batch(&self) -> bool {
        self.is_batch
    }

    /// The elements after the last message.
    pub(crate) fn rest(&self) -> RawElements<'a> {
        self.rest.clone()
    }

    /// Continues with `rest`, elements of the same batch.
    pub(crate) fn set_rest(&mut self, rest: RawElements<'a>) {
        self.rest = rest;
    }
}

impl<'a> Iterator for Envelopes<'a> {
    type Item = Result<Envelope<'a>, Refused<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut envelope = Envelope::unread(self.text);
        loop {
            match self.next_into(&mut envelope)? {
                Ok(()) if envelope.kind == EnvelopeKind::Batch => {}
                Ok(()) => return Some(Ok(envelope)),
                Err(error) => return Some(Err(envelope.refused(error))),
            }
        }
    }
}

impl<'a> Envelopes<'a> {
    /// Reads the next message into `envelope`, an envelope for the same text. Reads in place, because a move takes flash and stack. A batch
    /// itself comes before its elements. Of a refused message, `envelope` has the id, and a kind that shows whether it is
    /// [answered](EnvelopeKind::is_answered). Not inlined on devices, so that the stack of the reading is free while handlers run.
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub(crate) fn next_into(&mut self, envelope: &mut Envelope<'a>) -> Option<Result<(), Error>> {
        let mut captured = Captured::new(self.text);
        let is_element = core::mem::replace(&mut self.is_read, true);
        let classified = classify::next(self.text, is_element, &mut self.rest, self.dialect, &mut captured)?;
        if classified == Ok(EnvelopeKind::Batch) {
            self.is_batch = true;
        }
        debug_assert!(core::ptr::eq(envelope.text, self.text), "an envelope for the same text");
        Some(envelope.set(classified, &captured))
    }
}

impl FusedIterator for Envelopes<'_> {}

/// The value of `part`, a part of `text`; `None` if `part` is empty, which means absent.
pub(super) fn view<'a>(text: &[u8], part: &'a [u8]) -> Option<RawValue<'a>> {
    if part.is_empty() { None } else { Some(RawValue::validated(text, part)) }
}

impl<'a, const ID: usize> TryFrom<Envelope<'a>> for Response<'a, ID> {
    type Error = Rejection<ID>;

    /// # Errors
    /// [`ErrorKind::UnexpectedMessage`] if it is not a response; [`ErrorKind::IdTooLong`] if the id does not fit.
    fn try_from(envelope: Envelope<'a>) -> Result<Self, Rejection<ID>> {
        let outcome = match (envelope.result(), envelope.error()) {
            (Some(result), _) => Ok(result),
            (None, Some(error)) => Err(ErrorObject::read(envelope.text, error)),
            (None, None) => {
                let start = start_of(envelope.text);
                return Err(Rejection::silent(Error::new(ErrorKind::UnexpectedMessage, start)));
            }
        };
        let id = envelope.id().map_or(Ok(Id::Null), Id::read).map_err(Rejection::silent)?;
        Ok(Self { id, outcome })
    }
}
