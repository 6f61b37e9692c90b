//! Integers that are parts of a text, and the value of eight digits at once: the exit of a loop over digits would be mispredicted.

use super::signed;
use crate::json::offset_in;
use crate::json::word::all;

/// [`signed`] of `value`, a part of `text`.
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
    let magnitude = last_digits(u64::from_le_bytes(*word), len)?;
    if magnitude == 0 && is_negative {
        return None;
    }
    let magnitude = magnitude as i64;
    Some(if is_negative { magnitude.wrapping_neg() } else { magnitude })
}

/// The number that the last `len` bytes of `word` spell, if they are digits; `len` is 1 to 8.
///
/// The bytes end with a validated value. A value that is not a number ends with an ASCII character other than a digit, which the check
/// finds, so the check may miss non-ASCII bytes.
#[inline(always)]
const fn last_digits(word: u64, len: usize) -> Option<u64> {
    let others = 64usize.wrapping_sub(len << 3) & 63;
    let digits = (word ^ all(b'0')) >> others << others;
    if digits.wrapping_add(all(0x76)) & all(0x80) != 0 {
        return None;
    }
    Some(eight_values(digits))
}

/// The number with these eight digits, values 0 to 9. Combines digits into pairs, pairs into fours, fours into eight.
#[inline(always)]
pub(super) const fn eight_values(digits: u64) -> u64 {
    const PAIRS: u64 = 0x0000_00FF_0000_00FF;
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let high = (pairs & PAIRS).wrapping_mul(100 | 1_000_000 << 32);
    let low = (pairs >> 16 & PAIRS).wrapping_mul(1 | 10_000 << 32);
    high.wrapping_add(low) >> 32
}

#[cfg(test)]
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
