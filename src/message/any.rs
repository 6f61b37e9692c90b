//! A held message of any kind.

use super::outgoing::write_alone;
use super::{Batch, Dialect, Method, Notification, Outgoing, Request, Response};
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

/// An empty message for [`hold`](Message::hold): a notification with an empty method, which cannot be written.
impl<const ID: usize, const METHOD: usize> Default for Message<'_, ID, METHOD> {
    fn default() -> Self {
        Self::Notification(Notification { method: Method::empty(), params: None })
    }
}

impl<const ID: usize, const METHOD: usize> Message<'_, ID, METHOD> {
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
