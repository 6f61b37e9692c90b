//! Numbers at the front of a validated text, read in one walk: their end is not known before.

use super::number::MAX_LEN;
use super::word::{all, behind, byte, bytes_below, eight, eight_before_end, not_digit};
use crate::json::number::{self, Float};

/// The smallest number of twenty digits.
const TWENTY_DIGITS: u64 = 10_000_000_000_000_000_000;

/// The length of the integer at the front of a validated text, and its sign (`true` for minus) and magnitude.
///
/// The second part is `None` if the magnitude is over `u64::MAX`. The length is 0 if there is no number, or one with a fraction or an
/// exponent, or `-0`, which readers with floats read as a float.
#[inline(always)]
pub(in crate::json) fn integer_at_front(text: &[u8]) -> (usize, Option<(bool, u64)>) {
    let is_negative = matches!(text, [b'-', ..]);
    let start = usize::from(is_negative);
    let word = eight_before_end(text, start);
    let others = not_digit(word);
    let len = bytes_below(others);
    let (mut end, mut magnitude) = (start.wrapping_add(len), first_digits(word, len));
    let [mut next, ..] = behind(word, len).to_le_bytes();
    if others == 0 {
        (end, magnitude) = more_digits(text, end, magnitude);
        next = byte(text, end);
    }
    let count = end.wrapping_sub(start);
    if count == 0 || matches!(next, b'.' | b'e' | b'E') || matches!(text, [b'-', b'0', ..]) {
        return (0, None);
    }
    // modulo 2^64, a number of twenty digits that is too large is below 10^19 or does not begin with 1
    let fits = count < 20 || count == 20 && byte(text, start) == b'1' && magnitude >= TWENTY_DIGITS;
    (end, if fits { Some((is_negative, magnitude)) } else { None })
}

/// [`integer_at_front`] for a signed integer, which it stores. Returns whether it has 64 bits.
#[inline(always)]
pub(in crate::json) fn signed_at_front(text: &[u8], integer: &mut i64) -> (usize, bool) {
    let (len, read) = integer_at_front(text);
    (len, read.is_some_and(|(is_negative, magnitude)| number::store(integer, is_negative, magnitude)))
}

/// Appends the digits at `at` to `number`, modulo 2^64; returns their end and the new number.
#[inline(never)]
fn more_digits(text: &[u8], mut at: usize, mut number: u64) -> (usize, u64) {
    const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
    loop {
        let word = eight(text, at);
        let others = not_digit(word);
        let len = bytes_below(others);
        let power = POWERS.get(len).copied().unwrap_or_default();
        number = number.wrapping_mul(power).wrapping_add(first_digits(word, len));
        at = at.wrapping_add(len);
        if others != 0 {
            return (at, number);
        }
    }
}

/// The number that the first `len` bytes of `word` spell, which are digits; `len` is at most 8.
#[inline(always)]
const fn first_digits(word: u64, len: usize) -> u64 {
    // a shift by all 64 bits is masked to none, so two half shifts do it
    let half = 8usize.wrapping_sub(len) << 2 & 63;
    eight_values((word ^ all(b'0')) << half << half)
}

/// The float nearest to the number at the front of a validated text, infinite if it is too large, and the length of its text; `None` if
/// there is no number.
#[inline]
pub(in crate::json) fn float_at_front<F: Float>(text: &[u8]) -> Option<(F, usize)> {
    let (float, len) = fast_float2::parse_partial(text).ok()?;
    if len > MAX_LEN { Some((F::read(text.get(..len)?), len)) } else { Some((float, len)) }
}

/// The number with these eight digits, values 0 to 9. Combines digits into pairs, pairs into fours, fours into eight.
#[inline(always)]
const fn eight_values(digits: u64) -> u64 {
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
    use std::string::{String, ToString as _};

    use super::integer_at_front;
    use crate::json::number::integer;

    /// The plain twin: the end of the number first, and then one digit at a time.
    fn in_two_walks(text: &[u8]) -> (usize, Option<(bool, u64)>) {
        let end = text.iter().position(|byte| !matches!(byte, b'-' | b'0'..=b'9')).unwrap_or(text.len());
        match (&text[..end], text.get(end)) {
            (b"" | b"-0", _) | (_, Some(b'.' | b'e' | b'E')) => (0, None),
            (number, _) => (end, integer(number)),
        }
    }

    #[test]
    fn one_walk_reads_what_two_walks_read() {
        let mut numbers: std::vec::Vec<String> =
            (0..=25).map(|len| "1234567890123456789012345"[..len].into()).collect();
        numbers.extend(
            [u64::MAX, 1 << 63, 10_000_000_000_000_000_000]
                .iter()
                .flat_map(|edge| (-1..=1).map(|more| (i128::from(*edge) + more).to_string())),
        );
        numbers.extend(
            ["0", "9", "19999999999999999999", "20000000000000000000", "30000000000000000000", "99999999999999999999"]
                .map(String::from),
        );
        for number in numbers {
            for sign in ["", "-"] {
                if sign == "-" && number.is_empty() {
                    continue;
                }
                // up to the end of the text, and with bytes behind it, which are neither digits nor ASCII
                for behind in [
                    "",
                    ",",
                    "]",
                    "}",
                    " ",
                    ".5",
                    "e5",
                    "E5",
                    ",1",
                    "]}",
                    ",\"\u{e4}\u{e4}\"",
                    ",12345678]",
                    "/:",
                    "\n \n \n \n \n",
                ] {
                    let text = format!("{sign}{number}{behind}");
                    assert_eq!(integer_at_front(text.as_bytes()), in_two_walks(text.as_bytes()), "{text}");
                }
            }
        }
    }
}
