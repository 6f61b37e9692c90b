//! A received call, on its way to a handler.

use bytes::Bytes;
use nanojsonrpc::message::Str;
use nanojsonrpc::{EnvelopeKind, PayloadError};
use serde::de::DeserializeOwned;

use crate::{Client, Message};

/// A received request or notification: the argument of a [`tower::Service`] that handles calls.
///
/// Its parts borrow from the one buffer that the message arrived in.
#[derive(Clone, Debug)]
pub struct Request {
    message: Message,
    peer: Client,
}

impl Request {
    /// A call that did not arrive over a connection, such as one of HTTP. `peer` is what its handler calls back.
    pub const fn new(message: Message, peer: Client) -> Self {
        Self { message, peer }
    }

    /// The whole message.
    pub const fn message(&self) -> &Message {
        &self.message
    }

    /// The decoded method.
    pub fn method(&self) -> Str<'_> {
        self.message.method()
    }

    /// Whether nobody waits for an answer.
    pub fn is_notification(&self) -> bool {
        self.message.kind() == EnvelopeKind::Notification
    }

    /// The params.
    ///
    /// # Errors
    /// Params that do not fit `T`; the error becomes an error object with -32602.
    pub fn params<T: DeserializeOwned>(&self) -> Result<T, PayloadError> {
        self.message.params()
    }

    /// The text of the message.
    pub fn text(&self) -> Bytes {
        self.message.text()
    }

    /// The sender of the call, for calls and notifications to it.
    pub const fn peer(&self) -> &Client {
        &self.peer
    }
}
