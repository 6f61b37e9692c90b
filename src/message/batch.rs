//! Several messages in one array.

use core::iter::FusedIterator;

use super::{BatchElement, Dialect, Envelope, EnvelopeKind, Outgoing, Refused, classify};
use crate::error::{Error, ErrorKind};
use crate::json::{Captured, Elements, Output, RawValue, Writer};

/// A batch: a non-empty JSON array of messages. JSON-RPC 2.0 §6. The whole array has been validated.
///
/// [`elements`](Self::elements) classifies the elements one by one, each with its own verdict, so a batch of any length needs no memory.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Refused<'static>> {
/// use nanojsonrpc::{ErrorKind, Message};
///
/// let text = br#"[{"jsonrpc":"2.0","method":"ping"},1]"#;
/// let Message::Batch(batch) = Message::parse(text)? else { return Ok(()) };
/// assert_eq!(batch.count(), 2);
/// let mut elements = batch.elements();
/// assert!(elements.next().is_some_and(|one| one.is_ok_and(|ping| ping.method() == "ping")));
/// assert!(matches!(elements.next(), Some(Err(one)) if one.kind() == ErrorKind::NotAMessage && one.offset() == 35));
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Batch<'a> {
    text: &'a [u8],
    dialect: Dialect,
}

impl<'a> Batch<'a> {
    /// A batch of `text`, which has been classified as one.
    pub(super) const fn of(text: &'a [u8], dialect: Dialect) -> Self {
        Self { text, dialect }
    }

    /// The elements in order, each an [`Envelope`] or its own refusal. No element is a batch.
    pub fn elements(&self) -> Envelopes<'a> {
        let rest = self.raw().elements();
        Envelopes { text: self.text, dialect: self.dialect, is_read: true, rest, is_batch: true }
    }

    /// The number of elements, at least one. Walks over the text.
    pub fn count(&self) -> usize {
        self.raw().elements().count()
    }

    /// The array as received.
    ///
    /// ```
    /// use nanojsonrpc::{Dialect, Message};
    ///
    /// let text = br#" [{"jsonrpc":"2.0","method":"a"}] "#;
    /// let dialect = Dialect::JSON_RPC.with_max_batch(8).with_max_len(1024);
    /// assert_eq!((dialect.max_batch(), dialect.max_len()), (8, 1024));
    /// let Ok(Message::Batch(batch)) = Message::parse_as(text, dialect) else { unreachable!() };
    /// assert_eq!(batch.raw().as_bytes(), text.trim_ascii());
    /// ```
    pub fn raw(&self) -> RawValue<'a> {
        RawValue::alone_in(self.text)
    }
}

impl<'a> IntoIterator for Batch<'a> {
    type Item = Result<Envelope<'a>, Refused<'a>>;
    type IntoIter = Envelopes<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.elements()
    }
}

impl Outgoing for Batch<'_> {
    fn write_to_as(&self, out: &mut Writer<'_>, _dialect: Dialect) -> Result<(), Error> {
        out.bytes(self.raw().as_bytes())
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
    rest: Elements<'a>,
    is_batch: bool,
}

impl<'a> Envelopes<'a> {
    /// The messages of `text` by the rules of `dialect`. The text is read on the first call of `next`.
    pub fn new(text: &'a [u8], dialect: Dialect) -> Self {
        Self { text, dialect, is_read: false, rest: Elements::none(), is_batch: false }
    }

    /// Whether the text is a batch; known after the first message.
    pub const fn is_batch(&self) -> bool {
        self.is_batch
    }

    /// The elements after the last message.
    pub(crate) fn rest(&self) -> Elements<'a> {
        self.rest.clone()
    }

    /// Continues with `rest`, elements of the same batch.
    pub(crate) fn set_rest(&mut self, rest: Elements<'a>) {
        self.rest = rest;
    }
}

impl<'a> Iterator for Envelopes<'a> {
    type Item = Result<Envelope<'a>, Refused<'a>>;

    #[cfg_attr(target_pointer_width = "64", inline)]
    fn next(&mut self) -> Option<Self::Item> {
        let mut captured = Captured::new(self.text);
        loop {
            match self.classify(&mut captured)? {
                // a batch has no members, so nothing is captured
                Ok(EnvelopeKind::Batch) => {}
                // built in place, because a move links `memcpy` on a device
                Ok(kind) => return Some(Ok(Envelope::of(kind, self.text, self.dialect.rules(), &captured))),
                Err(error) => return Some(Err(Refused::of(error, self.text, &captured))),
            }
        }
    }
}

impl<'a> Envelopes<'a> {
    /// Reads the next message into `envelope`, an envelope for the same text. Reads in place, because a move takes flash and stack. A batch
    /// itself comes before its elements. Of a refused message, `envelope` has the id, and a kind that shows whether it is
    /// [answered](EnvelopeKind::is_answered). Not inlined on devices, so that the stack of the reading is free while handlers run.
    #[inline(never)]
    pub(crate) fn next_into(&mut self, envelope: &mut Envelope<'a>) -> Option<Result<(), Error>> {
        let mut captured = Captured::new(self.text);
        let classified = self.classify(&mut captured)?;
        debug_assert!(core::ptr::eq(envelope.text(), self.text), "an envelope for the same text");
        Some(envelope.set(classified, &captured))
    }

    #[inline(always)]
    fn classify(&mut self, captured: &mut Captured<'a>) -> Option<Result<EnvelopeKind, Error>> {
        let is_element = core::mem::replace(&mut self.is_read, true);
        let classified = classify::next(self.text, is_element, &mut self.rest, self.dialect, captured)?;
        if classified == Ok(EnvelopeKind::Batch) {
            self.is_batch = true;
        }
        Some(classified)
    }
}

impl FusedIterator for Envelopes<'_> {}

/// Writes the responses to a batch: "The Response objects being returned from a batch call MAY be returned in any order" (JSON-RPC 2.0 §6).
/// Without responses, "the server MUST NOT return an empty Array and should return nothing".
///
/// From the first response on, the writer reserves room for the closing bracket, so it can always finish the batch. For responses that are
/// already written, use [`ArrayWriter::element`](crate::json::ArrayWriter::element) with a [`RawValue`](crate::RawValue) for each: ids then have any length.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::{Response, message::BatchWriter};
///
/// let mut buffer = [0; 80];
/// let mut batch = BatchWriter::new(&mut buffer);
/// batch.push(&Response::success(1, &7))?;
/// assert!(batch.push(&Response::success(2, &"far too long for the rest")).is_err());
/// batch.push(&Response::success(3, &9))?;
/// let answer = batch.finish();
/// assert_eq!(answer, br#"[{"jsonrpc":"2.0","result":7,"id":1},{"jsonrpc":"2.0","result":9,"id":3}]"#);
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use = "an unfinished batch has no closing bracket"]
pub struct BatchWriter<'w> {
    out: Writer<'w>,
}

impl<'w> BatchWriter<'w> {
    /// Creates a writer of a batch of responses at the front of `out`.
    pub fn new<O: Output + ?Sized>(out: &'w mut O) -> Self {
        Self { out: Writer::new(out) }
    }

    /// Appends one message. A batch cannot be an element of a batch, so a [`Batch`] does not compile:
    ///
    /// ```compile_fail
    /// fn push(batch: nanojsonrpc::Batch<'_>) {
    ///     let _ = nanojsonrpc::message::BatchWriter::new(&mut [0; 80]).push(&batch);
    /// }
    /// ```
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if there is no room for the whole message and the closing bracket;
    /// [`UnexpectedMessage`](crate::ErrorKind::UnexpectedMessage) if it is a [`Message::Batch`]; and those of
    /// [`Outgoing::write_to`]. Then no part of it is written, and the messages before it stay.
    pub fn push(&mut self, message: &(impl BatchElement + ?Sized)) -> Result<(), Error> {
        if message.is_batch() {
            return Err(Error::new(ErrorKind::UnexpectedMessage, self.out.len()));
        }
        let opening: &[u8] = if self.out.is_empty() { b"[" } else { b"," };
        self.out.whole(|out| {
            out.bytes(opening)?;
            message.write_to(out)?;
            out.reserve_bracket()
        })
    }

    /// Whether no message has been appended; then send nothing.
    pub const fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Closes the array and returns it; an empty slice if no message was appended.
    pub fn finish(mut self) -> &'w [u8] {
        if !self.out.is_empty() && self.out.bytes(b"]").is_err() {
            self.out.truncate(0);
        }
        self.out.into_written()
    }
}
