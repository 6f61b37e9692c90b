//! Calls that wait for their answer.

use core::fmt;
use core::ops::Range;

use serde::Deserialize;

use super::outgoing::room;
use super::{Connection, ConnectionError, Sorted, lost};
use crate::client::{Sent, answered_id, number_of, put_numbered};
use crate::error::{Error, ErrorKind};
use crate::frame::{Buffer, Frame, FrameError};
use crate::json::{PayloadError, RawValue, ToJson, Writer, start_of};
use crate::message::{Dialect, Envelope, ErrorObject, Refused};
use crate::server::{Observer, Server};

/// The reason why a call has no result. `P` is the error object of the peer, and `T` a text: an [`ErrorObject`] and `&[u8]`, which borrow from
/// the connection, or with the feature `alloc` an `OwnedErrorObject` and a `Vec<u8>`. `R` and `W` are the errors of the reader and the writer.
///
/// # What ends a call
/// A call ends with the first message that may be its answer, so that it never waits for an answer that was lost: a response with its id,
/// also in another spelling such as `"1"` for 1; an error whose id is null (JSON-RPC 2.0 §5); and an object that is not valid JSON, not a valid response
/// or too long for the buffer, if its id is that of the call or cannot be read. An object with a method and without a result or an error
/// ends no call, because it is a broken call of the peer; neither does a text that begins with no object, such as a line of a log.
///
/// A function that owns the connection cannot return the borrowed form: the compiler reports "returns a value referencing data owned by the
/// current function". With `alloc`, `?` converts it into an `OwnedCallError`, with the code and the data of the peer. Without `alloc`, take
/// the code: `CallError::Peer(error) => error.code`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum CallError<P, T, R, W> {
    /// The peer answered with this error object.
    Peer(P),
    /// The result does not fit the requested type.
    Payload(PayloadError),
    /// The text, which may be the answer, is not a valid JSON-RPC response, or has the id of the call in another spelling; the offset is in
    /// this text. Of an answer that is too long for the buffer, the front.
    Refused(Error, T),
    /// The frame of a message, which may be the answer, declares no valid length.
    Misframed(FrameError),
    /// The deadline passed before the answer arrived. A later answer goes to [`Router::response`](crate::Router::response).
    Late,
    /// The stream ended before the answer.
    Closed,
    /// The call could not be sent, or the stream is broken.
    Connection(ConnectionError<R, W>),
}

/// A [`CallError`] that borrows nothing. Two streams with one type of error, such as those of std and tokio, need one argument:
/// `OwnedCallError<std::io::Error>`.
///
/// ```
/// use embedded_io::{Read, Write};
/// use nanojsonrpc::connection::{CallError, Connection, OwnedCallError};
/// use nanojsonrpc::frame::{Framer, Lines};
///
/// fn level<R: Read, W: Write>(reader: R, writer: W) -> Result<u8, OwnedCallError<R::Error, W::Error>> {
///     let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 128]);
///     let mut connection = Connection::new(reader, writer, &mut framer, &mut output);
///     Ok(connection.call("level", &())?)
/// }
///
/// let answer = b"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":\"dark\",\"data\":[7]},\"id\":4503599627370496}\n";
/// let Err(CallError::Peer(error)) = level(&answer[..], &mut [0; 128][..]) else { panic!("no error") };
/// assert_eq!((error.code.0, error.message.as_str()), (-32001, "dark"));
/// assert_eq!(error.borrowed().data.map(|data| data.as_bytes()), Some(&b"[7]"[..]));
/// ```
///
/// A function that returns a `Box<dyn Error>`, or another error for any type without borrows, converts in two steps:
/// `connection.call::<u8>("level", &()).map_err(OwnedCallError::from)?`.
#[cfg(feature = "alloc")]
pub type OwnedCallError<R, W = R> = CallError<crate::message::OwnedErrorObject, alloc::vec::Vec<u8>, R, W>;

#[cfg(feature = "alloc")]
impl<R, W> From<CallError<ErrorObject<'_>, &[u8], R, W>> for OwnedCallError<R, W> {
    fn from(error: CallError<ErrorObject<'_>, &[u8], R, W>) -> Self {
        match error {
            CallError::Peer(error) => Self::Peer(error.into()),
            CallError::Payload(problem) => Self::Payload(problem),
            CallError::Refused(error, text) => Self::Refused(error, text.to_vec()),
            CallError::Misframed(error) => Self::Misframed(error),
            CallError::Late => Self::Late,
            CallError::Closed => Self::Closed,
            CallError::Connection(error) => Self::Connection(error),
        }
    }
}

impl<P: fmt::Display, T, R: fmt::Display, W: fmt::Display> fmt::Display for CallError<P, T, R, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Peer(error) => error.fmt(f),
            Self::Payload(problem) => write!(f, "result: {problem}"),
            Self::Refused(error, _) => write!(f, "answer: {error}"),
            Self::Misframed(error) => write!(f, "answer: {error}"),
            Self::Late => f.write_str("no answer in time"),
            Self::Closed => f.write_str("the stream ended before the answer"),
            Self::Connection(error) => error.fmt(f),
        }
    }
}

impl<P: fmt::Debug + fmt::Display, T: fmt::Debug, R: core::error::Error, W: core::error::Error> core::error::Error
    for CallError<P, T, R, W>
{
}

impl<P, T, R, W> From<ConnectionError<R, W>> for CallError<P, T, R, W> {
    fn from(error: ConnectionError<R, W>) -> Self {
        Self::Connection(error)
    }
}

/// The result of a call on a stream of `R` and `W`.
pub(super) type Called<'a, T, R, W> = Result<
    T,
    CallError<ErrorObject<'a>, &'a [u8], <R as embedded_io::ErrorType>::Error, <W as embedded_io::ErrorType>::Error>,
>;

/// The id of the first call. A [`Client`](crate::Client) on the same stream counts from 1, so its ids stay below this one. Every JSON
/// reader keeps these ids exact (RFC 8259 §6).
const BASE: i64 = 1 << 52;

/// The answer to a call: the span of its result or of its error object, or the reason why it is refused.
type Answer = Result<Result<Range<usize>, Range<usize>>, Unread>;

/// The fault of a message that may be the answer.
pub(super) enum Unread {
    Text(Error),
    Frame(FrameError),
}

/// Ends the wait if `text` may be the response to the call `id`. With a `fault` of the frame, it is the front of a lost message.
pub(super) fn answers(text: &[u8], fault: Option<FrameError>, dialect: Dialect, id: i64) -> Sorted<Answer> {
    let is_for = |found: RawValue<'_>| number_of(found).is_some_and(|(number, _)| number == id);
    let may_be = |refused: &Refused<'_>| refused.answered_id().is_some_and(|found| found.is_none_or(is_for));
    let awaited = match fault {
        None => match Envelope::parse_as(text, dialect) {
            Ok(envelope) => found(&envelope, id, dialect).or_else(|| {
                // a batch of one response
                let mut elements = envelope.batch()?.elements();
                let is_it = match elements.next()? {
                    Ok(response) => found(&response, id, dialect).is_some(),
                    Err(refused) => may_be(&refused),
                };
                let batch = Error::new(ErrorKind::BatchNotAllowed, start_of(text));
                (is_it && elements.next().is_none()).then_some(Err(Unread::Text(batch)))
            }),
            Err(refused) => may_be(&refused).then_some(Err(Unread::Text(refused.error))),
        },
        Some(fault) => match lost(fault, text) {
            Some(Ok(refused)) => may_be(&refused).then_some(Err(Unread::Text(refused.error))),
            Some(Err(fault)) => Some(Err(Unread::Frame(fault))),
            None => None,
        },
    };
    match awaited {
        Some(answer) => Sorted::Handled { len: None, awaited: Some(answer) },
        None => Sorted::ToServer,
    }
}

/// The answer in `response`, if that answers the call `id`.
fn found(response: &Envelope<'_>, id: i64, dialect: Dialect) -> Option<Answer> {
    let span = |part: RawValue<'_>| part.offset()..part.offset().wrapping_add(part.as_bytes().len());
    let outcome = match (response.result(), response.error()) {
        (Some(result), _) => Ok(span(result)),
        (None, error) => Err(span(error?)),
    };
    let Some(found) = answered_id(response, dialect)? else { return Some(Ok(outcome)) };
    let (_, is_exact) = number_of(found).filter(|(number, _)| *number == id)?;
    let is_answer = is_exact || dialect.allows_any_spelling();
    Some(is_answer.then_some(outcome).ok_or(Unread::Text(Error::new(ErrorKind::InvalidId, found.offset()))))
}

impl<R, W, F: Frame, B: Buffer> Connection<'_, R, W, F, B> {
    /// Writes a request with a new id into the room for outgoing messages. Returns the call and its length.
    pub(super) fn put_call<H: Observer<C>, S, C>(
        &mut self,
        server: &mut Server<S, H>,
        context: &mut C,
        method: &str,
        params: &(impl ToJson + ?Sized),
    ) -> Result<(Sent, usize), Error> {
        let id = BASE.wrapping_add(i64::from(self.framer.calls));
        let out = self.put_by_rules(server, context, method, params, Some(id))?;
        let (sent, len) = (Sent::written(id, 0, &out), out.len());
        self.framer.calls = self.framer.calls.wrapping_add(1);
        Ok((sent, len))
    }

    /// Writes a request, or a notification if `number` is `None`, into the room for outgoing messages, by the rules of `server`.
    pub(super) fn put_by_rules<H: Observer<C>, S, C>(
        &mut self,
        server: &mut Server<S, H>,
        context: &mut C,
        method: &str,
        params: &(impl ToJson + ?Sized),
        number: Option<i64>,
    ) -> Result<Writer<'_>, Error> {
        let dialect = server.dialect();
        let mut out = room::<F>(self.output.reborrow()).into_writer();
        out.batched(b"", |out| put_numbered(method, params, number, dialect, out))?;
        server.put_members(context, &mut out)?;
        Ok(out)
    }

    /// Reads the result in the response at `span`. Decodes strings with escapes into the output, which is free.
    pub(super) fn outcome<'c, T: Deserialize<'c>, E, G>(
        &'c mut self,
        span: Range<usize>,
        answer: Answer,
    ) -> Result<T, CallError<ErrorObject<'c>, &'c [u8], E, G>> {
        let text = self.framer.text(span);
        let part = |span| RawValue::validated(text, text.get::<Range<usize>>(span).unwrap_or_default());
        let outcome = answer.map_err(|unread| match unread {
            Unread::Text(error) => CallError::Refused(error, text),
            Unread::Frame(error) => CallError::Misframed(error),
        })?;
        match outcome.map(part) {
            Ok(result) => result.read_with(self.output.reborrow().scratch(0, Some(result))).map_err(CallError::Payload),
            Err(error) => Err(CallError::Peer(ErrorObject::read(text, part(error)))),
        }
    }
}
