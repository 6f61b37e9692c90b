//! The messages of a text: one, or the elements of a batch.

use core::iter::FusedIterator;

use super::classify::{self, Kept};
use super::{Dialect, Envelope, EnvelopeKind, Refused};
use crate::error::Error;
use crate::json::{Captured, Elements, RawValue};

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
        Envelopes {
            text: self.text,
            dialect: self.dialect,
            is_read: true,
            rest,
            kept: Kept::none(),
            start: 0,
            is_batch: true,
        }
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

impl<'a> Envelope<'a> {
    /// The batch, if the kind is that of a batch.
    pub(super) const fn as_batch(&self) -> Batch<'a> {
        Batch::of(self.text(), self.dialect())
    }

    /// The messages of a batch.
    ///
    /// ```
    /// use nanojsonrpc::Envelope;
    ///
    /// let batch = Envelope::parse(br#"[{"jsonrpc":"2.0","method":"ping"},1]"#)?.batch();
    /// assert!(batch.is_some_and(|batch| batch.elements().map(|message| message.is_ok()).eq([true, false])));
    /// # Ok::<(), nanojsonrpc::Refused<'_>>(())
    /// ```
    pub fn batch(&self) -> Option<Batch<'a>> {
        if matches!(self.kind(), EnvelopeKind::Batch) { Some(self.as_batch()) } else { None }
    }
}

impl<'a> IntoIterator for Batch<'a> {
    type Item = Result<Envelope<'a>, Refused<'a>>;
    type IntoIter = Envelopes<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.elements()
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
    /// The first of them.
    kept: Kept,
    /// The offset of the last message, or of what separates it from the one before. A field, because with a local variable `next` links
    /// `memcpy` on a device.
    start: usize,
    is_batch: bool,
}

impl<'a> Envelopes<'a> {
    /// The messages of `text` by the rules of `dialect`. The text is read on the first call of `next`.
    pub fn new(text: &'a [u8], dialect: Dialect) -> Self {
        Self { text, dialect, is_read: false, rest: Elements::none(), kept: Kept::none(), start: 0, is_batch: false }
    }

    /// Whether the text is a batch; known after the first message.
    pub const fn is_batch(&self) -> bool {
        self.is_batch
    }

    /// The elements after the last message.
    pub(crate) fn rest(&self) -> Elements<'a> {
        self.rest.clone()
    }

    /// Continues with `rest`, all elements of the same batch or none.
    pub(crate) fn set_rest(&mut self, rest: Elements<'a>) {
        self.rest = rest;
        self.kept.rewind();
    }
}

impl<'a> Iterator for Envelopes<'a> {
    type Item = Result<Envelope<'a>, Refused<'a>>;

    #[cfg_attr(target_pointer_width = "64", inline)]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(envelope) = self.kept.next(self.text, &mut self.rest) {
            return Some(Ok(envelope));
        }
        let mut captured = Captured::new(self.text);
        loop {
            match self.classify(&mut captured)? {
                // a batch has no members, so nothing is captured
                Ok(EnvelopeKind::Batch) => {
                    if let Some(envelope) = self.kept.next(self.text, &mut self.rest) {
                        return Some(Ok(envelope));
                    }
                }
                classified => {
                    return Some(Envelope::judged(classified, self.text, self.start, self.dialect, &captured));
                }
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
        if let Some(kept) = self.kept.next(self.text, &mut self.rest) {
            *envelope = kept;
            return Some(Ok(()));
        }
        let mut captured = Captured::new(self.text);
        let classified = self.classify(&mut captured)?;
        debug_assert!(core::ptr::eq(envelope.text(), self.text), "an envelope for the same text");
        Some(envelope.set(classified, self.start, self.dialect, &captured))
    }

    #[inline(always)]
    fn classify(&mut self, captured: &mut Captured<'a>) -> Option<Result<EnvelopeKind, Error>> {
        self.start = self.rest.offset();
        let is_element = core::mem::replace(&mut self.is_read, true);
        let classified = classify::next(self.text, is_element, &mut self.rest, &mut self.kept, self.dialect, captured)?;
        if classified == Ok(EnvelopeKind::Batch) {
            self.is_batch = true;
        }
        Some(classified)
    }
}

impl FusedIterator for Envelopes<'_> {}
