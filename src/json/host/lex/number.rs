//! Numbers: number = [ minus ] int [ frac ] [ exp ]. RFC 8259 §6.

use crate::json::host::word::{behind, byte, bytes_below, eight, eight_before_end, eight_of_many, not_digit};

/// Finds the end of the number that begins with `first` at `at`; `None` if it is not valid, also if `first` begins no number.
///
/// Tests the integer part and the fraction as one word each: the exit of a loop over the digits would be mispredicted. `is_near_end`: the
/// text often ends within a word after `at`.
#[inline(always)]
pub(in crate::json) fn number(text: &[u8], at: usize, first: u8, is_near_end: bool) -> Option<usize> {
    let word = if is_near_end { eight_before_end(text, at) } else { eight_of_many(text, at) };
    let mut others = not_digit(word);
    // a minus or a zero; the other first bytes of a number are greater
    if first <= b'0' {
        let minus = usize::from(first == b'-');
        others &= !((minus as u64) << 7);
        let int = bytes_below(others).wrapping_sub(minus);
        if int == 0 || nth(word, minus) == b'0' && int > 1 {
            return None;
        }
    }
    let (mut end, mut next) = behind_digits(text, at, word, others);
    if next == b'.' {
        let start = end.wrapping_add(1);
        let word = eight_of_many(text, start);
        let others = not_digit(word);
        (end, next) = behind_digits(text, start, word, others);
        if end == start {
            return None;
        }
    }
    if next | 0x20 == b'e' { exponent(text, end) } else { Some(end) }
}

/// The offset behind the digits at `at`, and the byte there. `word` has the bytes at `at`, `others` those of them that are no digits.
#[inline(always)]
fn behind_digits(text: &[u8], at: usize, word: u64, others: u64) -> (usize, u8) {
    if others == 0 {
        let end = digits_end(text, at.wrapping_add(8));
        return (end, byte(text, end));
    }
    let len = bytes_below(others);
    (at.wrapping_add(len), nth(word, len))
}

/// The byte of `word` after `len` bytes.
#[inline(always)]
const fn nth(word: u64, len: usize) -> u8 {
    let [byte, ..] = behind(word, len).to_le_bytes();
    byte
}

/// exp = e [ minus / plus ] 1*DIGIT
#[inline(never)]
fn exponent(text: &[u8], e: usize) -> Option<usize> {
    let start = e.wrapping_add(1);
    let sign = usize::from(matches!(byte(text, start), b'-' | b'+'));
    let start = start.wrapping_add(sign);
    let end = digits_end(text, start);
    if end == start { None } else { Some(end) }
}

/// *DIGIT, eight at a time.
#[inline(never)]
fn digits_end(text: &[u8], mut at: usize) -> usize {
    loop {
        let others = not_digit(eight(text, at));
        // a branch: the next word is read before the end of the digits in this one is known
        if others != 0 {
            return at.wrapping_add(bytes_below(others));
        }
        at = at.wrapping_add(8);
    }
}
