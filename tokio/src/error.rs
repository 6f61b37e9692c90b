//! The errors of calls, which own their parts.

use std::fmt;
use std::io;

use bytes::Bytes;
use nanojsonrpc::message::OwnedErrorObject;
use nanojsonrpc::{Error, ErrorCode, ErrorObject, Growing, PayloadError, ToJson, Writer};

/// The error of a handler, of a layer or of a service.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a call has no result. Owns its parts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CallError {
    /// The peer answered with this error object: code, message and data.
    Peer(OwnedErrorObject),
    /// The result does not fit the requested type; the text of the result.
    Payload(PayloadError, Bytes),
    /// The text, which may be the answer, is not a valid response; the offset is in this text.
    Refused(Error, Bytes),
    /// The answer, of which this is the text, has the id of the call in another spelling, such as `"1"` for 1. Some devices need
    /// [`Dialect::with_any_spelling`](nanojsonrpc::Dialect::with_any_spelling).
    Misspelled(Bytes),
    /// The answer is lost: its frame is broken, or it is too long.
    Lost(nanojsonrpc::frame::FrameError),
    /// The deadline passed before the answer arrived.
    Late,
    /// The connection ended before the answer.
    Closed(Closed),
    /// The call was not sent: its params cannot be written.
    Unwritable(Error),
    /// The result, of which this is the text of the response, is not complete: an MCP server needs input (2026-07-28), or its list has no end.
    Incomplete(Bytes),
}

/// Why a connection has ended. Clones share the error of the stream.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Closed {
    /// The peer has closed the stream.
    ByPeer,
    /// This program has closed the connection, or has dropped what runs it.
    Here,
    /// No byte has arrived for the [idle time](crate::Options::idle).
    Idle,
    /// The stream has failed.
    Failed(std::sync::Arc<io::Error>),
}

impl From<io::Error> for Closed {
    fn from(error: io::Error) -> Self {
        // what a write finds if the peer has closed before it, in place of the end of the stream
        if error.kind() == io::ErrorKind::BrokenPipe { Self::ByPeer } else { Self::Failed(error.into()) }
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByPeer => f.write_str("the peer has closed the stream"),
            Self::Here => f.write_str("the connection is closed"),
            Self::Idle => f.write_str("the connection was idle"),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Closed {}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Peer(error) => error.fmt(f),
            Self::Payload(error, _) => write!(f, "result: {error}"),
            Self::Refused(error, _) => write!(f, "answer: {error}"),
            Self::Misspelled(_) => f.write_str("answer: the id has another spelling"),
            Self::Lost(error) => write!(f, "answer: {error}"),
            Self::Late => f.write_str("no answer in time"),
            Self::Closed(reason) => write!(f, "no answer: {reason}"),
            Self::Unwritable(error) => write!(f, "params: {error}"),
            Self::Incomplete(_) => f.write_str("answer: the result is not complete"),
        }
    }
}

impl std::error::Error for CallError {}

/// A gateway passes the error object of the device on, and answers for a device that does not: -32001 if it is late, -32603 otherwise.
impl From<CallError> for OwnedErrorObject {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Peer(error) => error,
            CallError::Late => ErrorObject::new(ErrorCode::TIMED_OUT, "Request timed out").into(),
            other => ErrorObject::new(ErrorCode::INTERNAL_ERROR, &other.to_string()).into(),
        }
    }
}

/// An error object with typed data, to be returned by a handler.
///
/// ```
/// use nanojsonrpc::ErrorObject;
///
/// let error = nanojsonrpc_tokio::error_object(&ErrorObject::new(-32010, "too hot").with_data([81]));
/// assert_eq!(error.borrowed().data.map(|data| data.to_string()).as_deref(), Some("[81]"));
/// ```
///
/// # Limits
/// Data that cannot be written as JSON are left out.
pub fn error_object<D: ToJson>(error: &ErrorObject<'_, D>) -> OwnedErrorObject {
    let mut text = Growing::new(usize::MAX);
    let mut out = Writer::new(&mut text);
    let data = error.data.as_ref().and_then(|data| out.value(data).ok());
    let data = data.and_then(|()| nanojsonrpc::RawValue::parse(out.written()).ok());
    let message = error.message.to_string();
    let bare = ErrorObject::new(error.code, &message);
    match data {
        Some(data) => bare.with_data(data).into(),
        None => bare.into(),
    }
}
