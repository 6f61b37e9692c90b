//! The verdict on each message of a text.

use core::ops::Range;

use nanojsonrpc::client::Answer;
use nanojsonrpc::{
    Dialect, Envelope, EnvelopeKind, Envelopes, ErrorCode, ErrorKind, ErrorObject, Id, RawValue, Refused, Response,
    Writer,
};

use crate::memory::{Room, text};
use crate::out::Out;
use crate::{calls, depth, spans};

/// How texts are read.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) dialect: Dialect,
    pub(crate) depth: u32,
    /// The capacity of ids, at most 64.
    pub(crate) id: usize,
    /// The capacity of methods, at most 255.
    pub(crate) method: usize,
    /// Whether a response with the id `"1"` ends the call 1.
    pub(crate) is_lenient: bool,
}

/// A message, or the kind and offset of its fault.
type Judged<'a> = Result<Envelope<'a>, (ErrorKind, usize)>;

impl Rules {
    /// Applies the capacities, and writes the answer of a server to a refused message, if it has one.
    ///
    /// `Message::<ID, METHOD>::try_from` does this for capacities that are constants; tests compare the two.
    pub(crate) fn judge<'a>(
        self,
        text: &[u8],
        read: Result<Envelope<'a>, Refused<'a>>,
        answer: &mut Writer<'_>,
    ) -> Judged<'a> {
        let envelope = match read {
            Ok(envelope) => envelope,
            Err(refused) => {
                if let Some(response) = refused.answer() {
                    self.answer(&response, answer);
                }
                return Err((refused.kind(), refused.offset()));
            }
        };
        let id = envelope.id();
        let fitting = id.filter(|id| fits(*id, self.id));
        let method = envelope.method();
        let (kind, offset) = if fitting.is_none() && id.is_some() {
            (ErrorKind::IdTooLong, id.map_or(0, RawValue::offset))
        } else if method.decode([0; 255].get_mut(..self.method).unwrap_or_default()).is_err() {
            (ErrorKind::MethodTooLong, spans::offset(text, method.as_bytes()).wrapping_sub(1))
        } else {
            return Ok(envelope);
        };
        if envelope.kind() == EnvelopeKind::Request {
            let id = fitting.and_then(|id| Id::read(id).ok()).unwrap_or_default();
            let words = if kind == ErrorKind::IdTooLong { "id too long" } else { "method too long" };
            let object = ErrorObject::new(ErrorCode::INVALID_REQUEST, words);
            self.answer(&Response { id, outcome: Err(object) }, answer);
        }
        Err((kind, offset))
    }

    fn answer(self, response: &Response<'_>, answer: &mut Writer<'_>) {
        // the buffer has room for the longest id
        _ = answer.message_as(response, self.dialect);
    }
}

/// Whether an id fits a capacity. Integers of 64 bits need none.
fn fits(id: RawValue<'_>, capacity: usize) -> bool {
    match id.as_str_raw() {
        Some(string) => string.decode([0; 64].get_mut(..capacity).unwrap_or_default()).is_ok(),
        None => id.is_null() || id.as_i64().is_some() || id.as_bytes().len() <= capacity,
    }
}

/// Requests, notifications, successes, errors, refused messages.
type Counts = [u32; 5];
const REFUSED: usize = 4;

/// Writes the verdict on the text and on `wanted` of its messages, and returns its length.
///
/// Words: whether it is JSON (1) and a batch (2), the number of messages of each kind, then for each message: its kind, its place, its
/// parts; of a response whether it ends a call (1), does not (2), or could not (0); of a refused message the offset, the
/// kind of the fault, and the answer.
pub(crate) fn read(room: &mut Room, len: usize, rules: Rules, wanted: Range<usize>, output: &mut [u8]) -> usize {
    let deep = depth::exceeded(room, len, rules.depth);
    let text = text(room, len);
    let mut out = Out::new(output);
    let mut answer = [0; 1024];
    let mut answer = Writer::new(&mut answer);
    let mut envelopes = Envelopes::new(text, rules.dialect);
    let mut next = envelopes.next();
    // a text that is too long is not read, and an earlier fault is the first
    let comes_first = |offset| match next {
        Some(Err(refused)) if refused.code() == ErrorCode::PARSE_ERROR => offset <= refused.offset(),
        Some(Err(refused)) => refused.kind() != ErrorKind::MessageTooLong,
        _ => true,
    };
    if let Some((error, offset)) = deep.filter(|(_, offset)| comes_first(*offset)) {
        rules.answer(&Response { id: Id::Null, outcome: Err(error.into()) }, &mut answer);
        out.words(&[0, 0, 0, 0, 0, 1]);
        refusal((error.kind(), offset), &answer, None, text, &mut out);
        return out.len();
    }
    let value = RawValue::parse(text).ok();
    out.words(&[usize::from(value.is_some()) | usize::from(envelopes.is_batch()) << 1]);
    let counts_at = out.len();
    out.words(&[0; 5]);
    let mut counts = Counts::default();
    let mut elements = value.unwrap_or(RawValue::NULL).elements();
    let mut place = 0usize;
    while let Some(envelope) = next {
        next = envelopes.next();
        let value = if envelopes.is_batch() { elements.next() } else { value };
        answer.clear();
        let judged = rules.judge(text, envelope, &mut answer);
        let kind = kind(judged);
        if let Some(count) = counts.get_mut(kind) {
            *count = count.wrapping_add(1);
        }
        place = place.wrapping_add(1);
        if place <= wanted.start || place > wanted.end {
            continue;
        }
        match judged {
            Err(fault) => refusal(fault, &answer, value, text, &mut out),
            Ok(envelope) => {
                message(kind, value, text, &mut out);
                if kind > 1 {
                    out.word(ends(envelope, rules.is_lenient));
                }
            }
        }
    }
    let len = out.len();
    let places = out.since(counts_at);
    for (place, count) in places.chunks_exact_mut(4).zip(counts) {
        for (to, from) in place.iter_mut().zip(count.to_le_bytes()) {
            *to = from;
        }
    }
    len
}

/// The index in [`Counts`].
fn kind(judged: Judged<'_>) -> usize {
    match judged.map(|envelope| envelope.kind()) {
        Ok(EnvelopeKind::Request) => 0,
        Ok(EnvelopeKind::Notification) => 1,
        Ok(EnvelopeKind::Success) => 2,
        Ok(EnvelopeKind::Error) => 3,
        Ok(EnvelopeKind::Batch) | Err(_) => REFUSED,
    }
}

/// Appends the kind, the span and the parts of a message.
fn message(kind: usize, value: Option<RawValue<'_>>, text: &[u8], out: &mut Out<'_>) {
    out.words(&[kind]);
    out.words(&value.map_or([0; 2], spans::span));
    spans::parts(text, value.unwrap_or(RawValue::NULL), out);
}

/// Whether the response would end the call with the number of its id: yes (1), no (2), or no such call (0).
fn ends(envelope: Envelope<'_>, is_lenient: bool) -> u32 {
    let Ok(response) = Response::<64>::try_from(envelope) else { return 0 };
    let spelled = match &response.id {
        Id::Null => return 0,
        Id::Number(_) => return 1,
        Id::String(spelled) => spelled.as_bytes(),
        Id::Decimal { text: spelled, .. } => {
            let number = spelled.as_str().as_bytes();
            let len = number.iter().take_while(|byte| **byte != b'.').count();
            number.get(..len).unwrap_or_default()
        }
    };
    let Some(number) = RawValue::parse(spelled).ok().and_then(RawValue::as_i64) else { return 0 };
    let mut client = calls::client(Dialect::JSON_RPC, is_lenient).with_first_id(number);
    if client.call("m", &RawValue::NULL, 0, &mut Writer::new(&mut [0; 80])).is_err() {
        return 0;
    }
    if client.accept(&envelope) == Some(Answer::To(0)) { 1 } else { 2 }
}

/// Appends the fault of a refused text, and the answer of a server.
fn refusal(
    (kind, offset): (ErrorKind, usize),
    answer: &Writer<'_>,
    value: Option<RawValue<'_>>,
    text: &[u8],
    out: &mut Out<'_>,
) {
    message(REFUSED, value, text, out);
    out.words(&[offset, kind as usize]);
    out.text(answer.written());
}
