//! What can be sent.

use crate::error::Error;
use crate::json::Writer;

/// A whole message that can be written: [`Request`](super::Request), [`Notification`](super::Notification),
/// [`Response`](super::Response), [`Message`](super::Message), [`Batch`](super::Batch).
///
/// Each also has a `write` of its own that fills a plain buffer.
pub trait Outgoing: sealed::Sealed {
    /// Appends the message to `out`.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if there is no room for it;
    /// [`InvalidMethod`](crate::ErrorKind::InvalidMethod) if its method is empty. Half of it may then have been
    /// written, which [`Writer::message`] takes back.
    fn write_to(&self, out: &mut Writer<'_>) -> Result<(), Error>;
}

/// Writes a message to the front of `out` and returns its length.
pub(super) fn write_alone(message: &impl Outgoing, out: &mut [u8]) -> Result<usize, Error> {
    let mut out = Writer::new(out);
    message.write_to(&mut out)?;
    Ok(out.len())
}

impl Writer<'_> {
    /// Appends one message.
    ///
    /// # Errors
    /// As [`Outgoing::write_to`]; then nothing is written.
    pub fn message(&mut self, message: &(impl Outgoing + ?Sized)) -> Result<(), Error> {
        self.whole(|out| message.write_to(out))
    }
}

pub(super) mod sealed {
    use super::super::{Batch, Message, Notification, Request, Response};

    pub trait Sealed {}

    impl<const ID: usize, const METHOD: usize, P> Sealed for Request<'_, ID, METHOD, P> {}
    impl<const METHOD: usize, P> Sealed for Notification<'_, METHOD, P> {}
    impl<const ID: usize, R, D> Sealed for Response<'_, ID, R, D> {}
    impl<const ID: usize, const METHOD: usize> Sealed for Message<'_, ID, METHOD> {}
    impl<const ID: usize, const METHOD: usize> Sealed for Batch<'_, ID, METHOD> {}
}
