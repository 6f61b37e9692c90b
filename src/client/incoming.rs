//! Received messages, with the calls that they answer.

use core::iter::FusedIterator;

use super::pending::Spelled;
use super::{Answer, Client};
use crate::message::{EnvelopeKind, Envelopes, Notification, Refused, Request, Response};

/// A received message; see [`Client::receive`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Incoming<'a, T, const ID: usize = 64> {
    /// A response, and the call that it answers.
    Response(Answer<T>, Response<'a, ID>),
    /// A request of the server.
    Request(Request<'a, ID>),
    /// A notification of the server.
    Notification(Notification<'a>),
}

/// The messages of a text in order; see [`Client::receive`]. A fault in one message of a batch does not affect the others.
///
/// A text that is refused as a whole gives one [`Refused`]. If a response is refused, its call stays in flight and gets no other answer: end
/// the call with [`cancel`](Self::cancel).
///
/// # Limits
/// Ids: `ID` bytes. Methods: 64 bytes.
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use = "only the responses that the iterator returns are matched"]
pub struct Received<'c, 'a, T, const N: usize, const ID: usize = 64> {
    client: &'c mut Client<T, N, ID>,
    messages: Envelopes<'a>,
}

impl<'c, 'a, T, const N: usize, const ID: usize> Received<'c, 'a, T, N, ID> {
    pub(super) fn new(client: &'c mut Client<T, N, ID>, text: &'a [u8]) -> Self {
        let messages = Envelopes::new(text, client.dialect);
        Self { client, messages }
    }

    /// Ends the call of a refused response and returns its tag; `None` if no call in flight has its id. See [`Client::cancel`].
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::{Client, Writer};
    ///
    /// let mut client: Client<char, 2> = Client::new();
    /// client.call("ping", &(), 'p', &mut Writer::new(&mut [0; 64]))?;
    /// // an error object without a message
    /// let mut received = client.receive(br#"{"jsonrpc":"2.0","error":{"code":7},"id":1}"#);
    /// let mut ended = None;
    /// while let Some(incoming) = received.next() {
    ///     if let Some(refused) = incoming.err().filter(|refused| !refused.is_answerable()) {
    ///         ended = received.cancel(&refused);
    ///     }
    /// }
    /// assert_eq!(ended, Some('p'));
    /// # Ok(()) }
    /// ```
    pub fn cancel(&mut self, refused: &Refused<'_>) -> Option<T> {
        self.client.pending.take(&Spelled::of(refused.id?))
    }
}

impl<'a, T, const N: usize, const ID: usize> Iterator for Received<'_, 'a, T, N, ID> {
    type Item = Result<Incoming<'a, T, ID>, Refused<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let message = match self.messages.next()? {
            Ok(message) => message,
            Err(refused) => return Some(Err(refused)),
        };
        Some(match message.kind() {
            EnvelopeKind::Request => message.try_into().map(Incoming::Request),
            EnvelopeKind::Notification => message.try_into().map(Incoming::Notification),
            // no message of a text is a batch
            EnvelopeKind::Success | EnvelopeKind::Error | EnvelopeKind::Batch => {
                Response::try_from(message).map(|response| Incoming::Response(self.client.accept(&response), response))
            }
        })
    }
}

impl<T, const N: usize, const ID: usize> FusedIterator for Received<'_, '_, T, N, ID> {}
