//! The reasons why a call of a session has no result.

use core::fmt;

use crate::connection::ConnectionError;
use crate::error::Error;
use crate::frame::FrameError;
#[cfg(feature = "serde")]
use crate::json::PayloadError;
use crate::json::RawValue;
use crate::mcp::client::{ConnectError, ToolResult};
use crate::message::{ErrorCode, ErrorObject};

/// The reason why a call of a [`Session`](super::Session) has no result. It borrows from the connection, which holds the text of the
/// answer. A call ends with the first message that may be its answer; see [`Client::receive`](super::super::Client::receive).
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum SessionError<'a, R, W> {
    /// The server answered with this error object.
    Peer(ErrorObject<'a>),
    /// The tool failed. Contains its result, whose content has the reason.
    Tool(ToolResult<'a>),
    /// The text, which may be the answer, is no valid response, has the id of the call in another spelling, or has a result that does not
    /// fit the method. The offset is in this text. Of an answer that is too long for the buffer, the front.
    Refused(Error, &'a [u8]),
    /// The frame of a message, which may be the answer, declares no valid length.
    Misframed(FrameError),
    /// The structured content does not fit the requested type.
    #[cfg(feature = "serde")]
    Payload(PayloadError),
    /// The server and the client have no common revision. Holds the revisions of the server.
    Unsupported(RawValue<'a>),
    /// The server requires input, but the router has no handler for it, or the handler failed. Contains the error code.
    Input(ErrorCode),
    /// The server requires input in more rounds than [`MAX_ROUNDS`](super::super::MAX_ROUNDS).
    Rounds,
    /// The task was cancelled, by the server or because the pause said so.
    TaskCancelled,
    /// The task has not ended after [`MAX_POLLS`](super::super::MAX_POLLS) requests for its state. It goes on.
    Polls,
    /// The list has more pages than [`Client::max_pages`](super::super::Client::max_pages) allows. The items of the earlier pages were returned.
    Pages,
    /// A page has the cursor of an earlier page, so the list would not end.
    RepeatedCursor,
    /// The deadline passed before the answer arrived. The call is cancelled at the server, too.
    Late,
    /// The stream ended before the answer.
    Closed,
    /// The call could not be sent, or the stream is broken.
    Connection(ConnectionError<R, W>),
}

impl<R: fmt::Display, W: fmt::Display> fmt::Display for SessionError<'_, R, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Peer(error) => error.fmt(f),
            Self::Tool(_) => f.write_str("the tool failed"),
            Self::Refused(error, _) => write!(f, "answer: {error}"),
            Self::Misframed(error) => write!(f, "answer: {error}"),
            #[cfg(feature = "serde")]
            Self::Payload(problem) => write!(f, "structured content: {problem}"),
            Self::Unsupported(supported) => ConnectError::Unsupported(*supported).fmt(f),
            Self::Input(code) => write!(f, "required input refused: error {code}"),
            Self::Rounds => f.write_str("the server requires input in too many rounds"),
            Self::TaskCancelled => f.write_str("the task was cancelled"),
            Self::Polls => f.write_str("the task does not end"),
            Self::Pages => f.write_str("the list has too many pages"),
            Self::RepeatedCursor => f.write_str("the list returns to an earlier page"),
            Self::Late => f.write_str("no answer in time"),
            Self::Closed => f.write_str("the stream ended before the answer"),
            Self::Connection(error) => error.fmt(f),
        }
    }
}

impl<R: core::error::Error, W: core::error::Error> core::error::Error for SessionError<'_, R, W> {}

impl<R, W> From<ConnectionError<R, W>> for SessionError<'_, R, W> {
    fn from(error: ConnectionError<R, W>) -> Self {
        Self::Connection(error)
    }
}
