//! The reasons why an exchange over HTTP fails.

use core::fmt;

use embedded_io::ErrorKind;

use crate::error::Error;

/// The reason why [`Http`](super::Http) cannot send or receive. `E` is the error of its streams.
///
/// ```
/// use nanojsonrpc::mcp::client::http::HttpError;
///
/// /// Whether the call did not reach the server's handlers, so that repeating it is safe.
/// fn may_repeat<E>(error: &HttpError<E>) -> bool {
///     matches!(error, HttpError::Unauthorized(_) | HttpError::SessionEnded | HttpError::Head(_))
/// }
/// assert!(may_repeat(&HttpError::<()>::SessionEnded));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum HttpError<E> {
    /// The error of a stream.
    Stream(E),
    /// The server wants authorization: the status 401 or 403. [`Http::challenge`](super::Http::challenge) has its `WWW-Authenticate`.
    Unauthorized(u16),
    /// The server has ended the session: connect again.
    SessionEnded,
    /// The status of a response that holds no answer.
    Status(u16),
    /// The response has ended without the answer, or no request was sent.
    NoAnswer,
    /// The bytes of the server are no response of HTTP/1.1, or the response is cut off.
    Malformed,
    /// The head of a request or a response is longer than the room for it.
    HeadTooLong,
    /// A head cannot be written; see [`Remote::post`](super::super::Remote::post).
    Head(Error),
    /// A stream takes no more bytes.
    WriteZero,
    /// The message is no event: the connection needs the frame [`Events`](crate::frame::Events).
    NotAnEvent,
}

impl<E: fmt::Display> fmt::Display for HttpError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stream(error) => error.fmt(f),
            Self::Unauthorized(status) | Self::Status(status) => write!(f, "HTTP status {status}"),
            Self::SessionEnded => f.write_str("the session has ended"),
            Self::NoAnswer => f.write_str("a response without the answer"),
            Self::Malformed => f.write_str("not a response of HTTP/1.1"),
            Self::HeadTooLong => f.write_str("the head of a request or response is too long"),
            Self::Head(error) => write!(f, "head of a request: {error}"),
            Self::WriteZero => f.write_str("a stream takes no more bytes"),
            Self::NotAnEvent => f.write_str("the frame of the connection is not Events"),
        }
    }
}

impl<E: core::error::Error> core::error::Error for HttpError<E> {}

impl<E: embedded_io::Error> embedded_io::Error for HttpError<E> {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Stream(error) => error.kind(),
            Self::Unauthorized(_) => ErrorKind::PermissionDenied,
            Self::WriteZero => ErrorKind::WriteZero,
            Self::Malformed => ErrorKind::InvalidData,
            Self::HeadTooLong => ErrorKind::OutOfMemory,
            Self::Head(_) | Self::NotAnEvent => ErrorKind::InvalidInput,
            _ => ErrorKind::Other,
        }
    }
}
