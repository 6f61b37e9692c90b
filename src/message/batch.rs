//! Several messages in one array, written.

use super::{Dialect, ToMessage};
use crate::error::{Error, ErrorKind};
use crate::json::{Output, Writer};

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

    /// Appends one message. A batch cannot be an element of a batch.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if there is no room for the whole message and the closing bracket;
    /// [`UnexpectedMessage`](crate::ErrorKind::UnexpectedMessage) if it is a [`Batch`](crate::Batch); and those of
    /// [`Writer::message`]. Then no part of it is written, and the messages before it stay.
    pub fn push(&mut self, message: &(impl ToMessage + ?Sized)) -> Result<(), Error> {
        if message.is_batch() {
            return Err(Error::new(ErrorKind::UnexpectedMessage, self.out.len()));
        }
        let opening: &[u8] = if self.out.is_empty() { b"[" } else { b"," };
        self.out.batched(opening, |out| message.put(out, Dialect::JSON_RPC))
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
