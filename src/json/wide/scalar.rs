//! Numbers and literals.

use super::super::scan::VALUE;
use super::block::{bits, digit, sixteen};
use super::cursor::{Ahead, Cursor, byte, word};
use super::reached::Reached;
use super::value::Open;
use super::word::{self as text, begins_with, bytes_below, first, not_digit};

/// number = [ minus ] int [ frac ] [ exp ]
///
/// The number at `start` of what is ahead, which has as many signs as `sign` says. Returns the word that follows it; `None`
/// if it is not valid.
#[inline(always)]
pub(super) fn number(
    cursor: &mut Cursor<'_>,
    ahead: &Ahead,
    start: usize,
    sign: usize,
    open: Open,
    reached: &mut Reached,
) -> Option<u64> {
    let behind_sign = start.wrapping_add(sign);
    // int = zero / ( digit1-9 *DIGIT )
    let digits = word(ahead, behind_sign);
    let others = not_digit(digits);
    let len = bytes_below(others);
    if len > 1 && first(digits) == b'0' {
        return reached.token(cursor.at().wrapping_add(start), open, VALUE);
    }
    let mut end = len;
    // frac = decimal-point 1*DIGIT
    if byte(ahead, behind_sign.wrapping_add(len)) == b'.' {
        end = bytes_below(others & others.wrapping_sub(1));
    }
    // exp = e [ minus / plus ] 1*DIGIT
    let next = word(ahead, behind_sign.wrapping_add(end));
    if len == 0 || end == 8 || end == len.wrapping_add(1) || first(next) | 0x20 == b'e' {
        cursor.skip(start)?;
        match long_number(cursor.rest()) {
            Some(len) => cursor.skip(len)?,
            None => return reached.token(cursor.at(), open, VALUE),
        }
        return Some(cursor.word());
    }
    cursor.skip(behind_sign.wrapping_add(end))?;
    Some(next)
}

/// The bytes of the [`number`] at the front of `text`, of any length and with an exponent.
#[inline(never)]
pub(super) fn long_number(text: &[u8]) -> Option<usize> {
    let start = usize::from(text::byte(text, 0) == b'-');
    // int = zero / ( digit1-9 *DIGIT )
    let mut end = some_digits(text, start)?;
    if text::byte(text, start) == b'0' && end != start.wrapping_add(1) {
        return None;
    }
    // frac = decimal-point 1*DIGIT
    if text::byte(text, end) == b'.' {
        end = some_digits(text, end.wrapping_add(1))?;
    }
    // exp = e [ minus / plus ] 1*DIGIT
    if text::byte(text, end) | 0x20 == b'e' {
        let sign = usize::from(matches!(text::byte(text, end.wrapping_add(1)), b'+' | b'-'));
        end = some_digits(text, end.wrapping_add(1).wrapping_add(sign))?;
    }
    Some(end)
}

/// 1*DIGIT
#[inline(always)]
fn some_digits(text: &[u8], at: usize) -> Option<usize> {
    let mut end = at;
    while let Some(bytes) = sixteen(text, end) {
        let len = (!bits(digit(bytes))).trailing_zeros() as usize;
        end = end.wrapping_add(len);
        if len < 16 {
            return if end == at { None } else { Some(end) };
        }
    }
    while text::byte(text, end).is_ascii_digit() {
        end = end.wrapping_add(1);
    }
    if end == at { None } else { Some(end) }
}

/// The literal at `start` of what is ahead. Returns the word that follows it; `None` if there is none.
#[inline(always)]
pub(super) fn next_literal(
    cursor: &mut Cursor<'_>,
    ahead: &Ahead,
    start: usize,
    open: Open,
    reached: &mut Reached,
) -> Option<u64> {
    let Some(len) = literal(word(ahead, start)) else {
        return reached.token(cursor.at().wrapping_add(start), open, VALUE);
    };
    let end = start.wrapping_add(len);
    cursor.skip(end)?;
    Some(word(ahead, end))
}

/// false = %x66.61.6c.73.65 ; null = %x6e.75.6c.6c ; true = %x74.72.75.65
///
/// The bytes of the literal that `letters` begin with; `None` if there is none.
#[inline(always)]
pub(super) const fn literal(letters: u64) -> Option<usize> {
    // which of them comes nobody foresees
    let is_false = begins_with(letters, b"false");
    let is_any = begins_with(letters, b"true") | begins_with(letters, b"null") | is_false;
    if is_any { Some(4usize.wrapping_add(is_false as usize)) } else { None }
}
