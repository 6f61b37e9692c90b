//! Matching of responses with calls.

use super::Client;
use super::pending::{Only, Spelled};
use crate::json::{RawValue, number};
use crate::message::{Dialect, Envelope, EnvelopeKind, Refused};

/// The result of matching a response with the calls; see [`Client::accept`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Answer<T> {
    /// The response answers the call with this tag. The call is no longer in flight.
    To(T),
    /// The response has the id of the call with this tag in another spelling, such as `"1"` or `1.0` for 1. The call is no longer in
    /// flight. With [`Dialect::with_any_spelling`](crate::Dialect::with_any_spelling), the response is the answer.
    Misspelled(T),
    /// The response belongs to a call that stays in flight, because the client [keeps](Client::keep) it.
    More,
    /// An error without a readable id answers the batch of all calls in flight. End them with [`Client::drain`].
    ToBatch,
    /// The call is no longer in flight: it was answered before, cancelled, or has expired.
    ///
    /// The client recognizes all ids that it has chosen since its count last restarted. It remembers an id that the caller has
    /// chosen until another call takes the slot of that call; then the answer is [`Unknown`](Self::Unknown).
    Duplicate,
    /// No call had this id.
    Unknown,
    /// The id is null, "e.g. Parse error/Invalid Request" (JSON-RPC 2.0 §5), or cannot be read, and not exactly one call or batch is in flight.
    NullId,
}

impl<T, const N: usize, const ID: usize> Client<T, N, ID> {
    /// Finds the call that `response` answers, and ends it; `None` if the message is not a response.
    ///
    /// The id must be exactly the id of the call (`1` is neither `"1"` nor `1.0`), unless its dialect allows [any spelling](crate::Dialect::with_any_spelling).
    /// Responses may arrive in any order: "The Client SHOULD match contexts between the set of Request objects and the resulting set of
    /// Response objects based on the id member within each Object" (JSON-RPC 2.0 §6). An error whose id is null answers the only call in
    /// flight, or all calls in flight if these are one batch.
    ///
    /// ```
    /// use nanojsonrpc::{Client, Envelope, Writer, client::Answer};
    ///
    /// let mut client: Client<char, 2> = Client::new();
    /// client.call("ping", &(), 'p', &mut Writer::new(&mut [0; 64]))?;
    /// let error = Envelope::parse(br#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#)?;
    /// assert_eq!(client.accept(&error), Some(Answer::To('p')));
    /// assert_eq!(client.accept(&error), Some(Answer::NullId));
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    ///
    /// # Forwarding
    /// A gateway sends the calls of many clients over one connection to another server. Each call gets a new id, and its tag is the id that
    /// its client has chosen. The texts of the params, the result and the error do not change.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn core::error::Error>> {
    /// use nanojsonrpc::client::{Answer, CallRefused, Client};
    /// use nanojsonrpc::{Envelope, Id, Request, Response, Writer};
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
    /// let response = Envelope::parse(br#"{"jsonrpc":"2.0","result":2.0e1,"id":1}"#)?;
    /// let (Some(Answer::To(id)), Some(result)) = (upstream.accept(&response), response.result()) else { panic!() };
    /// let mut output = [0; 64];
    /// let len = Response::success(id, &result).write(&mut output)?;
    /// assert_eq!(&output[..len], br#"{"jsonrpc":"2.0","result":2.0e1,"id":"a"}"#);
    /// # Ok(()) }
    /// ```
    pub fn accept(&mut self, response: &Envelope<'_>) -> Option<Answer<T>> {
        if !matches!(response.kind(), EnvelopeKind::Success | EnvelopeKind::Error) {
            return None;
        }
        Some(match answered_id(response, self.dialect) {
            Some(Some(id)) => self.answer_to(id),
            Some(None) => self.only(),
            None => Answer::NullId,
        })
    }

    /// Ends the call that a refused text may have answered, because no other answer will come: the call with the id of the text, or the only
    /// call in flight if the text is broken before its id. An object with a method and without a result or an error is a broken call of the
    /// server, and ends nothing; neither does a text that begins with no object, such as a line of a log.
    ///
    /// ```
    /// use nanojsonrpc::{Client, Envelope, Writer, client::Answer};
    ///
    /// let mut client: Client<char, 2> = Client::new();
    /// client.call("level", &(), 'a', &mut Writer::new(&mut [0; 64]))?;
    /// client.call("level", &(), 'b', &mut Writer::new(&mut [0; 64]))?;
    /// let mut accept = |text: &'static [u8]| Envelope::parse(text).map_err(|refused| client.accept_refused(&refused));
    /// assert_eq!(accept(b"[info] ready"), Err(Answer::Unknown));
    /// assert_eq!(accept(br#"{"result":nan,"id":2}"#), Err(Answer::NullId)); // either call
    /// assert_eq!(accept(br#"{"id":2,"result":nan}"#), Err(Answer::To('b')));
    /// assert_eq!(accept(br#"{"result":nan,"id":1}"#), Err(Answer::To('a')));
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    pub fn accept_refused(&mut self, refused: &Refused<'_>) -> Answer<T> {
        match refused.answered_id() {
            Some(Some(id)) => self.answer_to(id),
            Some(None) => self.only(),
            None => Answer::Unknown,
        }
    }

    fn answer_to(&mut self, id: RawValue<'_>) -> Answer<T> {
        // an exact match takes precedence, even if that call is finished
        let mut answer = self.known(&Spelled::of(id));
        if let (None, Some(number)) = (&answer, spelled_number(id)) {
            // No id has this spelling, so only the number can match. `known(&number)` would link a second instance of `known` on devices.
            answer = self.known(&Spelled::with_number(id, number));
            answer = match answer {
                Some(Answer::To(tag)) if !self.dialect.allows_any_spelling() => Some(Answer::Misspelled(tag)),
                answer => answer,
            };
        }
        answer.unwrap_or(Answer::Unknown)
    }

    /// Ends the call that an answer without an id must be for.
    fn only(&mut self) -> Answer<T> {
        match self.pending.only() {
            Only::Call(tag) => Answer::To(tag),
            Only::Batch => Answer::ToBatch,
            Only::None => Answer::NullId,
        }
    }

    /// Ends the call with exactly this id; `None` if the client knows no such call, whether in flight or finished.
    fn known(&mut self, id: &Spelled<'_>) -> Option<Answer<T>> {
        if self.pending.keeps(id) {
            return Some(Answer::More);
        }
        if let Some(tag) = self.pending.take(id) {
            return Some(Answer::To(tag));
        }
        let was_given = id.number().is_some_and(|number| (self.first..self.next).contains(&number));
        if was_given || self.pending.remembers(id) { Some(Answer::Duplicate) } else { None }
    }
}

/// The call that a received text answers, for a program that stores its calls itself, such as thousands of them in a hash map.
/// [`Client::accept`] and [`Client::accept_refused`] decide by the same rules.
///
/// ```
/// use nanojsonrpc::client::Addressee;
/// use nanojsonrpc::{Dialect, Envelope};
///
/// let of = |text: &'static [u8]| match Envelope::parse(text) {
///     Ok(message) => Addressee::of(&message, Dialect::JSON_RPC),
///     Err(refused) => Addressee::of_refused(&refused),
/// };
/// assert_eq!(of(br#"{"jsonrpc":"2.0","result":0,"id":7}"#).number(), Some((7, true)));
/// assert_eq!(of(br#"{"jsonrpc":"2.0","result":0,"id":"7"}"#).number(), Some((7, false)));
/// assert_eq!(of(br#"{"id":7,"result":nan}"#).number(), Some((7, true)));
/// assert_eq!(of(br#"{"result":nan"#), Addressee::Only);
/// assert_eq!(of(br#"{"jsonrpc":"2.0","method":"tick"}"#), Addressee::None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Addressee<'a> {
    /// The call with this id.
    Call(RawValue<'a>),
    /// The only call in flight, or the only batch: the id is null or cannot be read. If several are in flight, no call.
    Only,
    /// No call.
    None,
}

impl<'a> Addressee<'a> {
    /// The call that `message` answers, by the rules of `dialect`.
    pub fn of(message: &Envelope<'a>, dialect: Dialect) -> Self {
        Self::from_id(answered_id(message, dialect))
    }

    /// The call that a refused text may have answered, so that it gets no other answer.
    pub fn of_refused(refused: &Refused<'a>) -> Self {
        Self::from_id(refused.answered_id())
    }

    fn from_id(id: Option<Option<RawValue<'a>>>) -> Self {
        match id {
            Some(Some(id)) => Self::Call(id),
            Some(None) => Self::Only,
            None => Self::None,
        }
    }

    /// The integer that the id spells, and whether it is spelled as a client writes it: `7` is, `"7"` and `7.0` are not, and are the answer
    /// to call 7 only with [`Dialect::with_any_spelling`](crate::Dialect::with_any_spelling).
    pub fn number(self) -> Option<(i64, bool)> {
        let Self::Call(id) = self else { return None };
        id.as_i64().map(|number| (number, true)).or_else(|| Some((spelled_number(id)?, false)))
    }
}

/// The id of the call that a response answers; `Some(None)` for an error without an id, which answers the only call in flight: "If there was
/// an error in detecting the id [...] it MUST be Null" (JSON-RPC 2.0 §5). `None` if the message answers no call.
pub(crate) fn answered_id<'a>(response: &Envelope<'a>, dialect: Dialect) -> Option<Option<RawValue<'a>>> {
    match (response.kind(), response.id().filter(|id| !id.is_null())) {
        (EnvelopeKind::Success, None) if !dialect.allows_any_outcome() => None,
        (EnvelopeKind::Success | EnvelopeKind::Error, id) => Some(id),
        _ => None,
    }
}

/// The integer that a string or a decimal spells, such as `"1"` or `1.0`.
pub(super) fn spelled_number(id: RawValue<'_>) -> Option<i64> {
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
