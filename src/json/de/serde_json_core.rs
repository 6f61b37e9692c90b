//! serde-json-core as a second reader and writer: its deserializer reads this crate's values, and its errors become this crate's errors.

use serde::Deserialize;
use serde_json_core::{de, ser};

use super::{ANYTHING, PayloadError};
use crate::error::{Error, ErrorKind};
use crate::json::RawValue;

/// The kind of an error in validated text: always a mismatch with the type, never a syntax error.
fn kind(error: &de::Error) -> ErrorKind {
    use de::Error::*;
    match error {
        InvalidType | KeyMustBeAString | ExpectedSomeValue | ExpectedSomeIdent => ErrorKind::UnexpectedType,
        InvalidNumber | InvalidUnicodeCodePoint | InvalidEscapeSequence => ErrorKind::InvalidValue,
        EscapedStringIsTooLong => ErrorKind::EscapedString,
        TrailingCharacters | TrailingComma => ErrorKind::InvalidLength,
        _ => ErrorKind::Refused,
    }
}

impl<'a> RawValue<'a> {
    /// Reads the value into a type `T` with the deserializer of serde-json-core.
    ///
    /// Each string with an escape is decoded in the same `scratch`, so it cannot be
    /// borrowed. [`read`](Self::read) reads more types and gives more precise errors; this method is for programs
    /// that link serde-json-core anyway, or that need exactly its behaviour.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn core::error::Error>> {
    /// let params = nanojsonrpc::RawValue::parse(br#"{"pin":13,"label":"caf\u00e9"}"#)?;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Led {
    ///     pin: u8,
    ///     label: heapless::String<8>,
    /// }
    ///
    /// let led: Led = params.read_with_serde_json_core(&mut [0; 16])?;
    /// assert_eq!((led.pin, &led.label[..]), (13, "café"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Limits
    /// serde-json-core 0.7 does not read surrogate pairs, `deserialize_any` and types that use it, maps with keys that
    /// are no strings, and enums with values. Calls nest as deep as the value, at most
    /// [`MAX_DEPTH`](crate::MAX_DEPTH).
    ///
    /// # Errors
    /// The offset is that of the whole value, because serde-json-core reports none. [`ErrorKind::EscapedString`] if `scratch` is
    /// too short.
    pub fn read_with_serde_json_core<T: Deserialize<'a>>(self, scratch: &mut [u8]) -> Result<T, PayloadError> {
        match serde_json_core::from_slice_escaped(self.as_bytes(), scratch) {
            Ok((value, _)) => Ok(value),
            Err(error) => Err(PayloadError::new(Error::new(kind(&error), self.offset()), ANYTHING, 0)),
        }
    }
}

/// A payload error without an offset. The text must have been validated, as that of a [`RawValue`] is.
impl From<de::Error> for Error {
    fn from(error: de::Error) -> Self {
        Self::new(kind(&error), 0)
    }
}

impl From<ser::Error> for Error {
    fn from(error: ser::Error) -> Self {
        match error {
            ser::Error::BufferFull => Self::new(ErrorKind::OutputFull, 0),
            _ => Self::new(ErrorKind::Unserializable, 0),
        }
    }
}

/// The offset is missing, because serde-json-core reports none.
impl From<de::Error> for PayloadError {
    fn from(error: de::Error) -> Self {
        Self::new(error.into(), ANYTHING, 0)
    }
}
