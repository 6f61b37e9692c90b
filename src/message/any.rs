//! A held message of any kind.

use super::outgoing::write_alone;
use super::{Batch, Dialect, Envelope, EnvelopeKind, Id, Method, Notification, Outgoing, Refused, Request, Response};
use crate::error::Error;
use crate::json::Writer;

/// Any message of JSON-RPC 2.0, §4 to §6.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Refused<'static>> {
/// use nanojsonrpc::Message;
///
/// match Message::parse(br#"{"jsonrpc":"2.0","result":19,"id":1}"#)? {
///     Message::Response(response) => assert_eq!(response.id.as_i64(), Some(1)),
///     Message::Request(_) | Message::Notification(_) | Message::Batch(_) => {}
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Message<'a, const ID: usize = 64, const METHOD: usize = 64> {
    /// A call that expects a response.
    Request(Request<'a, ID, METHOD>),
    /// A call without a response.
    Notification(Notification<'a, METHOD>),
    /// The answer to a request.
    Response(Response<'a, ID>),
    /// An array of messages.
    Batch(Batch<'a>),
}

impl<'a> Message<'a> {
    /// Reads one message, or a batch, from the whole of `text`, with the default capacities.
    ///
    /// # Limits
    /// Nesting: [`MAX_DEPTH`](crate::MAX_DEPTH). Id and method: 64 bytes each. Stack: constant. Time: one pass.
    ///
    /// # Errors
    /// The errors of [`Envelope::parse`](super::Envelope::parse);
    /// [`IdTooLong`](crate::ErrorKind::IdTooLong) and [`MethodTooLong`](crate::ErrorKind::MethodTooLong).
    pub fn parse(text: &'a [u8]) -> Result<Self, Refused<'a>> {
        Self::parse_as(text, Dialect::JSON_RPC)
    }

    /// [`parse`](Self::parse) with the rules of `dialect`.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), and the limits of `dialect`: see [`Envelope::parse_as`](super::Envelope::parse_as).
    pub fn parse_as(text: &'a [u8], dialect: Dialect) -> Result<Self, Refused<'a>> {
        Envelope::parse_as(text, dialect)?.try_into()
    }
}

/// A message of other capacities, or that was an element of a batch.
impl<'a, const ID: usize, const METHOD: usize> TryFrom<Envelope<'a>> for Message<'a, ID, METHOD> {
    type Error = Refused<'a>;

    /// # Errors
    /// As [`hold`](Message::hold).
    fn try_from(envelope: Envelope<'a>) -> Result<Self, Refused<'a>> {
        let mut message = Self::default();
        message.hold(&envelope).map(|()| message)
    }
}

/// An empty message for [`hold`](Message::hold): a notification with an empty method, which cannot be written.
impl<const ID: usize, const METHOD: usize> Default for Message<'_, ID, METHOD> {
    fn default() -> Self {
        Self::Notification(Notification { method: Method::empty(), params: None })
    }
}

impl<'a, const ID: usize, const METHOD: usize> Message<'a, ID, METHOD> {
    /// Replaces the message by that in `envelope`. The conversion of an [`Envelope`], in place, as [`Request::hold`] is.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Refused<'static>> {
    /// use nanojsonrpc::{Envelope, Message};
    ///
    /// let mut message = Message::<16, 16>::default();
    /// message.hold(&Envelope::parse(br#"{"jsonrpc":"2.0","method":"led","params":[true]}"#)?)?;
    /// assert!(matches!(&message, Message::Notification(led) if led.method == "led"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`IdTooLong`](crate::ErrorKind::IdTooLong), [`MethodTooLong`](crate::ErrorKind::MethodTooLong). `self` is then unspecified.
    pub fn hold(&mut self, envelope: &Envelope<'a>) -> Result<(), Refused<'a>> {
        let params = envelope.params();
        // an assignment for each kind, because the result of the match would be moved
        match envelope.kind() {
            EnvelopeKind::Request => *self = Self::Request(Request { id: Id::Null, method: Method::empty(), params }),
            EnvelopeKind::Notification => {
                *self = Self::Notification(Notification { method: Method::empty(), params });
            }
            EnvelopeKind::Success | EnvelopeKind::Error => {
                *self = Self::Response(Response { id: Id::Null, outcome: envelope.outcome() });
            }
            EnvelopeKind::Batch => *self = Self::Batch(envelope.elements()),
        }
        let (id, method) = match self {
            Self::Request(request) => (Some(&mut request.id), Some(&mut request.method)),
            Self::Notification(notification) => (None, Some(&mut notification.method)),
            Self::Response(response) => (Some(&mut response.id), None),
            Self::Batch(_) => (None, None),
        };
        envelope.hold(id, method)
    }

    /// Writes the message to the front of `out` and returns its length in bytes. A batch is written as received.
    ///
    /// # Errors
    /// As [`Request::write`].
    pub fn write(&self, out: &mut [u8]) -> Result<usize, Error> {
        self.write_as(out, Dialect::JSON_RPC)
    }

    /// [`write`](Self::write) with the rules of `dialect`, for a message that was read with these rules.
    ///
    /// # Errors
    /// As [`Request::write_as`].
    pub fn write_as(&self, out: &mut [u8], dialect: Dialect) -> Result<usize, Error> {
        write_alone(self, out, dialect)
    }
}

impl<const ID: usize, const METHOD: usize> Outgoing for Message<'_, ID, METHOD> {
    fn write_to_as(&self, out: &mut Writer<'_>, dialect: Dialect) -> Result<(), Error> {
        match self {
            Self::Request(request) => request.write_to_as(out, dialect),
            Self::Notification(notification) => notification.write_to_as(out, dialect),
            Self::Response(response) => response.write_to_as(out, dialect),
            Self::Batch(batch) => batch.write_to_as(out, dialect),
        }
    }
}
