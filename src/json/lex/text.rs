//! Strings that are long, escaped or not ASCII: sixty-four bytes at a time, and one check for every escape and character.
//!
//! A block leaves nothing behind for the next but its offset: an escape that a block does not hold whole is read at once, and the bytes of
//! a character are checked against those before the block.

use super::lanes::{Block, LEN, control, control_or_not_ascii, equal, small};
use super::utf8::{self, Near};
use crate::json::word::{behind, byte, eight};

/// The closing quotation mark of the string of which `at` is the beginning of a character. If it is not valid, the beginning of a
/// character up to which it is.
#[inline(never)]
pub(super) fn closing_quote(text: &[u8], mut at: usize) -> Result<usize, usize> {
    debug_assert!(at >= utf8::BEFORE, "escapes or characters stand before it");
    while let Some(near) = text.get(at.wrapping_sub(utf8::BEFORE)..).and_then(|rest| rest.first_chunk()) {
        match step(text, at, near, u64::MAX) {
            Some(Step::Ended(len)) => return Ok(at.wrapping_add(len)),
            Some(Step::Read(len)) => at = at.wrapping_add(len),
            None => return Err(utf8::boundary(text, at)),
        }
    }
    last(text, at)
}

/// The same in the last bytes of `text`, behind which there are zeros.
#[inline(never)]
fn last(text: &[u8], at: usize) -> Result<usize, usize> {
    let mut near = [0; utf8::BEFORE + LEN];
    for (copy, byte) in near.iter_mut().zip(text.get(at.wrapping_sub(utf8::BEFORE)..).unwrap_or_default()) {
        *copy = *byte;
    }
    let left = text.len().saturating_sub(at);
    let within = u64::MAX.checked_shl(small(left)).map_or(u64::MAX, |behind| !behind);
    match step(text, at, &near, within) {
        Some(Step::Ended(len)) => Ok(at.wrapping_add(len)),
        _ => Err(utf8::boundary(text, at)),
    }
}

/// The bytes of a block that were read, up to the closing quotation mark or up to where no escape is under way.
enum Step {
    Ended(usize),
    Read(usize),
}

/// Reads the block at `at`, of which the bits `within` are in the text; `None` if a character is not valid.
#[inline(always)]
fn step(text: &[u8], at: usize, near: &Near, within: u64) -> Option<Step> {
    let [_, _, before, bytes @ ..] = near;
    let block = Block::new(bytes);
    // a character that began in the block before may go on in this one
    let is_odd = block.any(control_or_not_ascii) | (*before >= 0x80);
    let [quote, backslash] = block.masks(|bytes| equal(bytes, b'"'), |bytes| equal(bytes, b'\\'));
    let escaped = escaped(backslash);
    let closing = quote & !escaped & within;
    // the bits before the closing quotation mark
    let inside = closing.wrapping_sub(1) & !closing & within;
    let mut len = LEN;
    if backslash & inside != 0 {
        // a backslash in the last byte escapes the first one of the next block
        len = LEN.wrapping_sub(usize::from(backslash & !escaped & 1 << 63 != 0));
        // the most frequent ones
        let letters = block.mask(|bytes| equal(bytes, b'n') | equal(bytes, b't')) | quote | backslash;
        let rare = escaped & inside & !letters;
        if rare != 0 {
            len = len.max(escapes(text, at, rare)?);
        }
    }
    if is_odd && !characters(near, inside) {
        return None;
    }
    Some(if closing == 0 { Step::Read(len) } else { Step::Ended(closing.trailing_zeros() as usize) })
}

/// Whether the bits `inside` of a block are no control characters, and its bytes are UTF-8. Bytes behind the string count, too: they
/// are in a valid text.
#[inline(always)]
fn characters(near: &Near, inside: u64) -> bool {
    let verdict = utf8::check(near);
    verdict.is_utf8 && !(verdict.has_control && has_control(near, inside))
}

#[inline(never)]
fn has_control(near: &Near, inside: u64) -> bool {
    let [_, _, _, bytes @ ..] = near;
    Block::new(bytes).mask(control) & inside != 0
}

/// The bytes behind a backslash that is not itself escaped.
#[inline(always)]
pub(super) fn escaped(backslash: u64) -> u64 {
    let behind = backslash << 1;
    if backslash & behind == 0 {
        return behind;
    }
    // Runs of backslashes: every other one escapes. A subtraction borrows through each run, and where it stops tells
    // whether the run began on an odd bit.
    const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    let stops = (behind | ODD).wrapping_sub(backslash) ^ ODD;
    stops ^ backslash
}

/// Validates the escapes whose second bytes are the bits `escaped` of the block at `at`. Returns how far behind `at` the last one ends.
#[inline(never)]
fn escapes(text: &[u8], at: usize, mut escaped: u64) -> Option<usize> {
    let mut read = at;
    while escaped != 0 {
        let second = at.wrapping_add(escaped.trailing_zeros() as usize);
        escaped &= escaped.wrapping_sub(1);
        // the low half of a surrogate pair is read with the high one
        if second >= read {
            read = escape(text, second)?;
        }
    }
    Some(read.wrapping_sub(at))
}

/// Where the escape ends whose second byte is at `second`, with the low half of a surrogate pair.
#[inline(always)]
pub(super) fn escape(text: &[u8], second: usize) -> Option<usize> {
    match byte(text, second) {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(second.wrapping_add(1)),
        b'u' => {
            let high = eight(text, second.wrapping_add(1));
            if !are_four_digits(high) {
                return None;
            }
            // a high half wants a low one behind it
            let Some(half) = half(high) else { return Some(second.wrapping_add(5)) };
            let next = eight(text, second.wrapping_add(5));
            let low = behind(next, 2);
            let is_pair = half == Half::High
                && next & 0xFFFF == BACKSLASH_U
                && are_four_digits(low)
                && matches!(self::half(low), Some(Half::Low));
            if is_pair { Some(second.wrapping_add(11)) } else { None }
        }
        _ => None,
    }
}

const BACKSLASH_U: u64 = u16::from_le_bytes(*b"\\u") as u64;

/// 4HEXDIG: whether the first four bytes of `word` are hexadecimal digits.
#[inline(always)]
const fn are_four_digits(word: u64) -> bool {
    const fn all(byte: u8) -> u64 {
        (byte as u64).wrapping_mul(0x0101_0101)
    }
    let word = word & 0xFFFF_FFFF;
    // a digit becomes 0 to 9, a letter of either case 1 to 6
    let digit = word ^ all(b'0');
    let letter = (word | all(0x20)) ^ all(0x60);
    let no_digit = (digit & all(0x7F)).wrapping_add(all(0x76)) | digit;
    let no_letter = (letter & all(0x7F)).wrapping_add(all(0x79)) | !letter.wrapping_add(all(0x7F)) | letter;
    no_digit & no_letter & all(0x80) == 0
}

/// Half of a surrogate pair.
#[derive(PartialEq, Eq)]
enum Half {
    High,
    Low,
}

/// The half that the four hexadecimal digits at the front of `word` spell: D800 to DBFF, or DC00 to DFFF.
#[inline(always)]
const fn half(word: u64) -> Option<Half> {
    let [first, second, ..] = word.to_le_bytes();
    if first | 0x20 != b'd' {
        return None;
    }
    match second | 0x20 {
        b'8' | b'9' | b'a' | b'b' => Some(Half::High),
        b'c'..=b'f' => Some(Half::Low),
        _ => None,
    }
}
