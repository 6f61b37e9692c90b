//! Why a payload does not fit.

use core::fmt;

use serde::de;

use crate::error::{Error, ErrorKind};
use crate::json::Writer;

/// Why a payload does not fit the type it was read into: what was expected, and at which byte of its message.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// let params = nanojsonrpc::RawValue::parse(b"[42,\"23\"]")?;
/// if let Err(error) = params.read::<(i64, i64)>() {
///     assert_eq!(error.to_string(), "unexpected type at byte 4, expected i64");
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct PayloadError {
    error: Error,
    expected: &'static str,
}

impl PayloadError {
    pub(super) const fn new(error: Error, expected: &'static str) -> Self {
        Self { error, expected }
    }

    /// What was found.
    pub const fn kind(self) -> ErrorKind {
        self.error.kind()
    }

    /// Where the value that does not fit begins, in bytes from the front of the message.
    pub const fn offset(self) -> usize {
        self.error.offset()
    }

    /// What was expected there: a type, or the name of a member.
    pub const fn expected(self) -> &'static str {
        self.expected
    }

    /// Appends what [`Display`](fmt::Display) shows to a string, without the machinery of `core::fmt`.
    pub(crate) fn write_to(self, out: &mut Writer<'_>) -> Result<(), Error> {
        out.escape(self.kind().payload())?;
        out.bytes(b" at byte ")?;
        out.integer(false, self.offset() as u64)?;
        out.bytes(b", expected ")?;
        out.escape(self.expected)
    }

    /// Kind and offset alone.
    pub const fn error(self) -> Error {
        self.error
    }
}

impl From<PayloadError> for Error {
    fn from(problem: PayloadError) -> Self {
        problem.error
    }
}

impl fmt::Display for PayloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, expected {}", self.error, self.expected)
    }
}

impl core::error::Error for PayloadError {}

/// Where a fault that serde raised has not been placed yet: the offset holds this, or a name's [`mark`].
///
/// The faults that pass through serde are an [`Error`] each and nothing more, because two words return in registers; what
/// was expected is kept by the deserializer. 200 bytes of flash in a program that reads one struct.
const UNPLACED: usize = 1 << (usize::BITS - 1);

/// A fault that the deserializer will place.
pub(super) const fn unplaced(kind: ErrorKind) -> Error {
    Error::new(kind, UNPLACED)
}

/// Whether a fault has still to be placed.
pub(super) const fn is_unplaced(error: Error) -> bool {
    error.offset() >= UNPLACED
}

/// Stands for the name of a member where there is room for an offset only.
pub(super) fn mark(name: &str) -> usize {
    name.bytes().fold(name.len(), |mark, byte| mark.wrapping_mul(257).wrapping_add(usize::from(byte))) | UNPLACED
}

impl de::Error for Error {
    /// The message is dropped: there is no room to keep it.
    fn custom<T: fmt::Display>(_message: T) -> Self {
        unplaced(ErrorKind::Refused)
    }

    fn invalid_type(_found: de::Unexpected<'_>, _expected: &dyn de::Expected) -> Self {
        unplaced(ErrorKind::UnexpectedType)
    }

    fn invalid_value(_found: de::Unexpected<'_>, _expected: &dyn de::Expected) -> Self {
        unplaced(ErrorKind::InvalidValue)
    }

    fn invalid_length(_len: usize, _expected: &dyn de::Expected) -> Self {
        unplaced(ErrorKind::InvalidLength)
    }

    fn unknown_variant(_variant: &str, _expected: &'static [&'static str]) -> Self {
        unplaced(ErrorKind::UnknownVariant)
    }

    fn unknown_field(_field: &str, _expected: &'static [&'static str]) -> Self {
        unplaced(ErrorKind::UnknownField)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(ErrorKind::MissingField, mark(field))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(ErrorKind::RepeatedField, mark(field))
    }
}
