//! Numbers: exact integers from validated text.

#[cfg(target_pointer_width = "64")]
use super::offset_in;

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

/// [`integer`] with 128 bits. It accepts `-0`, and reads an empty text as zero; callers exclude both.
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

/// [`signed`] through a reference: on devices, an `Option<i64>` takes 8 bytes more of stack than an `i64`.
#[cfg_attr(target_pointer_width = "64", inline)]
#[cfg_attr(not(target_pointer_width = "64"), inline(never))]
pub(crate) fn read_signed(text: &[u8], integer: &mut i64) -> bool {
    let mut magnitude = 0;
    read_magnitude(text, &mut magnitude) && store(integer, matches!(text, [b'-', ..]), magnitude)
}

/// Reads the magnitude of an integer, a validated value or empty, through a reference to 0. Returns `false` if `text` is no integer of one
/// to nineteen digits.
///
/// Does not call [`integer`]: nineteen digits cannot overflow a `u64`, and without overflow checks the code is half as large.
#[cfg_attr(target_pointer_width = "64", inline)]
#[cfg_attr(not(target_pointer_width = "64"), inline(never))]
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

/// Splits the sign off a validated number: `true` for minus.
#[inline(always)]
pub(crate) fn sign_and_digits(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    }
}

/// Stores an integer of at most nineteen digits. Returns `false` if it is out of range, or `-0`.
#[expect(clippy::cast_possible_wrap, reason = "the last line checks the sign bit")]
#[inline(always)]
pub(crate) fn store(integer: &mut i64, is_negative: bool, magnitude: u64) -> bool {
    *integer = if is_negative { magnitude.wrapping_neg() } else { magnitude } as i64;
    // an integer out of range has the wrong sign
    (*integer < 0) == is_negative
}

/// [`signed`] of `value`, a part of `text`. Converts up to eight digits at once: the exit of a loop over digits would
/// be mispredicted.
#[cfg(target_pointer_width = "64")]
#[inline(always)]
#[expect(clippy::cast_possible_wrap, reason = "eight digits are less than 2^63")]
pub(crate) fn signed_in(text: &[u8], value: &[u8]) -> Option<i64> {
    let is_negative = matches!(value, [b'-', ..]);
    let len = value.len().wrapping_sub(usize::from(is_negative));
    // the eight bytes that end with it
    let start = offset_in(text, value).wrapping_add(value.len()).wrapping_sub(8);
    let (1..=8, Some(word)) = (len, text.get(start..).and_then(|rest| rest.first_chunk())) else {
        return signed(value);
    };
    let magnitude = eight_digits(*word, len)?;
    if magnitude == 0 && is_negative {
        return None;
    }
    let magnitude = magnitude as i64;
    Some(if is_negative { magnitude.wrapping_neg() } else { magnitude })
}

/// [`signed`] of `value`, a part of the text.
#[cfg(not(target_pointer_width = "64"))]
#[inline(always)]
pub(crate) fn signed_in(_text: &[u8], value: &[u8]) -> Option<i64> {
    signed(value)
}

/// The number in the last `len` of eight bytes, if they are digits. Combines digits into pairs, pairs into fours, fours into eight.
///
/// `text` ends with a validated value. A value that is not a number ends with an ASCII character other than a digit, which the check finds,
/// so the check may miss non-ASCII bytes.
#[cfg(target_pointer_width = "64")]
#[inline(always)]
const fn eight_digits(text: [u8; 8], len: usize) -> Option<u64> {
    const ONES: u64 = u64::MAX / 255;
    const PAIRS: u64 = 0x0000_00FF_0000_00FF;
    let others = 64usize.wrapping_sub(len << 3) & 63;
    let digits = (u64::from_le_bytes(text) ^ ONES.wrapping_mul(b'0' as u64)) >> others << others;
    if digits.wrapping_add(ONES.wrapping_mul(0x76)) & ONES.wrapping_mul(0x80) != 0 {
        return None;
    }
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let high = (pairs & PAIRS).wrapping_mul(100 | 1_000_000 << 32);
    let low = (pairs >> 16 & PAIRS).wrapping_mul(1 | 10_000 << 32);
    Some(high.wrapping_add(low) >> 32)
}

/// Whether a validated number of any size has neither fraction nor exponent.
#[inline]
pub(crate) fn is_integer(text: &[u8]) -> bool {
    !text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
}

#[cfg(all(test, target_pointer_width = "64"))]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test stops")]
mod tests {
    extern crate std;

    use std::format;

    use super::{signed, signed_in};

    #[test]
    fn eight_digits_at_once_are_those_one_by_one() {
        const NUMBERS: &[u8] =
            b" 0 -0 1 -1 7 10 -10 99 123 1234 -12345 100000 1234567 99999999 -99999999 123456789 -123456789 1.0 \
            1e3 -1E3 0.5 12345678901234567890 9223372036854775807 -9223372036854775808 9223372036854775808 3e-7 ";
        for value in NUMBERS.split(|byte| *byte == b' ') {
            assert_eq!(signed_in(NUMBERS, value), signed(value), "{value:?}");
            assert_eq!(signed_in(value, value), signed(value), "{value:?}");
        }
        assert_eq!(signed_in(NUMBERS, &NUMBERS[1..2]), Some(0));
        for number in (-100_000_000..=100_000_000).step_by(9_973) {
            let text = format!("[{number}]");
            let value = &text.as_bytes()[1..text.len() - 1];
            assert_eq!(signed_in(text.as_bytes(), value), Some(number));
        }
    }
}
