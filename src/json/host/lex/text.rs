//! Strings that are long, escaped or not ASCII: sixty-four bytes at a time, with one check for all escapes and characters of a block.
//!
//! A block passes one bit to the next: whether its last byte is a backslash that escapes the next byte. A longer escape across the end of a
//! block is read at once. The bytes of a character are checked against the bytes before the block. So blocks are sixty-four bytes apart,
//! and the processor loads the next block before it has finished this one.

use super::lanes::{Block, LEN, control, control_or_not_ascii, equal, padded, small};
use super::utf8::{self, Near};
use crate::json::host::word::{behind, byte, eight, last_chunk};

/// Finds the closing quotation mark of a string; `at` is the start of one of its characters. The error is the start of a character; the
/// string is valid before it.
#[inline(never)]
pub(super) fn closing_quote(text: &[u8], at: usize) -> Result<usize, usize> {
    debug_assert!(at >= utf8::BEFORE, "escapes or characters stand before it");
    // the text that begins three bytes before the next block
    let mut rest = text.get(at.wrapping_sub(utf8::BEFORE)..).unwrap_or_default();
    let offset = |rest: &[u8]| text.len().wrapping_sub(rest.len()).wrapping_add(utf8::BEFORE);
    let mut first = 0;
    loop {
        // this loop calls no function, so that its constants stay in registers
        let read = loop {
            let Some(near) = rest.first_chunk() else { return last(text, offset(rest), first) };
            let Some(read) = step(near, 0, first) else { return Err(boundary(text, offset(rest), first)) };
            if read.closing | read.rare != 0 {
                break read;
            }
            (rest, first) = (rest.get(LEN..).unwrap_or_default(), read.escapes_next);
        };
        let at = offset(rest);
        let Some((len, escapes_next)) = read.end(text, at) else { return Err(boundary(text, at, first)) };
        if read.closing != 0 {
            return Ok(at.wrapping_add(len));
        }
        (rest, first) = (rest.get(len..).unwrap_or_default(), escapes_next);
    }
}

/// The start of the character or escape at `at`, which may lie before `at`. If `first` is 1, the byte before `at` is a backslash.
#[cold]
fn boundary(text: &[u8], at: usize, first: u64) -> usize {
    utf8::boundary(text, if first == 0 { at } else { at.wrapping_sub(1) })
}

/// [`closing_quote`] in the last bytes of `text`, fewer than a block.
#[inline(never)]
fn last(text: &[u8], at: usize, first: u64) -> Result<usize, usize> {
    let left = text.len().saturating_sub(at);
    debug_assert!(left < LEN, "a whole block is read by the caller");
    let read = match last_chunk(text) {
        // a shift by the whole block is not possible
        _ if left == 0 => None,
        // the block that ends with the text; its first bytes have been read before
        Some(near) => step(near, small(LEN.wrapping_sub(left)), first),
        None => step(&padded(text.get(at.wrapping_sub(utf8::BEFORE)..).unwrap_or_default()), 0, first),
    };
    match read.and_then(|read| if read.closing == 0 { None } else { read.end(text, at) }) {
        Some((len, _)) => Ok(at.wrapping_add(len)),
        None => Err(boundary(text, at, first)),
    }
}

/// A block whose characters and frequent escapes are valid.
struct Read {
    /// The quotation marks that are not escaped; the lowest one ends the string.
    closing: u64,
    /// The second bytes of the rare escapes in the string, still to be read.
    rare: u64,
    /// 1 if the byte after the block is escaped, else 0.
    escapes_next: u64,
}

impl Read {
    /// Reads the rare escapes of the block at `at`. `None` if one is not valid.
    ///
    /// Returns the number of bytes before the closing quotation mark, or, without one, up to the end of the block or of an escape across it.
    /// The second number is 1 if the byte there is escaped, else 0.
    #[inline(always)]
    fn end(&self, text: &[u8], at: usize) -> Option<(usize, u64)> {
        let read = if self.rare == 0 { 0 } else { escapes(text, at, self.rare)? };
        Some(match self.closing {
            0 if read > LEN => (read, 0),
            0 => (LEN, self.escapes_next),
            closing => (closing.trailing_zeros() as usize, 0),
        })
    }
}

/// Reads a block without its first `read` bytes, which have been read before. `first`: 1 if the first byte is escaped, else 0. `None` if not
/// valid.
#[inline(always)]
fn step(near: &Near, read: u32, first: u64) -> Option<Read> {
    let [_, _, before, bytes @ ..] = near;
    let block = Block::new(bytes).behind(read);
    // a character of the block before may continue in this one
    let is_odd = block.any(control_or_not_ascii) | (*before >= 0x80);
    let [quote, backslash] = block.masks(|bytes| equal(bytes, b'"'), |bytes| equal(bytes, b'\\'));
    let (mut closing, mut rare, mut escapes_next) = (quote, 0, 0);
    if backslash | first != 0 {
        let escaped = escaped(backslash, first);
        closing &= !escaped;
        escapes_next = (backslash & !escaped) >> 63;
        // the other escapes are rare, so they are checked one by one, those with digits by the caller
        let frequent = block.mask(|bytes| equal(bytes, b'n') | equal(bytes, b't'));
        rare = escaped & !(frequent | quote | backslash) & below(closing);
        while rare != 0 && is_short_escape(near, read, rare) {
            rare &= rare.wrapping_sub(1);
        }
    }
    if is_odd && !characters(near, block, below(closing)) {
        return None;
    }
    Some(Read { closing, rare, escapes_next })
}

/// Whether the lowest of the bits `rare` is the second byte of an escape of two bytes.
#[inline(always)]
fn is_short_escape(near: &Near, read: u32, rare: u64) -> bool {
    let at = utf8::BEFORE.wrapping_add(read.wrapping_add(rare.trailing_zeros()) as usize);
    near.get(at).is_some_and(|second| is_short(*second))
}

/// The bits below the lowest set bit of `mask`; all bits if `mask` is empty.
#[inline(always)]
const fn below(mask: u64) -> u64 {
    mask.wrapping_sub(1) & !mask
}

/// Whether the block is UTF-8 and has no control characters in the bits `inside`. The UTF-8 check includes the bytes after the string,
/// because a valid text is UTF-8 there, too.
#[inline(always)]
fn characters(near: &Near, block: Block, inside: u64) -> bool {
    let verdict = utf8::check(near, block.quarters);
    verdict.is_clean() || verdict.is_utf8() && block.mask(control) & inside == 0
}

/// The bytes after each backslash that is not itself escaped. `first` is 1 if the first byte is escaped, else 0.
#[inline(always)]
pub(super) fn escaped(backslash: u64, first: u64) -> u64 {
    // In a run of backslashes every other one escapes. A subtraction borrows through each run; the bit at which the borrow stops shows
    // whether the run began on an odd bit.
    const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    let escaping = backslash & !first;
    let stops = (escaping << 1 | ODD).wrapping_sub(escaping) ^ ODD;
    stops ^ (backslash | first)
}

/// Validates the escapes whose second bytes are the bits `escaped` of the block at `at`. Returns the end of the last one, counted from
/// `at`.
#[inline(never)]
fn escapes(text: &[u8], at: usize, mut escaped: u64) -> Option<usize> {
    let mut read = at;
    while escaped != 0 {
        let second = at.wrapping_add(escaped.trailing_zeros() as usize);
        escaped &= escaped.wrapping_sub(1);
        // skip the low half of a surrogate pair, which was read with the high half
        if second >= read {
            read = escape(text, second)?;
        }
    }
    Some(read.wrapping_sub(at))
}

/// UTF8-2 / UTF8-3 / UTF8-4: the end of the character at `at`. RFC 3629 §4.
#[inline(always)]
pub(super) fn character(text: &[u8], at: usize) -> Option<usize> {
    let word = eight(text, at);
    let [first, ..] = word.to_le_bytes();
    // first the bits that identify a lead byte and its continuation bytes, then those that show a code point out of range
    let len = if word & 0xC0E0 == 0x80C0 && first >= 0xC2 {
        2
    } else if word & 0x00C0_C0F0 == 0x0080_80E0 && !matches!(word & 0x200F, 0x0000 | 0x200D) {
        3
    } else if word & 0xC0C0_C0F8 == 0x8080_80F0 && matches!(word << 2 & 0x1C | word >> 12 & 3, 1..=16) {
        4
    } else {
        return None;
    };
    Some(at.wrapping_add(len))
}

/// The end of the escapes that follow one another from the backslash at `at` on, as in text without Latin letters. Stops where most of them
/// have two bytes, because [`closing_quote`] reads these faster.
#[inline(always)]
pub(super) fn consecutive_escapes(text: &[u8], mut at: usize) -> Option<usize> {
    // at least four bytes on average, after the first few
    let mut enough = at;
    loop {
        at = escape(text, at.wrapping_add(1))?;
        if byte(text, at) != b'\\' || at < enough {
            return Some(at);
        }
        enough = enough.wrapping_add(4);
    }
}

/// The end of the escape whose second byte is at `second`. A surrogate pair counts as one escape.
#[inline(always)]
pub(super) fn escape(text: &[u8], second: usize) -> Option<usize> {
    match byte(text, second) {
        letter if is_short(letter) => Some(second.wrapping_add(1)),
        b'u' => {
            let high = eight(text, second.wrapping_add(1));
            if !are_four_digits(high) {
                return None;
            }
            // a surrogate must be a high one followed by a low one
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

/// Whether `second` is the second byte of an escape of two bytes.
#[inline(always)]
const fn is_short(second: u8) -> bool {
    matches!(second, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
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

/// The half of a surrogate pair that the first four hexadecimal digits of `word` spell: D800 to DBFF, or DC00 to DFFF.
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
