//! A validated JSON value, borrowed from the text.

use core::fmt;

use super::machine::{self, utf8_str};
use super::number::Float;
use super::{Captured, NoNames, RawStr, number, offset_in, scan, trim_end, trim_start};
use crate::error::{Error, ErrorKind};

/// The type of a JSON value. RFC 8259 §3.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number, of any size and precision.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// The kind of the validated value at the front of `text`, by its first byte.
    pub(crate) const fn of(text: &[u8]) -> Self {
        match text {
            [b'{', ..] => Self::Object,
            [b'[', ..] => Self::Array,
            [b'"', ..] => Self::String,
            [b't' | b'f', ..] => Self::Bool,
            [b'n', ..] => Self::Null,
            _ => Self::Number,
        }
    }

    /// A bit for the first byte of a validated value; bit 0 if `text` is empty.
    ///
    /// The first bytes of two kinds differ in their upper five bits, so one mask tests for several kinds without a
    /// branch.
    pub(crate) const fn bit(text: &[u8]) -> u32 {
        match text {
            [first, ..] => 1 << (*first >> 3),
            [] => 1,
        }
    }

    /// The [bits](Self::bit) of the values of this kind.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Self::Null => Self::bit(b"n"),
            Self::Bool => Self::bit(b"t") | Self::bit(b"f"),
            Self::Number => Self::bit(b"-") | Self::bit(b"0") | Self::bit(b"8"),
            Self::String => Self::bit(b"\""),
            Self::Array => Self::bit(b"["),
            Self::Object => Self::bit(b"{"),
        }
    }

    /// Whether the validated value at the front of `text` is an array without elements.
    pub(crate) fn is_empty_array(text: &[u8]) -> bool {
        matches!(text, [b'[', ..]) && Self::is_hollow(text)
    }

    /// Whether the validated value at the front of `text` is null, `[]` or `{}`.
    fn is_hollow(text: &[u8]) -> bool {
        match text {
            [b'[' | b'{', inside @ ..] => matches!(trim_start(inside), [b']' | b'}', ..]),
            _ => matches!(text, [b'n', ..]),
        }
    }
}

/// A complete, valid JSON value with at most [`MAX_DEPTH`](crate::MAX_DEPTH) open brackets, borrowed from the text.
///
/// The text has been validated, so no method returns a syntax error. The value stores its offset in its message. Two values are equal if
/// their bytes are equal: `1.0` and `1.00` differ, and so do two objects whose members are in a different order.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::{RawValue, json::Kind};
///
/// let value = RawValue::parse(br#" {"unit":null,"values":[1,2]} "#)?;
/// assert_eq!(value.kind(), Kind::Object);
/// assert_eq!(value.as_bytes(), br#"{"unit":null,"values":[1,2]}"#);
/// assert_eq!(value.offset(), 1);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy)]
pub struct RawValue<'a> {
    text: &'a [u8],
    offset: usize,
}

impl<'a> RawValue<'a> {
    /// `null`, at offset 0 of no message.
    pub const NULL: RawValue<'static> = RawValue { text: b"null", offset: 0 };

    /// Validates `text` as one JSON text.
    ///
    /// # Limits
    /// Nesting: [`MAX_DEPTH`](crate::MAX_DEPTH). Stack: constant. Time: one pass over `text`.
    ///
    /// # Errors
    /// The kind of the first syntax error, and its offset. Source: RFC 8259.
    pub fn parse(text: &'a [u8]) -> Result<Self, Error> {
        let mut captured = Captured::new(text);
        scan::<NoNames>(text, &mut captured, ())?;
        Ok(Self::alone_in(text))
    }

    /// The only value of `text`, which the caller has validated; white space may surround it.
    pub(crate) fn alone_in(text: &'a [u8]) -> Self {
        Self::validated(text, trim_end(trim_start(text)))
    }

    /// The value `part` of `whole`, which the caller has validated; `None` if it is empty, which means absent.
    pub(crate) fn optional(whole: &[u8], part: &'a [u8]) -> Option<Self> {
        if part.is_empty() { None } else { Some(Self::validated(whole, part)) }
    }

    /// The value `part` of `whole`; the caller has validated it.
    pub(crate) fn validated(whole: &[u8], part: &'a [u8]) -> Self {
        Self { text: part, offset: offset_in(whole, part) }
    }

    /// The value in `text`, which the caller has validated; white space may surround it. It belongs to no message, so
    /// its offset is 0.
    pub(super) const fn constant_of(text: &'a str) -> Self {
        Self { text: text.as_bytes().trim_ascii(), offset: 0 }
    }

    /// The value `text`, which the caller has validated, at `offset` of its message.
    pub(super) const fn at(text: &'a [u8], offset: usize) -> Self {
        Self { text, offset }
    }

    /// The bytes of the value as received, without surrounding white space.
    pub const fn as_bytes(self) -> &'a [u8] {
        self.text
    }

    /// The value as received, as text.
    pub fn as_json(self) -> &'a str {
        utf8_str(self.text).unwrap_or_default()
    }

    /// The offset of the value in its message, in bytes.
    pub const fn offset(self) -> usize {
        self.offset
    }

    /// The type of the value, read from its first byte.
    pub const fn kind(self) -> Kind {
        Kind::of(self.text)
    }

    /// Whether it is `null`.
    pub const fn is_null(self) -> bool {
        matches!(self.text, [b'n', ..])
    }

    /// Whether it is `null`, `[]` or `{}`.
    pub(crate) fn is_hollow(self) -> bool {
        Kind::is_hollow(self.text)
    }

    /// The value of a boolean; `None` for other kinds.
    pub const fn as_bool(self) -> Option<bool> {
        match self.text {
            [b't', ..] => Some(true),
            [b'f', ..] => Some(false),
            _ => None,
        }
    }

    /// The undecoded inside of a string; `None` for other kinds.
    pub const fn as_str_raw(self) -> Option<RawStr<'a>> {
        RawStr::of(self.text)
    }

    /// The string, borrowed; `None` if it contains an escape, and for other kinds.
    pub fn as_str(self) -> Option<&'a str> {
        self.as_str_raw()?.as_str()
    }

    /// The exact integer; `None` for `-0`, for a number with a fraction or an exponent, and for one outside of 64 bits.
    #[inline]
    pub fn as_i64(self) -> Option<i64> {
        number::signed(self.text)
    }

    /// The exact integer; `None` for a number with a sign, a fraction or an exponent, and for one above `u64::MAX`.
    pub fn as_u64(self) -> Option<u64> {
        match number::integer(self.text) {
            Some((false, magnitude)) => Some(magnitude),
            _ => None,
        }
    }

    /// The exact integer as any integer type of Rust, up to 128 bits.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::{ErrorKind, RawValue};
    ///
    /// let value = RawValue::parse(b"300")?;
    /// assert_eq!(value.to_integer::<u16>()?, 300);
    /// assert_eq!(value.to_integer::<u8>().map_err(|error| error.kind()), Err(ErrorKind::InvalidValue));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::InvalidValue`](crate::ErrorKind::InvalidValue) for an integer out of range,
    /// [`ErrorKind::UnexpectedType`](crate::ErrorKind::UnexpectedType) for `-0`, for a number with a fraction or an
    /// exponent and for other kinds, with the offset of the value. Both turn into an error object with code -32602.
    #[inline]
    pub fn to_integer<T: TryFrom<i128> + TryFrom<u128>>(self) -> Result<T, Error> {
        match self.integer() {
            Some(integer) => Ok(integer),
            None => Err(self.no_integer()),
        }
    }

    /// The value as an integer of the type `T`, if it is one.
    fn integer<T: TryFrom<i128> + TryFrom<u128>>(self) -> Option<T> {
        // Constant conditions: on 32-bit targets arithmetic of 128 bits is a kilobyte of flash, and 64 unsigned bits are 200 bytes.
        match const { size_of::<T>() } {
            0..8 => number::signed(self.text).and_then(|integer| T::try_from(i128::from(integer)).ok()),
            8 => match number::integer(self.text) {
                Some((false, magnitude)) => T::try_from(u128::from(magnitude)).ok(),
                Some((true, _)) => number::signed(self.text).and_then(|integer| T::try_from(i128::from(integer)).ok()),
                None => None,
            },
            _ => match number::wide_integer(self.text) {
                Some((false, magnitude)) => T::try_from(magnitude).ok(),
                Some((true, 0)) | None => None,
                Some((true, magnitude)) => {
                    0i128.checked_sub_unsigned(magnitude).and_then(|integer| T::try_from(integer).ok())
                }
            },
        }
    }

    /// The error for a value that [`integer`](Self::integer) refuses. Inlined with its search, so that `.ok()` removes both: a call with a
    /// loop stays, because the compiler does not know that it ends.
    #[inline(always)]
    fn no_integer(self) -> Error {
        let is_integer = self.is_integer() && self.text != b"-0";
        Error::new(if is_integer { ErrorKind::InvalidValue } else { ErrorKind::UnexpectedType }, self.offset)
    }

    /// The nearest `f32`, ties to even; `None` for other kinds, and for a number too large for an `f32`.
    ///
    /// Not the `f32` nearest to [`as_f64`](Self::as_f64), which would be rounded twice.
    ///
    /// ```
    /// use nanojsonrpc::RawValue;
    ///
    /// assert_eq!(RawValue::parse(b"21.5")?.as_f32(), Some(21.5));
    /// // just below the point halfway between two floats
    /// let number = RawValue::parse(b"1.00000017881393432617187499")?;
    /// assert_eq!((number.as_f32(), number.as_f64().map(|float| float as f32)), (Some(1.0000001), Some(1.0000002)));
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    pub fn as_f32(self) -> Option<f32> {
        if self.kind() != Kind::Number {
            return None;
        }
        self.float()
    }

    /// The nearest `f64`, ties to even; `None` for other kinds, and for a number too large for an `f64`.
    ///
    /// ```
    /// use nanojsonrpc::RawValue;
    ///
    /// assert_eq!(RawValue::parse(b"1.5e3")?.as_f64(), Some(1500.0));
    /// assert_eq!(RawValue::parse(b"1e999")?.as_f64(), None);
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    pub fn as_f64(self) -> Option<f64> {
        if self.kind() != Kind::Number {
            return None;
        }
        self.float()
    }

    /// The float nearest to a number; `None` if it is too large. An `f32` is read directly: through an `f64` a number would be rounded twice.
    pub(super) fn float<F: Float>(self) -> Option<F> {
        machine::float(self.text).filter(|float: &F| float.is_finite())
    }

    /// Whether the value is a number.
    pub(crate) const fn is_number(self) -> bool {
        Kind::bit(self.text) & Kind::Number.bits() != 0
    }

    /// Whether the value is a number of any size without fraction and exponent.
    #[inline(always)]
    pub(crate) fn is_integer(self) -> bool {
        self.is_number() && number::is_integer(self.text)
    }
}

impl AsRef<[u8]> for RawValue<'_> {
    fn as_ref(&self) -> &[u8] {
        self.text
    }
}

impl PartialEq for RawValue<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for RawValue<'_> {}

impl fmt::Debug for RawValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_json())
    }
}

impl fmt::Display for RawValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_json())
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for RawValue<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "{=str}", self.as_json());
    }
}
