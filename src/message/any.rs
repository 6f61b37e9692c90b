//! A held message of any kind.

use super::{Batch, Method, Notification, Request, Response};

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
