//! Numbers and literals, byte by byte: most are too short for anything else.

use super::word::{byte, four};

/// Where the digits that begin at `at` end.
#[inline(always)]
fn digits(text: &[u8], mut at: usize) -> usize {
    while byte(text, at).is_ascii_digit() {
        at = at.wrapping_add(1);
    }
    at
}

/// 1*DIGIT
#[inline(always)]
fn some_digits(text: &[u8], at: usize) -> Option<usize> {
    let end = digits(text, at);
    if end == at { None } else { Some(end) }
}

/// number = [ minus ] int [ frac ] [ exp ]
///
/// Says where the number at `at` ends; `None` if there is none.
#[inline(always)]
pub(super) fn number(text: &[u8], mut at: usize) -> Option<usize> {
    if byte(text, at) == b'-' {
        at = at.wrapping_add(1);
    }
    // int = zero / ( digit1-9 *DIGIT )
    let end = some_digits(text, at)?;
    if byte(text, at) == b'0' && end != at.wrapping_add(1) {
        return None;
    }
    fraction(text, end)
}

/// [ frac ] [ exp ], where frac = decimal-point 1*DIGIT
#[inline(always)]
pub(super) fn fraction(text: &[u8], mut at: usize) -> Option<usize> {
    if byte(text, at) == b'.' {
        at = some_digits(text, at.wrapping_add(1))?;
    }
    if byte(text, at) | 0x20 == b'e' { exponent(text, at.wrapping_add(1)) } else { Some(at) }
}

/// [ minus / plus ] 1*DIGIT, which stands behind the e
fn exponent(text: &[u8], at: usize) -> Option<usize> {
    let is_signed = matches!(byte(text, at), b'+' | b'-');
    some_digits(text, at.wrapping_add(usize::from(is_signed)))
}

/// [`number`], for where it is rarely wanted.
#[inline(never)]
pub(super) fn long_number(text: &[u8], at: usize) -> Option<usize> {
    number(text, at)
}

/// false = %x66.61.6c.73.65 ; null = %x6e.75.6c.6c ; true = %x74.72.75.65
#[inline(always)]
pub(super) fn literal(text: &[u8], at: usize) -> Option<usize> {
    let end = at.wrapping_add(4);
    match &four(text, at) {
        b"true" | b"null" => Some(end),
        b"fals" if byte(text, end) == b'e' => Some(end.wrapping_add(1)),
        _ => None,
    }
}
