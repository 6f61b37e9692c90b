//! The purpose of a message on a connection that continues to read while handlers wait.

use super::Cancellation;
use crate::json::RawValue;
use crate::message::{EnvelopeKind, Envelopes, Id};
use crate::server::{AsyncRoutes, Server, min_answer_len};

/// How a message is handled.
pub(super) enum Purpose {
    /// An `async` handler takes the message, or an element of it. The id is null for a batch.
    Waits(Id),
    /// The same, but a slot is too short: for the message, or for its shortest answers, whose length this is.
    InPlace(usize),
    /// The message cancels the call with this id. If no waiting call has this id and the second value is `true`, the listener for the
    /// method of the message takes it.
    Cancels(Id, bool),
    Other,
}

/// Classifies a message. A text longer than `max_len`, the message of a slot, and one whose shortest answers exceed `room`, the room of a
/// waiting answer, are handled [in place](Purpose::InPlace): the output of the connection may have more room.
pub(super) fn classify<S: AsyncRoutes<C>, H, C>(
    text: &[u8],
    server: &mut Server<S, H>,
    context: &mut C,
    cancellation: Option<Cancellation>,
    max_len: usize,
    room: usize,
) -> Purpose {
    let mut messages = Envelopes::new(text, server.dialect());
    let (mut waiting, mut shortest) = (None, 0usize);
    while let Some(message) = messages.next() {
        let is_alone = !messages.is_batch();
        let answered = match &message {
            Ok(message) if message.kind() == EnvelopeKind::Request => message.id(),
            Err(refused) if refused.is_answerable() => Some(refused.id.unwrap_or(RawValue::NULL)),
            _ => None,
        };
        if let Some(id) = answered {
            shortest = shortest.saturating_add(min_answer_len(id.as_bytes()));
        }
        let Ok(message) = message else { continue };
        let is_request = message.kind() == EnvelopeKind::Request;
        if waiting.is_none() && is_request && server.waits(context, &message) == Some(true) {
            let id = message.id().filter(|_| is_alone).and_then(|id| Id::read(id).ok());
            waiting = Some(Purpose::Waits(id.unwrap_or_default()));
        }
        if let Some(id) = cancellation.filter(|_| is_alone).and_then(|cancellation| cancellation.cancels(&message)) {
            return Purpose::Cancels(id, server.has_route(context, &message));
        }
    }
    // one byte for the closing bracket
    let shortest = shortest.saturating_add(messages.is_batch().into());
    match waiting {
        Some(_) if text.len() > max_len || shortest > room => Purpose::InPlace(shortest),
        waiting => waiting.unwrap_or(Purpose::Other),
    }
}
