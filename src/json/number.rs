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

/// [`integer`] with a magnitude of 128 bits.
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

/// Whether a validated number is written without fraction and exponent, whatever its size.
pub(crate) fn is_integer(text: &[u8]) -> bool {
    !text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
}
