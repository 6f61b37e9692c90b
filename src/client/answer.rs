//! Matching responses with calls.

use super::Client;
use crate::json::number;
use crate::message::{Id, Response};

/// The call that a response answers; see [`Client::accept`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Answer<T> {
    /// It answers the call with this tag, which is no longer in flight.
    To(T),
    /// The call was answered before, or cancelled, or has expired.
    ///
    /// The client recognizes all numbers that it has chosen in the current count. It recognizes an id that the caller
    /// has chosen until another call takes its slot; then the answer is [`Unknown`](Self::Unknown).
    Duplicate,
    /// No call had this id.
    Unknown,
    /// The id is null: the server could not read the id of the call, "e.g. Parse error/Invalid Request" (JSON-RPC 2.0
    /// §5).
    NullId,
}

impl<T, const N: usize, const ID: usize> Client<T, N, ID> {
    /// Finds the call that `response` answers, and ends it.
    ///
    /// The id must be exactly that of the call (`1` is neither `"1"` nor `1.0`), unless the client is
    /// [lenient](Self::with_lenient_ids). The order does not matter: "The Client SHOULD match contexts between the set
    /// of Request objects and the resulting set of Response objects based on the id member within each Object"
    /// (JSON-RPC 2.0 §6).
    pub fn accept<const A: usize, R, D>(&mut self, response: &Response<'_, A, R, D>) -> Answer<T> {
        let id = &response.id;
        if id.is_null() {
            return Answer::NullId;
        }
        // an exact match takes precedence, even if that call is finished
        let mut answer = self.known(id);
        if let (None, true, Some(number)) = (&answer, self.is_lenient, spelled_number(id)) {
            answer = self.known(&Id::<A>::Number(number));
        }
        answer.unwrap_or(Answer::Unknown)
    }

    /// Ends the call with exactly this id; `None` if the client knows no such call, in flight or finished.
    fn known<const A: usize>(&mut self, id: &Id<A>) -> Option<Answer<T>> {
        if let Some(tag) = self.pending.take(id) {
            return Some(Answer::To(tag));
        }
        let was_given = id.as_i64().is_some_and(|number| (self.first..self.next).contains(&number));
        if was_given || self.pending.remembers(id) { Some(Answer::Duplicate) } else { None }
    }
}

/// The integer that a string or a decimal spells: `"1"` or `1.0`.
fn spelled_number<const A: usize>(id: &Id<A>) -> Option<i64> {
    let text = match id {
        Id::String(text) => text.as_str(),
        Id::Decimal(text) => text.as_str().trim_end_matches('0').strip_suffix('.')?,
        Id::Null | Id::Number(_) => return None,
    };
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.starts_with('0') && digits != "0" { None } else { number::signed(text.as_bytes()) }
}
