//! Calls that wait for their answer.

use core::fmt;
use core::ops::Range;

use serde::Deserialize;

use super::outgoing::room;
use super::{Connection, ConnectionError, Sorted};
use crate::client::put_numbered;
use crate::error::Error;
use crate::frame::{Buffer, Frame};
use crate::json::{PayloadError, RawValue, ToJson};
use crate::message::{Dialect, Envelope, ErrorObject};

/// The reason why a call has no result. `P` is the error object of the peer: an [`ErrorObject`], which borrows its text from the
/// connection, or with the feature `alloc` an `OwnedErrorObject`. `R` and `W` are the errors of the reader and the writer.
///
/// A function that owns the connection cannot return the borrowed form: the compiler reports "returns a value referencing data owned by the
/// current function". With `alloc`, `?` converts it into an `OwnedCallError`, with the code and the data of the peer. Without `alloc`, take
/// the code: `CallError::Peer(error) => error.code`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum CallError<P, R, W> {
    /// The peer answered with this error object.
    Peer(P),
    /// The result does not fit the requested type.
    Payload(PayloadError),
    /// The answer is not a valid JSON-RPC response.
    Refused(Error),
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
pub type OwnedCallError<R, W = R> = CallError<crate::message::OwnedErrorObject, R, W>;

#[cfg(feature = "alloc")]
impl<R, W> From<CallError<ErrorObject<'_>, R, W>> for OwnedCallError<R, W> {
    fn from(error: CallError<ErrorObject<'_>, R, W>) -> Self {
        match error {
            CallError::Peer(error) => Self::Peer(error.into()),
            CallError::Payload(problem) => Self::Payload(problem),
            CallError::Refused(error) => Self::Refused(error),
            CallError::Late => Self::Late,
            CallError::Closed => Self::Closed,
            CallError::Connection(error) => Self::Connection(error),
        }
    }
}

impl<P: fmt::Display, R: fmt::Display, W: fmt::Display> fmt::Display for CallError<P, R, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Peer(error) => error.fmt(f),
            Self::Payload(problem) => write!(f, "result: {problem}"),
            Self::Refused(error) => write!(f, "answer: {error}"),
            Self::Late => f.write_str("no answer in time"),
            Self::Closed => f.write_str("the stream ended before the answer"),
            Self::Connection(error) => error.fmt(f),
        }
    }
}

impl<P: fmt::Debug + fmt::Display, R: core::error::Error, W: core::error::Error> core::error::Error
    for CallError<P, R, W>
{
}

impl<P, R, W> From<ConnectionError<R, W>> for CallError<P, R, W> {
    fn from(error: ConnectionError<R, W>) -> Self {
        Self::Connection(error)
    }
}

/// The result of a call on a stream of `R` and `W`.
pub(super) type Called<'a, T, R, W> =
    Result<T, CallError<ErrorObject<'a>, <R as embedded_io::ErrorType>::Error, <W as embedded_io::ErrorType>::Error>>;

/// The id of the first call. A [`Client`](crate::Client) on the same stream counts from 1, so its ids stay below this one. Every JSON
/// reader keeps these ids exact (RFC 8259 §6).
const BASE: i64 = 1 << 52;

/// The answer to a call: the span of its result or of its error object, or the reason why it is refused.
type Answer = Result<Result<Range<usize>, Range<usize>>, Error>;

/// Ends the wait if `text` is the response to the call `id`, even a refused one.
pub(super) fn answers(text: &[u8], dialect: Dialect, id: i64) -> Sorted<Answer> {
    let span = |part: RawValue<'_>| part.offset()..part.offset().wrapping_add(part.as_bytes().len());
    let (found, answer) = match Envelope::parse_as(text, dialect) {
        Ok(envelope) => match (envelope.result(), envelope.error()) {
            (Some(result), _) => (envelope.id(), Ok(Ok(span(result)))),
            (None, Some(error)) => (envelope.id(), Ok(Err(span(error)))),
            (None, None) => return Sorted::ToServer,
        },
        Err(refused) if !refused.is_answerable() => (refused.id, Err(refused.error)),
        Err(_) => return Sorted::ToServer,
    };
    match found.and_then(RawValue::as_i64) {
        Some(found) if found == id => Sorted::Handled { len: None, awaited: Some(answer) },
        _ => Sorted::ToServer,
    }
}

impl<R, W, F: Frame, B: Buffer> Connection<'_, R, W, F, B> {
    /// Writes a request with a new id into the room for outgoing messages. Returns the id and the length.
    pub(super) fn put_call(
        &mut self,
        method: &str,
        params: &(impl ToJson + ?Sized),
        dialect: Dialect,
    ) -> Result<(i64, usize), Error> {
        let id = BASE.wrapping_add(i64::from(self.framer.calls));
        let mut out = room::<F>(self.output.reborrow()).into_writer();
        out.batched(b"", |out| put_numbered(method, params, Some(id), dialect.params_bits(), out))?;
        self.framer.calls = self.framer.calls.wrapping_add(1);
        Ok((id, out.len()))
    }

    /// Reads the result in the response at `span`. Decodes strings with escapes into the output, which is free.
    pub(super) fn outcome<'c, T: Deserialize<'c>, E, G>(
        &'c mut self,
        span: Range<usize>,
        answer: Answer,
    ) -> Result<T, CallError<ErrorObject<'c>, E, G>> {
        let text = self.framer.text(span);
        let part = |span| RawValue::validated(text, text.get::<Range<usize>>(span).unwrap_or_default());
        match answer.map_err(CallError::Refused)?.map(part) {
            Ok(result) => result.read_with(self.output.reborrow().scratch(0, Some(result))).map_err(CallError::Payload),
            Err(error) => Err(CallError::Peer(ErrorObject::read(text, part(error)))),
        }
    }
}
