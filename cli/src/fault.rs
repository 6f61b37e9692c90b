//! Why a command fails, and the status of the program.

use std::fmt;
use std::io;

use bytes::Bytes;
use nanojsonrpc::Error;
use nanojsonrpc_tokio::{CallError, Closed};

use crate::print::{Escaped, Marked};

/// Why a command fails. The status of the program tells the class.
#[derive(Debug)]
pub(crate) enum Fault {
    /// 0: the reader of the output has seen enough.
    Unread,
    /// 1: the peer has answered with an error, or a check has found one. What there is to say is printed.
    Refused,
    /// 2: an argument, an address or a file that cannot be used.
    Usage(String),
    /// 3: no answer in time.
    Late,
    /// 4: what may be the answer is no valid response.
    Unreadable(Error, Bytes),
    /// 4: the answer is lost, or belongs to no call.
    Lost(String),
    /// 5: no connection, or it has ended.
    Connection(String),
    /// 6: a file or the output fails.
    File(String),
}

impl Fault {
    pub(crate) const fn status(&self) -> u8 {
        match self {
            Self::Unread => 0,
            Self::Refused => 1,
            Self::Usage(_) => 2,
            Self::Late => 3,
            Self::Unreadable(..) | Self::Lost(_) => 4,
            Self::Connection(_) => 5,
            Self::File(_) => 6,
        }
    }

    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }

    /// A file that cannot be read or written.
    pub(crate) fn file(path: impl fmt::Display, error: &io::Error) -> Self {
        Self::File(format!("{path}: {error}"))
    }
}

impl From<Closed> for Fault {
    fn from(reason: Closed) -> Self {
        Self::Connection(reason.to_string())
    }
}

impl From<CallError> for Fault {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Peer(_) => Self::Refused,
            CallError::Late => Self::Late,
            CallError::Refused(error, text) => Self::Unreadable(error, text),
            CallError::Closed(reason) => reason.into(),
            CallError::Unwritable(error) => Self::Usage(format!("params: {error}")),
            CallError::Misspelled(text) => Self::Lost(format!(
                "the answer has the id in another spelling (--dialect lenient reads it): {}",
                Escaped(&text)
            )),
            other => Self::Lost(other.to_string()),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unread | Self::Refused => Ok(()),
            Self::Late => f.write_str("no answer in time"),
            Self::Unreadable(error, text) => {
                write!(f, "unreadable answer: {error}\n{}", Marked { text, offset: error.offset() })
            }
            Self::Usage(text) | Self::Lost(text) | Self::Connection(text) | Self::File(text) => {
                // a sentence of a library may hold what a peer has sent
                Escaped(text.as_bytes()).fmt(f)
            }
        }
    }
}
