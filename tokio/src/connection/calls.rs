//! The calls of this program that wait for their answers.

use std::collections::HashMap;

use nanojsonrpc::Dialect;
use nanojsonrpc::client::Addressee;
use nanojsonrpc::frame::FrameError;
use tokio::sync::oneshot;

use crate::error::Closed;
use crate::{CallError, Message, Unreadable};

/// A call that waits for its answer.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) id: i64,
    pub(crate) answer: oneshot::Sender<Result<Message, CallError>>,
}

/// The calls in flight by their ids, with the number of the text that they were sent in.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    waiting: HashMap<i64, (Call, u64)>,
    texts: u64,
}

impl Calls {
    /// Adds the calls of one text.
    pub(crate) fn add(&mut self, calls: Vec<Call>) {
        self.texts = self.texts.wrapping_add(1);
        let text = self.texts;
        self.waiting.extend(calls.into_iter().map(|call| (call.id, (call, text))));
    }

    /// Removes a call whose caller no longer waits.
    pub(crate) fn forget(&mut self, id: i64) {
        self.waiting.remove(&id);
    }

    /// Ends the calls that a message answers: that of its id, exact or not, or all calls if they were sent in one text. Returns whether there
    /// was one.
    fn end_with(&mut self, addressee: Addressee<'_>, outcome: impl Fn(bool) -> Result<Message, CallError>) -> bool {
        let has_ended = |(call, _): (Call, u64), is_exact| {
            // the caller may have gone
            _ = call.answer.send(outcome(is_exact));
        };
        match addressee {
            Addressee::Call(_) => addressee
                .number()
                .and_then(|(id, is_exact)| Some((self.waiting.remove(&id)?, is_exact)))
                .map(|(call, is_exact)| has_ended(call, is_exact))
                .is_some(),
            Addressee::Only => {
                let mut texts = self.waiting.values().map(|(_, text)| text);
                let first = texts.next();
                let is_one = first.is_some() && texts.all(|text| Some(text) == first);
                if is_one {
                    self.waiting.drain().for_each(|(_, call)| has_ended(call, true));
                }
                is_one
            }
            Addressee::None => false,
        }
    }

    /// Gives a response to its call.
    pub(crate) fn accept(&mut self, response: Message, dialect: Dialect) {
        let envelope = response.envelope();
        let is_found = self.end_with(Addressee::of(&envelope, dialect), |is_exact| {
            if is_exact || dialect.allows_any_spelling() {
                return Ok(response.clone());
            }
            Err(CallError::Misspelled(response.text()))
        });
        if !is_found {
            tracing::debug!("late or unknown answer: {response:?}");
        }
    }

    /// Ends the call that an unreadable text may have answered. Returns whether it answers one.
    pub(super) fn refuse(&mut self, unreadable: &Unreadable) -> bool {
        if self.waiting.is_empty() {
            return false;
        }
        let refused = unreadable.refused();
        self.end_with(Addressee::of_refused(&refused), |_| {
            Err(CallError::Refused(refused.error, unreadable.text().clone()))
        })
    }

    /// Ends the only call, whose answer may be the lost message.
    pub(super) fn lose(&mut self, fault: FrameError) -> bool {
        self.end_with(Addressee::Only, |_| Err(CallError::Lost(fault)))
    }

    /// Ends all calls.
    pub(crate) fn end(&mut self, reason: &Closed) {
        for (_, (call, _)) in self.waiting.drain() {
            _ = call.answer.send(Err(CallError::Closed(reason.clone())));
        }
    }
}
