//! Received messages, with the calls that they answer.

use core::iter::FusedIterator;

use super::{Answer, Client};
use crate::message::{BatchElements, Id, Message, Notification, Rejection, Request, Response};

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
/// A text that is refused as a whole gives one rejection. If a response is refused, its call stays in flight and gets no other answer.
/// [`Rejection::id`] is its id, if it was readable: end the call with [`cancel`](Self::cancel).
///
/// # Limits
/// Ids: `ID` bytes. Methods: 64 bytes.
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use = "only the responses that the iterator returns are matched"]
pub struct Received<'c, 'a, T, const N: usize, const ID: usize = 64> {
    client: &'c mut Client<T, N, ID>,
    rest: Rest<'a, ID>,
}

#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Rest<'a, const ID: usize> {
    Text(&'a [u8]),
    Elements(BatchElements<'a, ID>),
    Nothing,
}

impl<'c, 'a, T, const N: usize, const ID: usize> Received<'c, 'a, T, N, ID> {
    pub(super) const fn new(client: &'c mut Client<T, N, ID>, text: &'a [u8]) -> Self {
        Self { client, rest: Rest::Text(text) }
    }

    /// [`Client::cancel`], for the call of a refused response.
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
    ///     if let Some(rejection) = incoming.err().filter(|rejection| !rejection.is_answerable()) {
    ///         ended = received.cancel(rejection.id());
    ///     }
    /// }
    /// assert_eq!(ended, Some('p'));
    /// # Ok(()) }
    /// ```
    pub fn cancel(&mut self, id: &Id<ID>) -> Option<T> {
        self.client.cancel(id)
    }
}

impl<'a, T, const N: usize, const ID: usize> Iterator for Received<'_, 'a, T, N, ID> {
    type Item = Result<Incoming<'a, T, ID>, Rejection<ID>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let message = match &mut self.rest {
                Rest::Text(text) => {
                    let message = Message::parse_bounded(text, self.client.dialect);
                    self.rest = Rest::Nothing;
                    message
                }
                Rest::Elements(elements) => elements.next()?,
                Rest::Nothing => return None,
            };
            return Some(Ok(match message {
                Ok(Message::Response(response)) => Incoming::Response(self.client.accept(&response), response),
                Ok(Message::Request(request)) => Incoming::Request(request),
                Ok(Message::Notification(notification)) => Incoming::Notification(notification),
                Ok(Message::Batch(batch)) => {
                    self.rest = Rest::Elements(batch.elements());
                    continue;
                }
                Err(rejection) => return Some(Err(rejection)),
            }));
        }
    }
}

impl<T, const N: usize, const ID: usize> FusedIterator for Received<'_, '_, T, N, ID> {}
