//! The mismatch between a payload and its type.

use core::fmt;
use core::num::NonZeroU32;

use serde::de;

use crate::error::{Error, ErrorKind};
use crate::json::{RawValue, SHOWS_PATHS, Writer};

/// The mismatch between a payload and the type it was read into: the expectation, and the offset in the message.
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
    // one word instead of two
    expected: &'static &'static str,
    /// The least length that exceeds the capacity; 0 if it is unknown. Half the size of an `Option`.
    refused_len: u32,
}

/// [`PayloadError::refused_len`] of the violation of a limit. No length has more than 24 bits.
const VIOLATION: u32 = u32::MAX;

/// The longest text of a value that a message repeats.
const MAX_FOUND: usize = 64;

impl PayloadError {
    pub(super) const fn new(error: Error, expected: &'static &'static str, refused_len: u32) -> Self {
        Self { error, expected, refused_len }
    }

    /// The violation of a limit of a JSON Schema by the value at `offset`. On hosts it is marked, so that messages repeat the value.
    pub(in crate::json) const fn violation(rule: &'static &'static str, offset: usize) -> Self {
        let mark = if SHOWS_PATHS { VIOLATION } else { 0 };
        Self::new(Error::new(ErrorKind::InvalidValue, offset), rule, mark)
    }

    /// The value at the offset in `whole`, for the message about the violation of a limit. `None` for other faults and on devices, for which
    /// this code is not linked, and for a value of more than 64 bytes.
    pub(crate) fn found_in(self, whole: RawValue<'_>) -> Option<(&'static str, RawValue<'_>)> {
        if !SHOWS_PATHS || self.refused_len != VIOLATION {
            return None;
        }
        let value = whole.path_to(self.offset()).value();
        (value.as_bytes().len() <= MAX_FOUND).then_some((", found ", value))
    }

    /// The kind of the mismatch.
    pub const fn kind(self) -> ErrorKind {
        self.error.kind()
    }

    /// The offset of the value that does not fit, in bytes from the front of the message.
    pub const fn offset(self) -> usize {
        self.error.offset()
    }

    /// The expectation at that offset: a type, or the name of a member.
    pub const fn expected(self) -> &'static str {
        self.expected
    }

    /// The exceeded capacity of a `heapless` vector or map, in elements. `None` for other faults, for strings, for types that do not report a
    /// capacity, and for capacities of 2^24 and more.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// let value = nanojsonrpc::RawValue::parse(b"[1,2,3]")?;
    /// if let Err(error) = value.read::<heapless::Vec<u8, 2>>() {
    ///     assert_eq!(error.capacity(), Some(2));
    ///     assert_eq!(error.to_string(), "invalid length at byte 0, expected an array, at most 2 long");
    /// }
    /// # Ok(()) }
    /// ```
    pub const fn capacity(self) -> Option<u32> {
        if SHOWS_PATHS && self.refused_len == VIOLATION { None } else { self.refused_len.checked_sub(1) }
    }

    /// Whether there was no room to decode a string, which is no fault of the payload.
    pub(crate) fn is_shortage(self) -> bool {
        self.kind() == ErrorKind::EscapedString
    }

    /// Appends the text of [`Display`](fmt::Display) to a string, without linking `core::fmt`.
    pub(crate) fn put_to(self, out: &mut Writer<'_>) {
        out.put_escaped(self.kind().payload());
        out.put(b" at byte ");
        out.put_integer(false, self.offset() as u64);
        out.put(b", expected ");
        out.put_escaped(self.expected);
        if let Some(capacity) = self.capacity() {
            out.put(b", at most ");
            out.put_integer(false, capacity.into());
            out.put(b" long");
        }
    }

    /// The error with this kind and offset.
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
        write!(f, "{}, expected {}", self.error, self.expected)?;
        match self.capacity() {
            Some(capacity) => write!(f, ", at most {capacity} long"),
            None => Ok(()),
        }
    }
}

impl core::error::Error for PayloadError {}

/// The error type that serde passes up from a mismatch to the caller; [`Deserializer::explain`] turns it into a [`PayloadError`].
///
/// One word, because every result in derived code contains a fault. When it also held an offset, derived code copied each value in pieces
/// with calls of `memcpy`.
///
/// [`Deserializer::explain`]: super::Deserializer::explain
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DeError(NonZeroU32);

impl DeError {
    pub(super) const REFUSED: Self = Self::of(ErrorKind::Refused);
    pub(super) const UNEXPECTED_TYPE: Self = Self::of(ErrorKind::UnexpectedType);
    /// A visitor refused a text that it was given: one that takes no text, or only borrowed text.
    pub(super) const UNEXPECTED_TEXT: Self = Self::new(ErrorKind::UnexpectedType, 1);
    pub(super) const INVALID_VALUE: Self = Self::of(ErrorKind::InvalidValue);
    pub(super) const INVALID_LENGTH: Self = Self::of(ErrorKind::InvalidLength);
    pub(super) const ESCAPED_STRING: Self = Self::of(ErrorKind::EscapedString);
    /// A fault whose position and kind the deserializer has recorded.
    pub(super) const PLACED: Self = Self::of_word(0x7F);
    /// The flag of a length error whose detail is the number of values, not a capacity.
    const IS_LENGTH: u32 = 0x80;

    const fn of(kind: ErrorKind) -> Self {
        Self::new(kind, 0)
    }

    /// `kind` is a payload fault; `detail` has 24 bits.
    const fn new(kind: ErrorKind, detail: u32) -> Self {
        Self::of_word(detail << 8 | kind as u32)
    }

    /// No word is zero, because no kind of a payload fault is the first of its enum.
    const fn of_word(word: u32) -> Self {
        match NonZeroU32::new(word) {
            Some(word) => Self(word),
            None => Self(NonZeroU32::MIN),
        }
    }

    /// The arms are in the order of [`ErrorKind`], so that devices compute the kind and link no table.
    pub(super) const fn kind(self) -> ErrorKind {
        use ErrorKind::*;
        const FIRST: u32 = UnexpectedType as u32;
        match (self.0.get() & 0x7F).wrapping_sub(FIRST) {
            0 => UnexpectedType,
            1 => InvalidValue,
            2 => InvalidLength,
            3 => MissingField,
            4 => UnknownField,
            5 => RepeatedField,
            6 => UnknownVariant,
            8 => EscapedString,
            _ => Refused,
        }
    }

    const fn detail(self) -> u32 {
        self.0.get() >> 8
    }

    /// Converts the length error of a vector or map that received one value more than its capacity. `self` has the number of values.
    pub(super) fn of_full(self) -> Self {
        if self.is_length() { Self::new(ErrorKind::InvalidLength, self.detail()) } else { self }
    }

    /// The least length that exceeds the capacity; 0 if it is unknown.
    pub(super) fn refused_len(self) -> u32 {
        if self.0.get() & 0xFF == ErrorKind::InvalidLength as u32 { self.detail() } else { 0 }
    }

    /// Whether this is an invalid length without details.
    fn is_length(self) -> bool {
        self.0.get() & Self::IS_LENGTH != 0
    }

    /// Whether this fault concerns the member called `name`.
    pub(super) fn is_about(self, name: &str) -> bool {
        self.detail() == name_hash(name)
    }
}

/// A hash of 24 bits that replaces the name of a member.
#[inline(never)]
fn name_hash(name: &str) -> u32 {
    // like FNV-1a, but the factor is a shift and an addition; uses the upper bits, which are mixed better; never 0
    let hash = name.bytes().fold(0x811C_9DC5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(257));
    hash >> 8 | 1 << 23
}

impl fmt::Debug for DeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.kind(), f)
    }
}

impl fmt::Display for DeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.kind(), f)
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for DeError {
    fn format(&self, f: defmt::Formatter<'_>) {
        // do not call the `format` of a derived implementation
        defmt::write!(f, "{}", self.kind());
    }
}

impl core::error::Error for DeError {}

impl de::Error for DeError {
    /// Drops the message, because a fault has no room for it.
    fn custom<T: fmt::Display>(_message: T) -> Self {
        Self::REFUSED
    }

    fn invalid_type(found: de::Unexpected<'_>, _expected: &dyn de::Expected) -> Self {
        match found {
            de::Unexpected::Str(_) | de::Unexpected::Bytes(_) => Self::UNEXPECTED_TEXT,
            _ => Self::UNEXPECTED_TYPE,
        }
    }

    fn invalid_value(_found: de::Unexpected<'_>, _expected: &dyn de::Expected) -> Self {
        Self::INVALID_VALUE
    }

    fn invalid_length(len: usize, _expected: &dyn de::Expected) -> Self {
        let len = u32::try_from(len).ok().filter(|len| *len >> 24 == 0);
        Self::of_word(Self::new(ErrorKind::InvalidLength, len.unwrap_or_default()).0.get() | Self::IS_LENGTH)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(ErrorKind::MissingField, name_hash(field))
    }

    fn unknown_field(_field: &str, _expected: &'static [&'static str]) -> Self {
        Self::of(ErrorKind::UnknownField)
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(ErrorKind::RepeatedField, name_hash(field))
    }

    fn unknown_variant(_variant: &str, _expected: &'static [&'static str]) -> Self {
        Self::of(ErrorKind::UnknownVariant)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::collections::BTreeSet;
    use std::string::String;

    use super::name_hash;

    #[test]
    fn short_names_have_different_hashes() {
        let letters = || (b'!'..=b'~').map(char::from);
        let names = letters()
            .map(String::from)
            .chain(letters().flat_map(|one| letters().map(move |two| String::from_iter([one, two]))));
        let (count, hashes) = names.fold((0, BTreeSet::new()), |(count, mut hashes), name| {
            hashes.insert(name_hash(&name));
            (count + 1, hashes)
        });
        assert_eq!((count, hashes.len()), (94 + 94 * 94, 94 + 94 * 94));
        assert!(!hashes.contains(&0));
    }
}
