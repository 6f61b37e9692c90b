//! Numbers at the front of a validated text: first their end, then digit by digit.

use super::value_len;
use crate::json::number::{self, Float};

/// The length of the integer at the front of a validated text, and its sign (`true` for minus) and magnitude.
///
/// The second part is `None` if the magnitude is over `u64::MAX`. The length is 0 if there is no number, or one with a fraction or an
/// exponent, or `-0`, which readers with floats read as a float.
pub(in crate::json) fn integer_at_front(text: &[u8]) -> (usize, Option<(bool, u64)>) {
    match text_at_front(text) {
        [] => (0, None),
        integer => (integer.len(), number::integer(integer)),
    }
}

/// [`integer_at_front`] for a signed integer, which it stores. Returns whether it has 64 bits.
#[inline(always)]
pub(in crate::json) fn signed_at_front(text: &[u8], integer: &mut i64) -> (usize, bool) {
    match text_at_front(text) {
        [] => (0, false),
        text => (text.len(), number::read_signed(text, integer)),
    }
}

/// The text of the integer; empty if there is none.
#[inline(always)]
fn text_at_front(text: &[u8]) -> &[u8] {
    let len = text.iter().position(|byte| !matches!(byte, b'-' | b'0'..=b'9')).unwrap_or(text.len());
    match text.split_at_checked(len).unwrap_or_default() {
        ([] | [b'-', b'0'], _) | (_, [b'.' | b'e' | b'E', ..]) => &[],
        (integer, _) => integer,
    }
}

/// The float nearest to the number at the front of a validated text, infinite if it is too large, and the length of its text; `None` if
/// there is no number.
pub(in crate::json) fn float_at_front<F: Float>(text: &[u8]) -> Option<(F, usize)> {
    let len = match text {
        [b'-' | b'0'..=b'9', ..] => value_len(text),
        _ => return None,
    };
    Some((super::float(text.get(..len)?)?, len))
}
