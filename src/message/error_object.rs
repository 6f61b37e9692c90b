//! The error object that a peer sends or receives, and its codes.

use core::fmt;

use super::classify;
use super::{Str, ToText};
use crate::error::{Class, Error, ErrorKind};
use crate::json::{Captured, RawStr, RawValue, ToJson, Writer, capture_nested, number};

/// The code of an error: an integer. JSON-RPC 2.0 §5.1.
///
/// ```
/// use nanojsonrpc::{ErrorCode, message::ErrorCodeKind};
///
/// assert_eq!(ErrorCode::METHOD_NOT_FOUND, ErrorCode(-32601));
/// assert_eq!(ErrorCode(-32042).kind(), ErrorCodeKind::ServerDefined);
/// assert_eq!(ErrorCode(1).kind(), ErrorCodeKind::Application);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ErrorCode(pub i64);

/// The range of an [`ErrorCode`]. JSON-RPC 2.0 §5.1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ErrorCodeKind {
    /// One of the five codes of the specification.
    Standard,
    /// -32000 to -32099, "reserved for implementation-defined server-errors".
    ServerDefined,
    /// The rest of -32768 to -32000, "reserved for future use".
    Reserved,
    /// Any other code, for applications.
    Application,
}

/// The code and the message of an error without data. On devices it has 12 bytes; an [`ErrorObject`] has 40.
pub(crate) type Standard = (i32, &'static str);

/// The errors of JSON-RPC 2.0 §5.1.
pub(crate) mod standard {
    use super::Standard;

    pub(crate) const PARSE_ERROR: Standard = (-32700, "Parse error");
    pub(crate) const INVALID_REQUEST: Standard = (-32600, "Invalid Request");
    pub(crate) const METHOD_NOT_FOUND: Standard = (-32601, "Method not found");
    pub(crate) const INVALID_PARAMS: Standard = (-32602, "Invalid params");
    pub(crate) const INTERNAL_ERROR: Standard = (-32603, "Internal error");
    /// One of the codes for server errors.
    pub(crate) const TIMED_OUT: Standard = (-32001, "Request timed out");
}

impl ErrorCode {
    /// "Invalid JSON was received by the server."
    pub const PARSE_ERROR: Self = Self(standard::PARSE_ERROR.0 as i64);
    /// "The JSON sent is not a valid Request object."
    pub const INVALID_REQUEST: Self = Self(standard::INVALID_REQUEST.0 as i64);
    /// "The method does not exist / is not available."
    pub const METHOD_NOT_FOUND: Self = Self(standard::METHOD_NOT_FOUND.0 as i64);
    /// "Invalid method parameter(s)."
    pub const INVALID_PARAMS: Self = Self(standard::INVALID_PARAMS.0 as i64);
    /// "Internal JSON-RPC error."
    pub const INTERNAL_ERROR: Self = Self(standard::INTERNAL_ERROR.0 as i64);

    /// The handler took longer than its time limit, [`Router::limited_by`](crate::Router::limited_by). One of the "implementation-defined
    /// server-errors"; the SDKs of MCP use the same code and message.
    pub const TIMED_OUT: Self = Self(standard::TIMED_OUT.0 as i64);

    /// The range of the code.
    pub const fn kind(self) -> ErrorCodeKind {
        match self {
            Self::PARSE_ERROR
            | Self::INVALID_REQUEST
            | Self::METHOD_NOT_FOUND
            | Self::INVALID_PARAMS
            | Self::INTERNAL_ERROR => ErrorCodeKind::Standard,
            Self(-32099..=-32000) => ErrorCodeKind::ServerDefined,
            Self(-32768..=-32000) => ErrorCodeKind::Reserved,
            _ => ErrorCodeKind::Application,
        }
    }
}

impl From<i64> for ErrorCode {
    fn from(code: i64) -> Self {
        Self(code)
    }
}

impl From<i32> for ErrorCode {
    fn from(code: i32) -> Self {
        Self(i64::from(code))
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error {
    /// The code for the response, by JSON-RPC 2.0 §5.1.
    pub const fn code(self) -> ErrorCode {
        match self.kind().class() {
            Class::Syntax => ErrorCode::PARSE_ERROR,
            Class::Message | Class::Limit => ErrorCode::INVALID_REQUEST,
            Class::Payload => ErrorCode::INVALID_PARAMS,
            Class::Room | Class::Output => ErrorCode::INTERNAL_ERROR,
        }
    }
}

/// The `error` member of a response. JSON-RPC 2.0 §5.1.
///
/// `D` is the type of `data`: the validated text of a received message, or a reference to any value that can be written.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::{ErrorObject, Id, Response};
///
/// let error = ErrorObject::new(-32001, "sensor is cold").with_data(&[3, 4]);
/// let mut buffer = [0; 96];
/// let len = Response::error(Id::Number(1), error).write(&mut buffer)?;
/// assert_eq!(
///     &buffer[..len],
///     br#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"sensor is cold","data":[3,4]},"id":1}"#
/// );
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ErrorObject<'a, D = RawValue<'a>> {
    /// The error as a number, for programs.
    pub code: ErrorCode,
    /// The error as a short sentence.
    pub message: Str<'a>,
    /// Additional information; `None` if absent.
    pub data: Option<D>,
}

impl<'a> ErrorObject<'a> {
    /// The error for a text that is not JSON.
    pub const PARSE_ERROR: Self = Self::standard(standard::PARSE_ERROR);
    /// The error for a JSON text that is not a message.
    pub const INVALID_REQUEST: Self = Self::standard(standard::INVALID_REQUEST);
    /// The error for a request without a handler.
    pub const METHOD_NOT_FOUND: Self = Self::standard(standard::METHOD_NOT_FOUND);
    /// The error for a request whose params do not fit its method.
    pub const INVALID_PARAMS: Self = Self::standard(standard::INVALID_PARAMS);
    /// The error for a request that failed in the server.
    pub const INTERNAL_ERROR: Self = Self::standard(standard::INTERNAL_ERROR);

    /// An error object without data. For a message that is built at run time, see [`Failure`](crate::server::Failure).
    pub fn new(code: impl Into<ErrorCode>, message: &'a str) -> Self {
        Self::plain(code.into(), message)
    }

    /// The error for a refused text.
    pub(crate) const fn refusing(error: Error) -> Self {
        Self::standard(refusal(error.kind()))
    }

    pub(crate) const fn standard((code, message): Standard) -> Self {
        Self::plain(ErrorCode(code as i64), message)
    }

    pub(crate) const fn plain(code: ErrorCode, message: &'a str) -> Self {
        Self { code, message: Str::Plain(message), data: None }
    }

    /// Reads the classified `object`, a part of `text`. A lenient dialect allows any value, which becomes the data if it has neither a code nor a
    /// message.
    #[inline(never)]
    pub(crate) fn read(text: &'a [u8], object: RawValue<'a>) -> Self {
        let mut captured = Captured::new(text);
        capture_nested::<classify::Members>(object.as_bytes(), &mut captured);
        Self {
            // `-0` is 0
            code: ErrorCode(number::signed(captured.get(classify::CODE)).unwrap_or_default()),
            message: Str::Raw(RawStr::of(captured.get(classify::MESSAGE)).unwrap_or_default()),
            data: if captured.has(classify::CODE) || captured.has(classify::MESSAGE) {
                RawValue::optional(text, captured.get(classify::DATA))
            } else {
                Some(object)
            },
        }
    }
}

/// The error for a text that is refused for `kind`. Separate from the other errors, whose texts take 400 bytes of flash.
pub(crate) const fn refusal(kind: ErrorKind) -> Standard {
    match kind.class() {
        Class::Syntax => standard::PARSE_ERROR,
        Class::Limit => (standard::INVALID_REQUEST.0, kind.limit()),
        _ => standard::INVALID_REQUEST,
    }
}

impl<'a, D> ErrorObject<'a, D> {
    /// Replaces the message.
    #[must_use]
    pub fn with_message(self, message: &'a str) -> Self {
        Self { message: Str::Plain(message), ..self }
    }

    /// Sets the data: a value; with `serde` also a reference to a `Serialize` value.
    #[must_use]
    pub fn with_data<T: ToJson>(self, data: T) -> ErrorObject<'a, T> {
        ErrorObject { code: self.code, message: self.message, data: Some(data) }
    }
}

impl<D: ToJson> ErrorObject<'_, D> {
    pub(crate) fn put_to(&self, out: &mut Writer<'_>) {
        put_error(self.code, &self.message, self.data.as_ref(), out);
    }
}

/// Code and message in one line: the message with escapes for characters that are not printed.
impl<D> fmt::Display for ErrorObject<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error {}: {}", self.code, self.message.sanitized())
    }
}

/// Appends an error object.
pub(crate) fn put_error(
    code: ErrorCode,
    message: &(impl ToText + ?Sized),
    data: Option<&impl ToJson>,
    out: &mut Writer<'_>,
) {
    put_start(code, message, out);
    if let Some(data) = data {
        out.put(b",\"data\":");
        out.put_value(data);
    }
    out.put_byte(b'}');
}

/// Appends an error object up to its data. Not generic in these, so that the writers for all types of data share it.
fn put_start(code: ErrorCode, message: &(impl ToText + ?Sized), out: &mut Writer<'_>) {
    out.put(b"{\"code\":");
    out.put_signed(code.0);
    out.put(b",\"message\":\"");
    message.put_text(out);
    out.put_byte(b'"');
}

/// The error object for a refused text, with the standard message or one that names the limit.
impl From<Error> for ErrorObject<'static> {
    fn from(error: Error) -> Self {
        match error.kind().class() {
            Class::Syntax | Class::Message | Class::Limit => Self::refusing(error),
            Class::Payload => Self::INVALID_PARAMS.with_message(error.kind().payload()),
            Class::Room => Self::INTERNAL_ERROR.with_message(error.kind().payload()),
            Class::Output => Self::INTERNAL_ERROR.with_message(error.kind().output()),
        }
    }
}
