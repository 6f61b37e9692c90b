//! Messages that a peer can send.

use super::{Dialect, Message, Notification, Request, Response};
use crate::error::Error;
use crate::json::{RawValue, ToJson, Writer};

/// A whole message that can be written: [`Request`](super::Request), [`Notification`](super::Notification),
/// [`Response`](super::Response), [`Message`](super::Message), [`Batch`](super::Batch).
///
/// Each type also has a method `write` that fills a byte buffer.
pub trait Outgoing: sealed::Sealed {
    /// Appends the message to `out`, by the rules of JSON-RPC 2.0.
    ///
    /// # Errors
    /// As [`write_to_as`](Self::write_to_as).
    fn write_to(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        self.write_to_as(out, Dialect::JSON_RPC)
    }

    /// Appends the message to `out`, with the params rule of `dialect`.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if it does not fit;
    /// [`InvalidMethod`](crate::ErrorKind::InvalidMethod) if its method is empty;
    /// [`InvalidParams`](crate::ErrorKind::InvalidParams) if `dialect` does not allow the params; those of
    /// [`Writer::value`] for the payload. After an error, a part may have been written; [`Writer::message`]
    /// removes it.
    fn write_to_as(&self, out: &mut Writer<'_>, dialect: Dialect) -> Result<(), Error>;
}

/// A message that can be an element of a batch: any [`Outgoing`] except a [`Batch`](super::Batch).
///
/// A [`Message`] can be one, too; if it is a batch, [`BatchWriter::push`](super::BatchWriter::push) refuses it.
pub trait BatchElement: Outgoing {}

impl<const ID: usize, const METHOD: usize, P: Payload> BatchElement for Request<'_, ID, METHOD, P> {}
impl<const METHOD: usize, P: Payload> BatchElement for Notification<'_, METHOD, P> {}
impl<const ID: usize, R: Payload, D: ToJson> BatchElement for Response<'_, ID, R, D> {}
impl<const ID: usize, const METHOD: usize> BatchElement for Message<'_, ID, METHOD> {}

/// The params or the result of a message: a reference to a value, or the text of a received message.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written as params or result",
    label = "cannot be written",
    note = "pass a reference to a type that implements `nanojsonrpc::ToJson`"
)]
pub trait Payload {
    /// The type of the value.
    type Value: ToJson + ?Sized;

    /// The value.
    fn value(&self) -> &Self::Value;
}

impl<T: ToJson + ?Sized> Payload for &T {
    type Value = T;

    fn value(&self) -> &T {
        self
    }
}

impl Payload for RawValue<'_> {
    type Value = Self;

    fn value(&self) -> &Self {
        self
    }
}

/// Writes a message to the front of `out` and returns its length.
pub(super) fn write_alone(message: &impl Outgoing, out: &mut [u8], dialect: Dialect) -> Result<usize, Error> {
    let mut out = Writer::new(out);
    message.write_to_as(&mut out, dialect)?;
    Ok(out.len())
}

impl Writer<'_> {
    /// Appends one message.
    ///
    /// # Errors
    /// As [`Outgoing::write_to`]; no part is written.
    pub fn message(&mut self, message: &(impl Outgoing + ?Sized)) -> Result<(), Error> {
        self.message_as(message, Dialect::JSON_RPC)
    }

    /// Appends one message with the rules of `dialect`.
    ///
    /// ```
    /// use nanojsonrpc::{Dialect, Notification, Writer};
    ///
    /// let mut buffer = [0; 64];
    /// let mut out = Writer::new(&mut buffer);
    /// // a scalar as params is refused by JSON-RPC 2.0
    /// assert!(out.message(&Notification::new("level").with_params(&7)).is_err());
    /// out.message_as(&Notification::new("level").with_params(&7), Dialect::CAUCE)?;
    /// assert_eq!(out.written(), br#"{"jsonrpc":"2.0","method":"level","params":7}"#);
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Outgoing::write_to_as`]; no part is written.
    pub fn message_as(&mut self, message: &(impl Outgoing + ?Sized), dialect: Dialect) -> Result<(), Error> {
        self.whole(|out| message.write_to_as(out, dialect))
    }
}

/// A message that is always written by the rules of this dialect.
#[cfg(all(feature = "embedded-io", feature = "serde"))]
pub(crate) struct ByRules<M>(pub(crate) M, pub(crate) Dialect);

#[cfg(all(feature = "embedded-io", feature = "serde"))]
impl<M: Outgoing> Outgoing for ByRules<M> {
    fn write_to_as(&self, out: &mut Writer<'_>, _: Dialect) -> Result<(), Error> {
        self.0.write_to_as(out, self.1)
    }
}

pub(crate) mod sealed {
    use super::super::{Batch, Message, Notification, Request, Response};

    pub trait Sealed {
        /// Whether the message is a batch.
        fn is_batch(&self) -> bool {
            false
        }
    }

    #[cfg(all(feature = "embedded-io", feature = "serde"))]
    impl<M: Sealed> Sealed for super::ByRules<M> {}
    impl<const ID: usize, const METHOD: usize, P> Sealed for Request<'_, ID, METHOD, P> {}
    impl<const METHOD: usize, P> Sealed for Notification<'_, METHOD, P> {}
    impl<const ID: usize, R, D> Sealed for Response<'_, ID, R, D> {}
    impl<const ID: usize, const METHOD: usize> Sealed for Message<'_, ID, METHOD> {
        fn is_batch(&self) -> bool {
            matches!(self, Self::Batch(_))
        }
    }
    impl Sealed for Batch<'_> {}
}
