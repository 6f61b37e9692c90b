//! An error object that owns its parts.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::fmt;

use super::{ErrorCode, ErrorObject};
use crate::json::RawValue;

/// An [`ErrorObject`] that owns its message and data, so that it outlives the text of the response. A handler that returns it passes the
/// error of another server on.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::{ErrorCode, Response, message::OwnedErrorObject};
///
/// let text = br#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"too hot","data":[81]},"id":1}"#.to_vec();
/// let error = OwnedErrorObject::from(Response::parse(&text)?.outcome.unwrap_err());
/// drop(text);
/// assert_eq!((error.code, error.message.as_str()), (ErrorCode(-32001), "too hot"));
/// assert_eq!(error.borrowed().data.and_then(|data| data.element(0)?.as_i64()), Some(81));
/// assert_eq!(error.to_string(), "error -32001: too hot");
/// # Ok(()) }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnedErrorObject {
    /// The error as a number, for programs.
    pub code: ErrorCode,
    /// The error as a short sentence, decoded.
    pub message: String,
    /// The text of the data, which was validated.
    data: Option<Box<[u8]>>,
}

impl OwnedErrorObject {
    /// The error object, borrowed: its data is a [`RawValue`].
    pub fn borrowed(&self) -> ErrorObject<'_> {
        let data = self.data.as_deref().map(RawValue::alone_in);
        ErrorObject { data, ..ErrorObject::plain(self.code, &self.message) }
    }
}

impl From<ErrorObject<'_>> for OwnedErrorObject {
    fn from(error: ErrorObject<'_>) -> Self {
        let data = error.data.map(|data| data.as_bytes().into());
        Self { code: error.code, message: error.message.to_string(), data }
    }
}

impl fmt::Display for OwnedErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.borrowed().fmt(f)
    }
}

impl core::error::Error for OwnedErrorObject {}

#[cfg(feature = "defmt")]
impl defmt::Format for OwnedErrorObject {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "{}", self.borrowed());
    }
}
