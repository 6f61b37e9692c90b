//! Calls that were not written.

use core::fmt;

use crate::error::Error;
use crate::message::ErrorObject;

/// The reason why a call was not written, and its tag. The caller gets the tag back, because a tag may own a value, such as the sender of a
/// channel.
///
/// In a function that returns [`Error`] or [`ErrorObject`], `?` converts the `CallRefused` and drops the tag.
///
/// ```
/// use nanojsonrpc::client::{CallRefused, Client};
/// use nanojsonrpc::{ErrorKind, Writer};
///
/// let mut client: Client<String, 1> = Client::new();
/// let mut buffer = [0; 64];
/// let mut out = Writer::new(&mut buffer);
/// assert_eq!(client.call("ping", &(), String::from("first"), &mut out).ok(), Some(1));
/// let Err(CallRefused { error, tag }) = client.call("ping", &(), String::from("second"), &mut out) else { panic!() };
/// assert_eq!((error.kind(), tag.as_str()), (ErrorKind::TooManyCalls, "second"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct CallRefused<T> {
    /// The reason.
    pub error: Error,
    /// The tag that the caller passed with the call.
    pub tag: T,
}

/// Omits the tag, so that the error needs no `T: Debug`.
impl<T> fmt::Debug for CallRefused<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallRefused").field("error", &self.error).finish_non_exhaustive()
    }
}

impl<T> fmt::Display for CallRefused<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<T> core::error::Error for CallRefused<T> {}

impl<T> From<CallRefused<T>> for Error {
    fn from(refused: CallRefused<T>) -> Self {
        refused.error
    }
}

/// For a handler that makes a call of its own.
impl<T> From<CallRefused<T>> for ErrorObject<'static> {
    fn from(refused: CallRefused<T>) -> Self {
        refused.error.into()
    }
}
