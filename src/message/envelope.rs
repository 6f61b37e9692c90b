//! A message as it stands in its text, without copies. All that is held is made from it.

use super::{Dialect, EnvelopeKind, ErrorObject, Id, Method, Refused, classify};
use crate::error::{Error, ErrorKind};
use crate::json::{Captured, RawStr, RawValue, offset_in, start_of, trim_start};

/// A borrowed view of a message: its kind and the spans of its parts. Nothing is copied or decoded.
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
    /// For the elements of a batch: the rules of the dialect.
    rules: u32,
    text: &'a [u8],
    /// The offset of the message in `text`, or of what separates it from the last one.
    start: usize,
    // the parts as spelled in `text`, empty where absent
    id: &'a [u8],
    method: &'a [u8],
    payload: &'a [u8],
}

impl<'a> Envelope<'a> {
    /// An empty envelope, to be filled in place.
    pub(crate) const fn unread(text: &'a [u8], dialect: Dialect) -> Self {
        Self { kind: EnvelopeKind::Batch, rules: dialect.rules(), text, start: 0, id: &[], method: &[], payload: &[] }
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
    #[cfg_attr(target_pointer_width = "64", inline)]
    pub fn parse_as(text: &'a [u8], dialect: Dialect) -> Result<Self, Refused<'a>> {
        let mut captured = Captured::new(text);
        Self::judged(classify::text(text, dialect, &mut captured), text, 0, dialect, &captured)
    }

    /// The verdict on the classified message at `start` in `text`.
    #[inline(always)]
    pub(super) fn judged(
        classified: Result<EnvelopeKind, Error>,
        text: &'a [u8],
        start: usize,
        dialect: Dialect,
        captured: &Captured<'a>,
    ) -> Result<Self, Refused<'a>> {
        match classified {
            // built in place, because a move links `memcpy` on a device
            Ok(kind) => Ok(Self::of(kind, text, start, dialect.rules(), captured)),
            Err(error) => Err(Refused::of(error, text, start, captured)),
        }
    }

    /// Fills the envelope from the `captured` members of the message at `start` in its text, and returns the verdict. The kind of a refused message only says whether
    /// it is answered.
    #[inline(always)]
    pub(super) fn set(
        &mut self,
        classified: Result<EnvelopeKind, Error>,
        start: usize,
        dialect: Dialect,
        captured: &Captured<'a>,
    ) -> Result<(), Error> {
        let (kind, outcome) = match classified {
            Ok(kind) => (kind, Ok(())),
            Err(error) if classify::is_unanswered(error, captured) => (EnvelopeKind::Error, Err(error)),
            Err(error) => (EnvelopeKind::Request, Err(error)),
        };
        *self = Self::of(kind, self.text, start, dialect.rules(), captured);
        outcome
    }

    /// The refusal of this message.
    pub(crate) fn refused(&self, error: Error) -> Refused<'a> {
        Refused { error, id: self.id(), text: self.text, start: self.start, is_silent: !self.kind.is_answered() }
    }

    /// The refusal of a message for its kind.
    #[cold]
    pub(super) fn unexpected(&self) -> Refused<'a> {
        self.refused(Error::new(ErrorKind::UnexpectedMessage, start_of(self.text)))
    }

    /// Copies the id and the method, decoded, into the empty `id` and `method` of a message to hold. In place, because a move of either links
    /// `memcpy`.
    ///
    /// Checks the id first: a refusal for the method needs an id for its response. Inlined on hosts: a tiny request takes 3 % fewer instructions.
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    pub(super) fn hold<const ID: usize, const METHOD: usize>(
        &self,
        id: Option<&mut Id<ID>>,
        method: Option<&mut Method<'a, METHOD>>,
    ) -> Result<(), Refused<'a>> {
        if id.is_some_and(|id| !id.fill(self.id)) {
            // an id that does not fit cannot be repeated
            return Err(Refused { id: None, ..self.too_long(ErrorKind::IdTooLong, self.id) });
        }
        if method.is_some_and(|method| !method.fill(self.method())) {
            return Err(self.too_long(ErrorKind::MethodTooLong, self.method));
        }
        Ok(())
    }

    #[cold]
    fn too_long(&self, kind: ErrorKind, part: &[u8]) -> Refused<'a> {
        let error = Error::new(kind, offset_in(self.text, part));
        // as `refused` has it, but no batch comes here, which saves 12 bytes of flash
        Refused { is_silent: self.kind != EnvelopeKind::Request, ..self.refused(error) }
    }

    /// The result or the error object of a response.
    pub(super) fn outcome(&self) -> Result<RawValue<'a>, ErrorObject<'a>> {
        let payload = RawValue::validated(self.text, self.payload);
        if self.kind == EnvelopeKind::Success { Ok(payload) } else { Err(ErrorObject::read(self.text, payload)) }
    }

    pub(crate) const fn text(&self) -> &'a [u8] {
        self.text
    }

    pub(crate) const fn start(&self) -> usize {
        self.start
    }

    /// Whether its dialect demands an object as params.
    pub(crate) const fn has_object_params(&self) -> bool {
        self.dialect().has_object_params()
    }

    /// The rules by which the message was read.
    pub(super) const fn dialect(&self) -> Dialect {
        Dialect::of(self.rules)
    }

    /// The message at `start` in `text` with the classified members `captured`.
    #[inline(always)]
    pub(super) fn of(kind: EnvelopeKind, text: &'a [u8], start: usize, rules: u32, captured: &Captured<'a>) -> Self {
        let payload = captured.get(classify::payload(kind));
        let rules = Dialect::of(rules).rules_of_message(|| classify::lacks_version(captured));
        Self {
            kind,
            rules,
            text,
            start,
            id: captured.get(classify::ID),
            method: captured.get(classify::METHOD),
            payload,
        }
    }

    /// The message at `start` in `text` with these parts: id, method, payload.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    pub(super) const fn with_parts(
        kind: EnvelopeKind,
        rules: u32,
        text: &'a [u8],
        start: usize,
        [id, method, payload]: [&'a [u8]; 3],
    ) -> Self {
        Self { kind, rules, text, start, id, method, payload }
    }

    /// The kind of the message.
    pub const fn kind(&self) -> EnvelopeKind {
        self.kind
    }

    /// The id; `None` for a notification, for a batch, and for an error response without an id, which some dialects allow.
    pub fn id(&self) -> Option<RawValue<'a>> {
        RawValue::optional(self.text, self.id)
    }

    /// The id as spelled in the text; empty if there is none.
    pub(crate) const fn id_text(&self) -> &'a [u8] {
        self.id
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
        if self.kind == EnvelopeKind::Error { self.outcome().err() } else { None }
    }

    /// Another member of the message, such as `src` or `auth` of some devices; `None` if it has no member `name`. Walks over the message.
    ///
    /// ```
    /// use nanojsonrpc::Envelope;
    ///
    /// let call = Envelope::parse(br#"{"jsonrpc":"2.0","id":1,"method":"Switch.Toggle","auth":{"username":"admin"}}"#)?;
    /// assert_eq!(call.get("auth").map(|auth| auth.as_json()), Some(r#"{"username":"admin"}"#));
    /// # Ok::<(), nanojsonrpc::Refused<'_>>(())
    /// ```
    pub fn get(&self, name: &str) -> Option<RawValue<'a>> {
        member(self.text, self.start, name)
    }

    /// Whether an answer to this message has `jsonrpc`.
    pub(crate) const fn has_version(&self) -> bool {
        self.dialect().writes_version()
    }

    fn payload_if(&self, is_present: bool) -> Option<RawValue<'a>> {
        if is_present { RawValue::optional(self.text, self.payload) } else { None }
    }
}

/// The member `name` of the message at `start` in the validated `text`.
pub(crate) fn member<'a>(text: &'a [u8], start: usize, name: &str) -> Option<RawValue<'a>> {
    RawValue::validated(text, trim_start(text.get(start..)?)).get(name)
}
