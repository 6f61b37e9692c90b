//! Received messages, with the calls that they answer.

use core::iter::FusedIterator;

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
    /// A text or an element of a batch that is not a message, or one that exceeds a limit of the client; and the call that it ends, because it
    /// may have been the answer: see [`Client::accept_refused`].
    Refused(Refused<'a>, Answer<T>),
}

/// The messages of a text in order; see [`Client::receive`]. A fault in one message of a batch does not affect the others.
///
/// A text that is refused as a whole counts as one message.
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
}

impl<'a, T, const N: usize, const ID: usize> Iterator for Received<'_, 'a, T, N, ID> {
    type Item = Incoming<'a, T, ID>;

    fn next(&mut self) -> Option<Self::Item> {
        let client = &mut *self.client;
        let held = self.messages.next()?.and_then(|message| match message.kind() {
            EnvelopeKind::Request => message.try_into().map(Incoming::Request),
            EnvelopeKind::Notification => message.try_into().map(Incoming::Notification),
            // no message of a text is a batch
            EnvelopeKind::Success | EnvelopeKind::Error | EnvelopeKind::Batch => {
                let response = Response::try_from(message)?;
                Ok(Incoming::Response(client.accept(&message).unwrap_or(Answer::Unknown), response))
            }
        });
        Some(held.unwrap_or_else(|refused| Incoming::Refused(refused, client.accept_refused(&refused))))
    }
}

impl<T, const N: usize, const ID: usize> FusedIterator for Received<'_, '_, T, N, ID> {}
