//! Several messages in one array.

use core::iter::FusedIterator;

use super::{BatchElement, Dialect, Message, Outgoing, Refused, Rejection, classify};
use crate::error::{Error, ErrorKind};
use crate::json::{Captured, Elements as RawElements, Output, RawValue, Writer};

/// A batch: a non-empty JSON array of messages. JSON-RPC 2.0 §6. The whole array has been validated.
///
/// [`elements`](Self::elements) classifies the elements one by one, each with its own verdict, so a batch of any length needs no memory.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Rejection> {
/// use nanojsonrpc::{ErrorKind, Message};
///
/// let text = br#"[{"jsonrpc":"2.0","method":"ping"},1]"#;
/// let Message::Batch(batch) = Message::parse(text)? else { return Ok(()) };
/// assert_eq!(batch.count(), 2);
/// let mut elements = batch.elements();
/// assert!(matches!(elements.next(), Some(Ok(Message::Notification(ping))) if ping.method == "ping"));
/// assert!(matches!(elements.next(), Some(Err(one)) if one.kind() == ErrorKind::NotAMessage && one.offset() == 35));
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Batch<'a, const ID: usize = 64, const METHOD: usize = 64> {
    text: &'a [u8],
    array: RawValue<'a>,
    dialect: Dialect,
}

impl<'a, const ID: usize, const METHOD: usize> Batch<'a, ID, METHOD> {
    /// A batch of `text`, which has been classified as one.
    pub(super) fn of(text: &'a [u8], dialect: Dialect) -> Self {
        Self { text, array: RawValue::alone_in(text), dialect }
    }

    /// The elements in order, each a message or its own rejection. No element is a batch.
    pub fn elements(&self) -> Elements<'a, ID, METHOD> {
        Elements { text: self.text, rest: self.array.elements(), dialect: self.dialect }
    }

    /// The number of elements, at least one. Walks over the text.
    pub fn count(&self) -> usize {
        self.array.elements().count()
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
    pub const fn raw(&self) -> RawValue<'a> {
        self.array
    }
}

impl<'a, const ID: usize, const METHOD: usize> IntoIterator for Batch<'a, ID, METHOD> {
    type Item = Result<Message<'a, ID, METHOD>, Rejection<ID>>;
    type IntoIter = Elements<'a, ID, METHOD>;

    fn into_iter(self) -> Self::IntoIter {
        self.elements()
    }
}

impl<const ID: usize, const METHOD: usize> Outgoing for Batch<'_, ID, METHOD> {
    fn write_to_as(&self, out: &mut Writer<'_>, _dialect: Dialect) -> Result<(), Error> {
        out.bytes(self.array.as_bytes())
    }
}

/// The elements of a [`Batch`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Elements<'a, const ID: usize = 64, const METHOD: usize = 64> {
    text: &'a [u8],
    rest: RawElements<'a>,
    dialect: Dialect,
}

impl<'a, const ID: usize, const METHOD: usize> Elements<'a, ID, METHOD> {
    /// Reads the next element into `message`, which it replaces; `None` after the last element. See [`Message::parse_into`].
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::message::Refused<'static>> {
    /// use nanojsonrpc::{Dialect, ErrorKind, Message};
    ///
    /// let mut message: Message<'_> = Message::default();
    /// message.parse_into(br#"[{"jsonrpc":"2.0","method":"ping"},1]"#, Dialect::JSON_RPC)?;
    /// let Message::Batch(batch) = message else { unreachable!() };
    /// let mut elements = batch.elements();
    /// assert_eq!(elements.next_into(&mut message), Some(Ok(())));
    /// assert!(matches!(&message, Message::Notification(ping) if ping.method == "ping"));
    /// let refused = elements.next_into(&mut message).and_then(Result::err);
    /// assert!(refused.is_some_and(|refused| refused.kind() == ErrorKind::NotAMessage));
    /// assert_eq!(elements.next_into(&mut message), None);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The inner error is the verdict on this element, as in [`Message::parse`]. `message` is then unspecified, and the next call reads the
    /// next element.
    // not inlined, because `Captured` would be moved
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub fn next_into(&mut self, message: &mut Message<'a, ID, METHOD>) -> Option<Result<(), Refused<'a>>> {
        let mut captured = Captured::new(self.text);
        let classified = classify::element(self.text, &mut self.rest, self.dialect, &mut captured)?;
        Some(message.fill(classified, self.text, &captured))
    }
}

impl<'a, const ID: usize, const METHOD: usize> Iterator for Elements<'a, ID, METHOD> {
    type Item = Result<Message<'a, ID, METHOD>, Rejection<ID>>;

    #[cfg_attr(target_pointer_width = "64", inline(always))]
    #[cfg_attr(not(target_pointer_width = "64"), inline)]
    fn next(&mut self) -> Option<Self::Item> {
        let mut captured = Captured::new(self.text);
        let classified = classify::element(self.text, &mut self.rest, self.dialect, &mut captured)?;
        Some(Message::of(classified, self.text, &captured, self.dialect))
    }
}

impl<const ID: usize, const METHOD: usize> FusedIterator for Elements<'_, ID, METHOD> {}

/// Writes the responses to a batch: "The Response objects being returned from a batch call MAY be returned in any order" (JSON-RPC 2.0 §6).
/// Without responses, "the server MUST NOT return an empty Array and should return nothing".
///
/// From the first response on, the writer reserves room for the closing bracket, so it can always finish the batch. For responses that are
/// already written, use [`Writer::array`] with a [`RawValue`](crate::RawValue) for each: ids then have any length.
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
