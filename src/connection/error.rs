//! The errors of a connection.

use core::fmt;

use crate::error::Error;

/// A fault of the stream, or of a message to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ConnectionError<R, W> {
    /// The error of the reader.
    Read(R),
    /// The error of the writer.
    Write(W),
    /// The writer takes no more bytes.
    WriteZero,
    /// The message to send does not fit the output, or is not valid; no part of it was sent.
    Message(Error),
    /// An earlier message was sent in part, or a close was sent, so no message can follow; see
    /// [`Connection::resume_output`](super::Connection::resume_output) and [`Connection::reset`](super::Connection::reset).
    OutputBroken,
}

impl<R: fmt::Display, W: fmt::Display> fmt::Display for ConnectionError<R, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => write!(f, "reading: {error}"),
            Self::Write(error) => write!(f, "writing: {error}"),
            Self::WriteZero => f.write_str("writing: the writer takes no more bytes"),
            Self::Message(error) => write!(f, "message: {error}"),
            Self::OutputBroken => {
                f.write_str("writing: nothing can follow a close, or a message that was sent in part")
            }
        }
    }
}

impl<R: core::error::Error, W: core::error::Error> core::error::Error for ConnectionError<R, W> {}
