//! The messages of each direction, for a client that only calls and a server that only answers and notifies.
//!
//! Peers that do both, as in the Model Context Protocol, use [`Message`].

use super::{Batch, Dialect, Message, Notification, Rejection, Request, Response};
use crate::error::{Error, ErrorKind};

/// A message from a client to a server.
///
/// ```
/// use nanojsonrpc::{Message, message::ClientMessage};
///
/// let call = br#"{"jsonrpc":"2.0","method":"ping","id":1}"#;
/// assert!(matches!(ClientMessage::parse(call), Ok(ClientMessage::Request(_))));
/// let answer = br#"{"jsonrpc":"2.0","result":1,"id":1}"#;
/// assert!(ClientMessage::parse(answer).is_err_and(|rejection| rejection.answer().is_none()));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ClientMessage<'a, const ID: usize = 64, const METHOD: usize = 64> {
    /// A call that expects a response.
    Request(Request<'a, ID, METHOD>),
    /// A call without a response.
    Notification(Notification<'a, METHOD>),
    /// An array of messages that are not yet classified.
    Batch(Batch<'a, ID, METHOD>),
}

/// A message from a server to a client.
///
/// ```
/// use nanojsonrpc::message::ServerMessage;
///
/// let answer = br#"{"jsonrpc":"2.0","result":1,"id":1}"#;
/// assert!(matches!(ServerMessage::parse(answer), Ok(ServerMessage::Response(_))));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ServerMessage<'a, const ID: usize = 64, const METHOD: usize = 64> {
    /// The answer to a request.
    Response(Response<'a, ID>),
    /// A call without a response, such as an event.
    Notification(Notification<'a, METHOD>),
    /// An array of messages that are not yet classified.
    Batch(Batch<'a, ID, METHOD>),
}

impl<'a> ClientMessage<'a> {
    /// Reads one message from the whole of `text`, with the default capacities.
    ///
    /// # Errors
    /// As [`Message::parse`], with [`ErrorKind::UnexpectedMessage`] for a response, which is never answered.
    pub fn parse(text: &'a [u8]) -> Result<Self, Rejection> {
        Self::parse_as(text, Dialect::JSON_RPC)
    }

    /// [`parse`](Self::parse) with the rules of `dialect`.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_as(text: &'a [u8], dialect: Dialect) -> Result<Self, Rejection> {
        Message::parse_as(text, dialect)?.try_into().map_err(|unexpected: Rejection| unexpected.in_text(text))
    }
}

impl<'a> ServerMessage<'a> {
    /// Reads one message from the whole of `text`, with the default capacities.
    ///
    /// # Errors
    /// As [`Message::parse`], with [`ErrorKind::UnexpectedMessage`] for a request.
    pub fn parse(text: &'a [u8]) -> Result<Self, Rejection> {
        Self::parse_as(text, Dialect::JSON_RPC)
    }

    /// [`parse`](Self::parse) with the rules of `dialect`.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_as(text: &'a [u8], dialect: Dialect) -> Result<Self, Rejection> {
        Message::parse_as(text, dialect)?.try_into().map_err(|unexpected: Rejection| unexpected.in_text(text))
    }
}

const UNEXPECTED: Error = Error::new(ErrorKind::UnexpectedMessage, 0);

impl<'a, const ID: usize, const METHOD: usize> TryFrom<Message<'a, ID, METHOD>> for ClientMessage<'a, ID, METHOD> {
    type Error = Rejection<ID>;

    /// # Errors
    /// [`ErrorKind::UnexpectedMessage`] for a response.
    fn try_from(message: Message<'a, ID, METHOD>) -> Result<Self, Rejection<ID>> {
        match message {
            Message::Request(request) => Ok(Self::Request(request)),
            Message::Notification(notification) => Ok(Self::Notification(notification)),
            Message::Batch(batch) => Ok(Self::Batch(batch)),
            Message::Response(_) => Err(Rejection::silent(UNEXPECTED)),
        }
    }
}

impl<'a, const ID: usize, const METHOD: usize> TryFrom<Message<'a, ID, METHOD>> for ServerMessage<'a, ID, METHOD> {
    type Error = Rejection<ID>;

    /// # Errors
    /// [`ErrorKind::UnexpectedMessage`] for a request; the rejection has the id of the request, for the response.
    fn try_from(message: Message<'a, ID, METHOD>) -> Result<Self, Rejection<ID>> {
        match message {
            Message::Response(response) => Ok(Self::Response(response)),
            Message::Notification(notification) => Ok(Self::Notification(notification)),
            Message::Batch(batch) => Ok(Self::Batch(batch)),
            Message::Request(request) => Err(Rejection::new(UNEXPECTED, request.id)),
        }
    }
}
