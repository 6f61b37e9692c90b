//! Matching of responses with calls.

use super::Client;
use super::pending::{Sought, Spelled};
use crate::json::{RawValue, number};
use crate::message::{Envelope, EnvelopeKind, Id, Response};

/// The result of matching a response with the calls; see [`Client::accept`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Answer<T> {
    /// The response answers the call with this tag. The call is no longer in flight.
    To(T),
    /// The call is no longer in flight: it was answered before, cancelled, or has expired.
    ///
    /// The client recognizes all ids that it has chosen since its count last restarted. It remembers an id that the caller has
    /// chosen until another call takes the slot of that call; then the answer is [`Unknown`](Self::Unknown).
    Duplicate,
    /// No call had this id.
    Unknown,
    /// The id is null: the server could not read the id of the call, "e.g. Parse error/Invalid Request" (JSON-RPC 2.0 §5).
    NullId,
}

impl<T, const N: usize, const ID: usize> Client<T, N, ID> {
    /// Finds the call that `response` answers, and ends it.
    ///
    /// The id must be exactly the id of the call (`1` is neither `"1"` nor `1.0`), unless the client is [lenient](Self::with_lenient_ids).
    /// Responses may arrive in any order: "The Client SHOULD match contexts between the set of Request objects and the resulting set of
    /// Response objects based on the id member within each Object" (JSON-RPC 2.0 §6).
    ///
    /// # Forwarding
    /// A gateway sends the calls of many clients over one connection to another server. Each call gets a new id, and its tag is the id that
    /// its client has chosen. The texts of the params, the result and the error do not change.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn core::error::Error>> {
    /// use nanojsonrpc::client::{Answer, CallRefused, Client};
    /// use nanojsonrpc::{Id, Request, Response, Writer};
    ///
    /// let mut upstream: Client<Id, 8> = Client::new();
    /// let mut buffer = [0; 128];
    /// let mut out = Writer::new(&mut buffer);
    /// for call in [r#"{"jsonrpc":"2.0","method":"level","params":[1.50],"id":"a"}"#, r#"{"jsonrpc":"2.0","method":"off","id":7}"#] {
    ///     let call = Request::parse(call.as_bytes())?;
    ///     match upstream.call(call.method.as_str(), &call.params, call.id, &mut out) {
    ///         Ok(id) => println!("forwarded as {id}"),
    ///         // too many calls are in flight, or the output is full: `Response::error(tag, error)` is for the client
    ///         Err(CallRefused { error, tag }) => println!("{tag}: {error}"),
    ///     }
    /// }
    /// let calls = [r#"{"jsonrpc":"2.0","method":"level","params":[1.50],"id":1}"#, r#"{"jsonrpc":"2.0","method":"off","id":2}"#];
    /// assert_eq!(out.written(), calls.concat().as_bytes());
    ///
    /// let response = Response::parse(br#"{"jsonrpc":"2.0","result":2.0e1,"id":1}"#)?;
    /// let Answer::To(id) = upstream.accept(&response) else { panic!() };
    /// let mut output = [0; 64];
    /// let len = Response { id, outcome: response.outcome }.write(&mut output)?;
    /// assert_eq!(&output[..len], br#"{"jsonrpc":"2.0","result":2.0e1,"id":"a"}"#);
    /// # Ok(()) }
    /// ```
    pub fn accept<const A: usize, R, D>(&mut self, response: &Response<'_, A, R, D>) -> Answer<T> {
        let id = &response.id;
        if id.is_null() {
            return Answer::NullId;
        }
        // an exact match takes precedence, even if that call is finished
        let mut answer = self.known(id);
        if let (None, true, Some(number)) = (&answer, self.is_lenient, spelled_number(id)) {
            answer = self.known(&number);
        }
        answer.unwrap_or(Answer::Unknown)
    }

    /// [`accept`](Self::accept) for a borrowed response, whose id may have any length; `None` if `envelope` is not a response.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn core::error::Error>> {
    /// use nanojsonrpc::{Client, Envelope, Writer, client::Answer};
    ///
    /// let mut client: Client<char, 2> = Client::new();
    /// client.call("ping", &(), 'p', &mut Writer::new(&mut [0; 64]))?;
    /// let envelope = Envelope::parse(br#"{"jsonrpc":"2.0","result":0,"id":1}"#)?;
    /// assert_eq!(client.accept_envelope(&envelope), Some(Answer::To('p')));
    /// assert_eq!(envelope.result().and_then(|result| result.as_i64()), Some(0));
    /// let call = Envelope::parse(br#"{"jsonrpc":"2.0","method":"ping","id":1}"#)?;
    /// assert_eq!(client.accept_envelope(&call), None);
    /// # Ok(()) }
    /// ```
    pub fn accept_envelope(&mut self, envelope: &Envelope<'_>) -> Option<Answer<T>> {
        if !matches!(envelope.kind(), EnvelopeKind::Success | EnvelopeKind::Error) {
            return None;
        }
        let Some(id) = envelope.id().filter(|id| !id.is_null()) else { return Some(Answer::NullId) };
        let mut answer = self.known(&Spelled::of(id));
        if let (None, true, Some(number)) = (&answer, self.is_lenient, spelled_in(id)) {
            // No id has this spelling, so only the number can match. `known(&number)` would link a second instance of `known` on devices.
            answer = self.known(&Spelled::with_number(id, number));
        }
        Some(answer.unwrap_or(Answer::Unknown))
    }

    /// Ends the call with exactly this id; `None` if the client knows no such call, whether in flight or finished.
    fn known(&mut self, id: &impl Sought) -> Option<Answer<T>> {
        if let Some(tag) = self.pending.take(id) {
            return Some(Answer::To(tag));
        }
        let was_given = id.number().is_some_and(|number| (self.first..self.next).contains(&number));
        if was_given || self.pending.remembers(id) { Some(Answer::Duplicate) } else { None }
    }
}

/// The integer that a string or a decimal spells, such as `"1"` or `1.0`.
fn spelled_number<const A: usize>(id: &Id<A>) -> Option<i64> {
    match id {
        Id::String(text) => canonical(text.as_bytes()),
        Id::Decimal { text } => canonical(whole(text.as_bytes())?),
        Id::Null | Id::Number(_) => None,
    }
}

/// [`spelled_number`] for an id as spelled in a text.
fn spelled_in(id: RawValue<'_>) -> Option<i64> {
    let Some(text) = id.as_str_raw() else { return canonical(whole(id.as_bytes())?) };
    // room for the longest `i64`
    let mut decoded = heapless::Vec::<u8, 20>::new();
    text.bytes().try_for_each(|byte| decoded.push(byte).ok())?;
    canonical(&decoded)
}

/// Removes the fraction of a decimal; `None` if the fraction has digits other than 0.
fn whole(mut decimal: &[u8]) -> Option<&[u8]> {
    while let [rest @ .., b'0'] = decimal {
        decimal = rest;
    }
    decimal.strip_suffix(b".")
}

/// Reads an integer; `None` if `text` is not the spelling that this crate writes.
fn canonical(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if matches!(digits, [b'0', _, ..]) { None } else { number::signed(text) }
}
