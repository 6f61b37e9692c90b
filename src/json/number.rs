//! Numbers of validated text: exact integers, and the types of floats.

use super::machine::Decimal;

/// The validated JSON number `text` as an integer: its sign (`true` for minus) and its magnitude.
///
/// `None` for a fraction, an exponent, `-0` (readers with floats read it as a float) and a magnitude over `u64::MAX`.
///
/// Source: RFC 8259 §6.
pub(crate) fn integer(text: &[u8]) -> Option<(bool, u64)> {
    let (negative, digits) = sign_and_digits(text);
    let mut magnitude = 0u64;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        magnitude = magnitude.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    if negative && magnitude == 0 || digits.is_empty() { None } else { Some((negative, magnitude)) }
}

/// [`integer`] with 128 bits. It reads `-0` and an empty text as zero.
pub(crate) fn wide_integer(text: &[u8]) -> Option<(bool, u128)> {
    let (negative, digits) = sign_and_digits(text);
    let mut magnitude = 0u128;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        magnitude = magnitude.checked_mul(10)?.checked_add(u128::from(digit))?;
    }
    Some((negative, magnitude))
}

/// The value of `text`, a validated value or empty, if it is a signed integer of 64 bits.
#[inline(always)]
pub(crate) fn signed(text: &[u8]) -> Option<i64> {
    let mut integer = 0;
    if read_signed(text, &mut integer) { Some(integer) } else { None }
}

/// Whether `text`, a validated value or empty, is a signed integer of 64 bits or `-0`.
#[inline(always)]
pub(crate) fn is_signed(text: &[u8]) -> bool {
    let mut magnitude = 0;
    // -2^63 is the only one of these with a magnitude of 64 bits; its text has a minus and nineteen digits
    read_magnitude(text, &mut magnitude) && magnitude.wrapping_sub(u64::from(text.len() > 19)) >> 63 == 0
}

shared_on_devices! {
    /// [`signed`] through a reference: on devices, an `Option<i64>` takes 8 bytes more of stack than an `i64`.
    pub(crate) fn read_signed(text: &[u8], integer: &mut i64) -> bool {
        let mut magnitude = 0;
        read_magnitude(text, &mut magnitude) && store(integer, matches!(text, [b'-', ..]), magnitude)
    }
}

shared_on_devices! {
    /// Parses the digits of `text`, a validated value or empty, into `magnitude`, which starts at 0. Returns `false` if `text` is no integer
    /// of one to nineteen digits.
    ///
    /// Does not call [`integer`]: nineteen digits cannot overflow a `u64`, and without overflow checks the code is half as large.
    fn read_magnitude(text: &[u8], magnitude: &mut u64) -> bool {
        let (_, digits) = sign_and_digits(text);
        if digits.is_empty() || digits.len() > 19 {
            return false;
        }
        for byte in digits {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return false;
            }
            *magnitude = magnitude.wrapping_mul(10).wrapping_add(u64::from(digit));
        }
        true
    }
}

/// Splits the sign off a validated number: `true` for minus.
#[inline(always)]
pub(crate) fn sign_and_digits(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    }
}

/// Stores an integer with a magnitude of 64 bits. Returns `false` if it is out of range, or `-0`.
#[expect(clippy::cast_possible_wrap, reason = "the last line checks the sign bit")]
#[inline(always)]
pub(crate) fn store(integer: &mut i64, is_negative: bool, magnitude: u64) -> bool {
    *integer = if is_negative { magnitude.wrapping_neg() } else { magnitude } as i64;
    // an integer out of range has the wrong sign
    (*integer < 0) == is_negative
}

/// `f32` or `f64`: read by `fast-float2` and written by `zmij` on 64-bit hosts, by code without tables on devices.
pub(crate) trait Float: Decimal + Copy {
    /// Whether the float is neither infinite nor NaN.
    fn is_finite(self) -> bool;
}

impl Float for f32 {
    fn is_finite(self) -> bool {
        self.is_finite()
    }
}

impl Float for f64 {
    fn is_finite(self) -> bool {
        self.is_finite()
    }
}

/// Whether a validated number of any size has neither fraction nor exponent.
#[inline]
pub(crate) fn is_integer(text: &[u8]) -> bool {
    !text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
}
