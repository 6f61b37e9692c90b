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

    /// The ids of the calls that a message answers; an exact id, or all calls if they were sent in one text.
    fn addressed(&self, addressee: Addressee<'_>) -> Vec<(i64, bool)> {
        match addressee {
            Addressee::Call(_) => {
                addressee.number().into_iter().filter(|(id, _)| self.waiting.contains_key(id)).collect()
            }
            Addressee::Only => {
                let mut texts = self.waiting.values().map(|(_, text)| text);
                let first = texts.next();
                let is_one = texts.all(|text| Some(text) == first);
                if is_one { self.waiting.keys().map(|id| (*id, true)).collect() } else { Vec::new() }
            }
            Addressee::None => Vec::new(),
        }
    }

    /// Ends these calls. Returns whether there was one.
    fn end_with(&mut self, ids: Vec<(i64, bool)>, outcome: impl Fn(bool) -> Result<Message, CallError>) -> bool {
        let is_any = !ids.is_empty();
        for (id, is_exact) in ids {
            if let Some((call, _)) = self.waiting.remove(&id) {
                // the caller may have gone
                _ = call.answer.send(outcome(is_exact));
            }
        }
        is_any
    }

    /// Gives a response to its call.
    pub(crate) fn accept(&mut self, response: Message, dialect: Dialect) {
        let envelope = response.envelope();
        let ids = self.addressed(Addressee::of(&envelope, dialect));
        let is_found = self.end_with(ids, |is_exact| {
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
        let refused = unreadable.refused();
        let ids = self.addressed(Addressee::of_refused(&refused));
        self.end_with(ids, |_| Err(CallError::Refused(refused.error, unreadable.text().clone())))
    }

    /// Ends the only call, whose answer may be the lost message.
    pub(super) fn lose(&mut self, fault: FrameError) -> bool {
        let ids = self.addressed(Addressee::Only);
        self.end_with(ids, |_| Err(CallError::Lost(fault)))
    }

    /// Ends all calls.
    pub(crate) fn end(&mut self, reason: &Closed) {
        for (_, (call, _)) in self.waiting.drain() {
            _ = call.answer.send(Err(CallError::Closed(reason.clone())));
        }
    }
}
