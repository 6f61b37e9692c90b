//! The messages of each direction, for a client that only calls and a server that only answers and notifies.
//!
//! Peers that do both, as in the Model Context Protocol, use [`Message`].

use super::{Batch, Envelope, EnvelopeKind, Notification, Refused, Request, Response};

/// A message from a client to a server.
///
/// ```
/// use nanojsonrpc::{Envelope, message::ClientMessage};
///
/// let call = Envelope::parse(br#"{"jsonrpc":"2.0","method":"ping","id":1}"#)?;
/// let call: ClientMessage<'_> = call.try_into()?;
/// assert!(matches!(call, ClientMessage::Request(_)));
/// let answer = Envelope::parse(br#"{"jsonrpc":"2.0","result":1,"id":1}"#)?;
/// assert!(ClientMessage::<64, 64>::try_from(answer).is_err_and(|refused| !refused.is_answerable()));
/// # Ok::<(), nanojsonrpc::Refused<'_>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ClientMessage<'a, const ID: usize = 64, const METHOD: usize = 64> {
    /// A call that expects a response.
    Request(Request<'a, ID, METHOD>),
    /// A call without a response.
    Notification(Notification<'a, METHOD>),
    /// An array of messages that are not yet classified.
    Batch(Batch<'a>),
}

/// A message from a server to a client.
///
/// ```
/// use nanojsonrpc::{Envelope, message::ServerMessage};
///
/// let answer = Envelope::parse(br#"{"jsonrpc":"2.0","result":1,"id":1}"#)?;
/// let answer: ServerMessage<'_> = answer.try_into()?;
/// assert!(matches!(answer, ServerMessage::Response(_)));
/// # Ok::<(), nanojsonrpc::Refused<'_>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ServerMessage<'a, const ID: usize = 64, const METHOD: usize = 64> {
    /// The answer to a request.
    Response(Response<'a, ID>),
    /// A call without a response, such as an event.
    Notification(Notification<'a, METHOD>),
    /// An array of messages that are not yet classified.
    Batch(Batch<'a>),
}

impl<'a, const ID: usize, const METHOD: usize> TryFrom<Envelope<'a>> for ClientMessage<'a, ID, METHOD> {
    type Error = Refused<'a>;

    /// # Errors
    /// As [`Message::hold`](crate::Message::hold), with [`UnexpectedMessage`](crate::ErrorKind::UnexpectedMessage) for a response, which is
    /// never answered.
    fn try_from(envelope: Envelope<'a>) -> Result<Self, Refused<'a>> {
        match envelope.kind() {
            EnvelopeKind::Batch => Ok(Self::Batch(envelope.as_batch())),
            EnvelopeKind::Request => envelope.try_into().map(Self::Request),
            _ => envelope.try_into().map(Self::Notification),
        }
    }
}

impl<'a, const ID: usize, const METHOD: usize> TryFrom<Envelope<'a>> for ServerMessage<'a, ID, METHOD> {
    type Error = Refused<'a>;

    /// # Errors
    /// As [`Message::hold`](crate::Message::hold), with [`UnexpectedMessage`](crate::ErrorKind::UnexpectedMessage) for a request.
    fn try_from(envelope: Envelope<'a>) -> Result<Self, Refused<'a>> {
        match envelope.kind() {
            EnvelopeKind::Batch => Ok(Self::Batch(envelope.as_batch())),
            EnvelopeKind::Notification => envelope.try_into().map(Self::Notification),
            _ => envelope.try_into().map(Self::Response),
        }
    }
}
