//! Numbers: exact integers out of validated text.

/// The value of `text`, a validated JSON number, as an integer that keeps sign and magnitude apart.
///
/// `None` if it has a fraction or an exponent, if it is `-0` (a float to every reader that has floats), or if its
/// magnitude is over `u64::MAX`.
///
/// Source: RFC 8259 §6.
pub(crate) fn integer(text: &[u8]) -> Option<(bool, u64)> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
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

/// The same of 128 bits for who wants an integer and nothing else: `-0` is one, and no text is zero.
#[cfg(feature = "serde")]
pub(crate) fn wide_integer(text: &[u8]) -> Option<(bool, u128)> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
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

/// The value of `text`, a validated value or nothing, if it is an integer of 64 bits with a sign.
///
/// Apart from [`integer`], because nineteen digits cannot overflow: without checks this is half as large.
#[expect(clippy::cast_possible_wrap, reason = "the sign bit is looked at")]
pub(crate) fn signed(text: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 19 {
        return None;
    }
    let mut magnitude = 0u64;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        magnitude = magnitude.wrapping_mul(10).wrapping_add(u64::from(digit));
    }
    let integer = if is_negative { magnitude.wrapping_neg() } else { magnitude } as i64;
    // what is out of range has the other sign, and -0 is no integer
    if (integer < 0) == is_negative { Some(integer) } else { None }
}

/// [`signed`] of the value `part` of `text`, if it is a natural number of at most eight digits, and ends behind the
/// first eight bytes.
///
/// How many digits an id has nobody foresees, so that a loop ends with a surprise.
///
/// Source of the sums: D. Lemire, "Quickly parsing eight digits".
#[cfg(target_pointer_width = "64")]
#[inline(always)]
pub(crate) fn short(text: &[u8], part: &[u8]) -> Option<u32> {
    let end = super::offset_in(text, part).wrapping_add(part.len());
    let word = u64::from_le_bytes(*text.get(..end)?.last_chunk()?);
    let before = 8usize.checked_sub(part.len())?.wrapping_mul(8);
    let digits = (word ^ 0x3030_3030_3030_3030).checked_shr(u32::try_from(before).ok()?)? << before;
    if (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let low = (pairs & 0xFF_0000_00FF).wrapping_mul(0xF_4240_0000_0064);
    let high = (pairs >> 16 & 0xFF_0000_00FF).wrapping_mul(0x2710_0000_0001);
    u32::try_from(low.wrapping_add(high) >> 32).ok()
}

/// Whether a validated number is written without fraction and exponent, whatever its size.
pub(crate) fn is_integer(text: &[u8]) -> bool {
    !text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
}

#[cfg(all(test, target_pointer_width = "64"))]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test stops")]
mod tests {
    use super::{short, signed};

    #[test]
    fn up_to_eight_digits_with_as_many_bytes_before_their_end_are_read_at_once() {
        let text = b"98765432100123456789";
        for end in 0..=text.len() {
            for start in 0..=end {
                let part = &text[start..end];
                let expected = if end >= 8 && part.len() <= 8 { signed(part) } else { None };
                assert_eq!(short(text, part).map(i64::from), expected, "{start} to {end}");
            }
        }
    }

    #[test]
    fn a_byte_that_is_no_digit_is_told_among_digits() {
        for start in 8..16 {
            for at in start..16 {
                for byte in 0..=u8::MAX {
                    let mut text = *b"{\"id\":  01234567";
                    text[at] = byte;
                    let part = &text[start..];
                    let expected = if byte.is_ascii_digit() { signed(part) } else { None };
                    assert_eq!(short(&text, part).map(i64::from), expected, "{}", text.escape_ascii());
                }
            }
        }
    }
}
