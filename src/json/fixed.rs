//! Decimal fractions as scaled integers, without floats.

use core::fmt;

use super::machine::utf8_str;
use super::{RawValue, Writer, number};
use crate::error::{Error, ErrorKind};

/// The rule for a number with more decimals than requested. The names of directions are those of IEEE 754 §4.3.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Rounding {
    /// Refuses the number, unless its further decimals are zeros.
    Refuse,
    /// Rounds to the nearest; a tie to the even last digit: `0.125` is 0.12, `0.135` is 0.14.
    TiesToEven,
    /// Cuts the further decimals.
    TowardZero,
}

/// The integers under a [`Fixed`]: sign and magnitude of 64 bits, so that all types share one reader and one writer.
pub(crate) trait FixedInteger: Copy {
    /// Whether it is negative, and its magnitude.
    fn into_parts(self) -> (bool, u64);
    /// The integer of this sign and magnitude, if it is in range.
    fn from_parts(negative: bool, magnitude: u64) -> Option<Self>;
}

macro_rules! integers {
    ($($unsigned:ty)*, $($signed:ty)*) => {
        $(impl FixedInteger for $unsigned {
            fn into_parts(self) -> (bool, u64) {
                (false, self as u64)
            }

            fn from_parts(negative: bool, magnitude: u64) -> Option<Self> {
                if negative { None } else { Self::try_from(magnitude).ok() }
            }
        })*
        $(impl FixedInteger for $signed {
            fn into_parts(self) -> (bool, u64) {
                (self < 0, self.unsigned_abs() as u64)
            }

            // the magnitude of the least integer is one more than that of the greatest
            #[allow(clippy::cast_possible_truncation, reason = "compared with the limit")]
            fn from_parts(negative: bool, magnitude: u64) -> Option<Self> {
                let limit = (Self::MAX as u64).wrapping_add(u64::from(negative));
                let integer = magnitude as Self;
                if magnitude > limit { None } else { Some(if negative { integer.wrapping_neg() } else { integer }) }
            }
        })*
    };
}
integers!(u8 u16 u32 u64 usize, i8 i16 i32 i64 isize);

/// A decimal fraction: an integer of the type `T` that counts units of the last of `DECIMALS` decimals. Exact, and without float code.
///
/// Reads a number of any notation, and writes `DECIMALS` decimals. A number with more decimals is refused, unless these are zeros; to round it, read
/// a [`RawValue`] and call [`RawValue::to_fixed`].
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use nanojsonrpc::{Fixed, Router, Server};
///
/// let mut server = Server::new(Router::new().request("target", |target: &mut Fixed<i32, 2>, (step,): (Fixed<i32, 2>,)| {
///     target.0 += step.0;
///     Ok(*target)
/// }));
/// let (mut target, mut output) = (Fixed(2150), [0; 96]);
/// let call = br#"{"jsonrpc":"2.0","method":"target","params":[-5e-1],"id":1}"#;
/// let answer = br#"{"jsonrpc":"2.0","result":21.00,"id":1}"#;
/// assert_eq!(server.process(&mut target, call, &mut output).answer(), Some(&answer[..]));
/// # }
/// ```
///
/// # Limits
/// `T`: an integer of up to 64 bits. `DECIMALS`: 19; more do not compile.
///
/// # Errors
/// [`InvalidValue`](ErrorKind::InvalidValue) for a number out of range or with more decimals, [`UnexpectedType`](ErrorKind::UnexpectedType)
/// for other kinds.
///
/// # Other formats
/// Other serializers of readable formats, such as serde_json, receive the nearest `f64`, and `T` without decimals. Their deserializers may pass
/// a float, which is read as its shortest text, so 15 digits are exact. The same holds where serde itself stores a value before it is read or
/// written: under `flatten`, and in enums with `tag` or `untagged`. A serializer that hides the type, such as that of `erased_serde`, is refused. Binary formats, such as postcard, hold the integer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Fixed<T, const DECIMALS: u8>(
    /// In units of the last decimal: 2153 is `21.53` if `DECIMALS` is 2.
    pub T,
);

/// The longest text: a minus, `0.` and nineteen decimals, or twenty digits and a point.
const MAX_LEN: usize = 22;

impl<T: FixedInteger, const DECIMALS: u8> Fixed<T, DECIMALS> {
    pub(super) const CHECKED: u8 = {
        assert!(DECIMALS <= 19, "a `Fixed` has at most 19 decimals");
        DECIMALS
    };

    /// Sign, magnitude and decimals.
    #[inline(always)]
    pub(crate) fn units(self) -> Units {
        let (negative, magnitude) = self.0.into_parts();
        Units { negative, magnitude, decimals: Self::CHECKED }
    }
}

/// The value of a [`Fixed`], in one type for all.
#[derive(Clone, Copy)]
pub(crate) struct Units {
    /// Whether the number is negative.
    pub(super) negative: bool,
    /// In units of the last decimal.
    pub(super) magnitude: u64,
    /// At most nineteen.
    pub(super) decimals: u8,
}

impl Units {
    /// Calls `take` with the number as JSON.
    pub(super) fn with_text<R>(&self, take: impl FnOnce(&[u8]) -> R) -> R {
        let mut room = [0; MAX_LEN];
        let mut out = Writer::over(&mut room);
        out.put_fixed(*self);
        take(out.written())
    }
}

impl Writer<'_> {
    /// Appends a decimal fraction.
    #[inline(always)]
    pub(crate) fn put_fixed(&mut self, Units { negative, magnitude, decimals }: Units) {
        match decimals {
            0 => self.put_integer(negative, magnitude),
            _ => self.put_decimals(negative, magnitude, decimals),
        }
    }

    #[inline(never)]
    fn put_decimals(&mut self, negative: bool, magnitude: u64, decimals: u8) {
        if negative {
            self.put_byte(b'-');
        }
        // zeros, so that a digit precedes the decimals
        let mut limit = 10u64;
        for _ in 0..decimals {
            if magnitude < limit {
                self.put_byte(b'0');
            }
            limit = limit.wrapping_mul(10);
        }
        self.put_integer(false, magnitude);
        // room for the point, which moves in front of the decimals. If the output is full, or bytes are only counted, there is no text.
        self.put_byte(b'.');
        let mut moved = b'.';
        let whole = self.len.wrapping_sub(usize::from(decimals)).wrapping_sub(1);
        for place in self.out.get_mut(whole..self.len).unwrap_or_default() {
            core::mem::swap(place, &mut moved);
        }
    }
}

impl<T: FixedInteger, const DECIMALS: u8> fmt::Display for Fixed<T, DECIMALS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = self.units();
        let is_negative = units.negative;
        units.with_text(|text| {
            let text = utf8_str(text).unwrap_or_default();
            f.pad_integral(!is_negative, "", text.strip_prefix('-').unwrap_or(text))
        })
    }
}

impl<T: FixedInteger, const DECIMALS: u8> fmt::Debug for Fixed<T, DECIMALS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(feature = "defmt")]
impl<T: FixedInteger, const DECIMALS: u8> defmt::Format for Fixed<T, DECIMALS> {
    fn format(&self, f: defmt::Formatter<'_>) {
        self.units().with_text(|text| defmt::write!(f, "{=str}", utf8_str(text).unwrap_or_default()));
    }
}

impl RawValue<'_> {
    /// The number with `decimals` decimals, as an integer of units of the last one. Exact, and without float code.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::{RawValue, json::Rounding};
    ///
    /// assert_eq!(RawValue::parse(b"21.53")?.to_fixed::<i32>(2, Rounding::Refuse)?, 2153);
    /// assert_eq!(RawValue::parse(b"2.153e1")?.to_fixed::<i32>(2, Rounding::Refuse)?, 2153);
    /// let finer = RawValue::parse(b"-21.535")?;
    /// assert!(finer.to_fixed::<i32>(2, Rounding::Refuse).is_err());
    /// assert_eq!(finer.to_fixed::<i32>(2, Rounding::TiesToEven)?, -2154);
    /// assert_eq!(finer.to_fixed::<i32>(2, Rounding::TowardZero)?, -2153);
    /// # Ok(()) }
    /// ```
    ///
    /// # Limits
    /// `T`: an integer of up to 64 bits. `decimals` and the exponent: any. Time: linear in the length of the number.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidValue`] for a number out of range, or with more decimals under [`Rounding::Refuse`];
    /// [`ErrorKind::UnexpectedType`] for other kinds, with the offset of the value. Both turn into an error object with code -32602.
    pub fn to_fixed<T: FixedInteger>(self, decimals: u8, rounding: Rounding) -> Result<T, Error> {
        if !self.is_number() {
            return Err(Error::new(ErrorKind::UnexpectedType, self.offset()));
        }
        read(self.as_bytes(), decimals, rounding).ok_or(Error::new(ErrorKind::InvalidValue, self.offset()))
    }
}

/// The validated number `text` in units of the last of `decimals` decimals; `None` if it is out of range, or refused by `rounding`.
#[inline]
pub(super) fn read<T: FixedInteger>(text: &[u8], decimals: u8, rounding: Rounding) -> Option<T> {
    let (negative, text) = number::sign_and_digits(text);
    let units = magnitude(text, decimals, rounding)?;
    T::from_parts(negative && units != 0, units)
}

/// No digit has been dropped.
const NONE: u8 = 0x80;

/// The unsigned validated number `text` in units of the last of `decimals` decimals; `None` beyond 64 bits, or if `rounding` refuses it.
///
/// Lengths and exponents have the width of a `usize`. An exponent beyond it counts as the greatest one: no text is long enough to tell them
/// apart.
#[inline(never)]
fn magnitude(text: &[u8], decimals: u8, rounding: Rounding) -> Option<u64> {
    let end = text.iter().position(|byte| matches!(byte, b'e' | b'E')).unwrap_or(text.len());
    let (mantissa, exponent) = text.split_at_checked(end)?;
    let mut power = 0usize;
    for byte in exponent {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            power = power.saturating_mul(10).saturating_add(usize::from(digit));
        }
    }
    // the number of digits up to the last of `decimals`; zeros precede or follow the mantissa if it is too short
    let whole = mantissa.iter().position(|byte| *byte == b'.').unwrap_or(end);
    let count = whole.wrapping_add(usize::from(decimals));
    let (mut count, mut dropped) = match exponent {
        [_, b'-', ..] if power > count => (0, 0),
        [_, b'-', ..] => (count.wrapping_sub(power), NONE),
        _ => (count.saturating_add(power), NONE),
    };

    // twice the first dropped digit, and one more if a digit after it is not zero
    let mut magnitude = 0u64;
    for byte in mantissa {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            continue;
        }
        if count != 0 {
            count = count.wrapping_sub(1);
            magnitude = append(magnitude, digit)?;
        } else if dropped == NONE {
            dropped = digit << 1;
        } else {
            dropped |= u8::from(digit != 0);
        }
    }
    // at most twenty zeros, because then the number is too large
    while count != 0 && magnitude != 0 {
        count = count.wrapping_sub(1);
        magnitude = append(magnitude, 0)?;
    }
    let dropped = dropped & !NONE;
    let is_odd = u8::from(magnitude & 1 != 0);
    match rounding {
        Rounding::Refuse if dropped != 0 => None,
        // a tie is 10
        Rounding::TiesToEven if dropped.wrapping_add(is_odd) > 10 => magnitude.checked_add(1),
        _ => Some(magnitude),
    }
}

/// Appends a decimal digit. In halves: the comparison with the limit would be 16 bytes more on thumbv7m.
#[inline(always)]
fn append(magnitude: u64, digit: u8) -> Option<u64> {
    let low = (magnitude & 0xFFFF_FFFF).wrapping_mul(10).wrapping_add(u64::from(digit));
    let high = (magnitude >> 32).wrapping_mul(10).wrapping_add(low >> 32);
    if high >> 32 != 0 { None } else { Some(high << 32 | low & 0xFFFF_FFFF) }
}
