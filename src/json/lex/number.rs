//! Numbers: number = [ minus ] int [ frac ] [ exp ]. RFC 8259 §6.

use crate::json::word::{behind, byte, bytes_below, eight, eight_before_end, not_digit};

/// Where the number ends that begins with `first` at `at`; `None` if it is not valid.
///
/// A word for each of its two parts: a loop over the digits would be mispredicted at its end. If it `is_near_end`, the text often ends within a
/// word.
#[inline(always)]
pub(in crate::json) fn number(text: &[u8], at: usize, first: u8, is_near_end: bool) -> Option<usize> {
    let start = at.wrapping_add(usize::from(first == b'-'));
    let word = if is_near_end { eight_before_end(text, start) } else { eight(text, start) };
    let (len, mut next) = few_digits(word);
    let [head, ..] = word.to_le_bytes();
    if len == 0 || head == b'0' && len > 1 {
        return any(text, at);
    }
    let mut end = start.wrapping_add(len);
    if next == b'.' {
        let start = end.wrapping_add(1);
        let len;
        (len, next) = few_digits(eight(text, start));
        if len == 0 {
            return any(text, at);
        }
        end = start.wrapping_add(len);
    }
    if next | 0x20 == b'e' { exponent(text, end) } else { Some(end) }
}

/// How many digits `word` begins with, and the byte behind them; none if there may be more.
#[inline(always)]
const fn few_digits(word: u64) -> (usize, u8) {
    let others = not_digit(word);
    let len = bytes_below(others);
    let [next, ..] = behind(word, len).to_le_bytes();
    (if others == 0 { 0 } else { len }, next)
}

/// The same for any number, eight digits at a time.
#[inline(never)]
fn any(text: &[u8], at: usize) -> Option<usize> {
    // int = zero / ( digit1-9 *DIGIT )
    let start = at.wrapping_add(usize::from(byte(text, at) == b'-'));
    let mut end = digits(text, start)?;
    if byte(text, start) == b'0' && end.wrapping_sub(start) > 1 {
        return None;
    }
    // frac = decimal-point 1*DIGIT
    if byte(text, end) == b'.' {
        end = digits(text, end.wrapping_add(1))?;
    }
    if byte(text, end) | 0x20 == b'e' { exponent(text, end) } else { Some(end) }
}

/// exp = e [ minus / plus ] 1*DIGIT
#[inline(never)]
fn exponent(text: &[u8], e: usize) -> Option<usize> {
    let start = e.wrapping_add(1);
    let sign = usize::from(matches!(byte(text, start), b'-' | b'+'));
    digits(text, start.wrapping_add(sign))
}

/// 1*DIGIT
#[inline(always)]
fn digits(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        let others = not_digit(eight(text, at));
        at = at.wrapping_add(bytes_below(others));
        if others != 0 {
            return if at == start { None } else { Some(at) };
        }
    }
}
