//! Eight bytes at once, and single ones.

/// The byte at `at`; 0, which is valid nowhere, beyond the end.
#[inline(always)]
pub(super) fn byte(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or(0)
}

/// The eight bytes from `at` on, the first one lowest. Beyond its end the text reads as zeros.
#[inline(always)]
pub(super) fn eight(text: &[u8], at: usize) -> u64 {
    match text.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => last_eight(text, at),
    }
}

#[cold]
#[inline(never)]
fn last_eight(text: &[u8], at: usize) -> u64 {
    let rest = text.get(at..).unwrap_or_default();
    rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

const ONES: u64 = u64::MAX / 255;

const fn all(byte: u8) -> u64 {
    ONES.wrapping_mul(byte as u64)
}

/// Bit 7 of each byte of `word` that is quotation mark or backslash, right up to the lowest such byte.
#[inline(always)]
pub(in crate::json) const fn quote_or_backslash(word: u64) -> u64 {
    let quote = (word ^ all(b'"')).wrapping_sub(ONES) & !(word ^ all(b'"'));
    let backslash = (word ^ all(b'\\')).wrapping_sub(ONES) & !(word ^ all(b'\\'));
    (quote | backslash) & all(0x80)
}

/// Bit 7 of each byte of `word` that is quotation mark, backslash or control character, right up to the lowest such byte.
#[inline(always)]
pub(in crate::json) const fn needs_escape(word: u64) -> u64 {
    quote_or_backslash(word) | word.wrapping_sub(all(0x20)) & !word & all(0x80)
}

/// Bit 7 of each byte of `word` that is no digit.
#[inline(always)]
pub(super) const fn not_digit(word: u64) -> u64 {
    // digits become 0 to 9, to which 0x76 is added without reaching bit 7
    let digits = word ^ all(b'0');
    ((digits & all(0x7F)).wrapping_add(all(0x76)) | digits) & all(0x80)
}

/// How many bytes stand below the lowest bit of a mask with bits 7 alone; 8 if it is empty.
#[inline(always)]
pub(in crate::json) const fn bytes_below(mask: u64) -> usize {
    (mask.trailing_zeros() >> 3) as usize
}

/// The bits of `len` bytes.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a word has eight bytes")]
pub(super) const fn bits(len: usize) -> u32 {
    (len as u32).wrapping_shl(3)
}

/// A word of which the `len` lowest bytes are all ones, seven at most.
#[inline(always)]
pub(super) const fn ones(len: usize) -> u64 {
    1u64.wrapping_shl(bits(len)).wrapping_sub(1)
}

/// Whether `word` begins with `token`.
#[inline(always)]
pub(super) const fn begins_with<const N: usize>(word: u64, token: &[u8; N]) -> bool {
    let (mut known, mut rest) = (0, token.as_slice());
    while let [head @ .., last] = rest {
        known = known << 8 | *last as u64;
        rest = head;
    }
    // a shift by all 64 bits is none
    word & u64::MAX >> (64usize.wrapping_sub(N << 3) & 63) == known
}

/// The lowest byte of `word`.
#[inline(always)]
pub(super) const fn first(word: u64) -> u8 {
    let [first, ..] = word.to_le_bytes();
    first
}

/// `word` without its `len` lowest bytes.
#[inline(always)]
pub(super) const fn behind(word: u64, len: usize) -> u64 {
    word >> (len << 3 & 63)
}

/// Whether no byte of `text` is a backslash or beyond ASCII.
#[inline(always)]
pub(super) fn is_plain(text: &[u8]) -> bool {
    !has(text, backslash_or_not_ascii)
}

/// Whether a byte of `text` is a backslash.
#[inline(always)]
pub(in crate::json) fn has_backslash(text: &[u8]) -> bool {
    has(text, backslash)
}

/// Whether `find` finds a byte of `text`.
///
/// The last word overlaps others, which does no harm.
#[inline(always)]
fn has(text: &[u8], find: impl Fn(u64) -> u64) -> bool {
    let found = match (text.last_chunk(), text.first_chunk(), text.last_chunk(), text) {
        (Some(last), ..) => {
            let (mut rest, mut found) = (text, find(u64::from_le_bytes(*last)));
            while let Some((word, tail)) = rest.split_first_chunk() {
                found |= find(u64::from_le_bytes(*word));
                rest = tail;
            }
            found
        }
        (None, Some(start), Some(end), _) => {
            let (start, end) = (u32::from_le_bytes(*start), u32::from_le_bytes(*end));
            find(u64::from(start) | u64::from(end) << 32)
        }
        (.., short) => short.iter().fold(0, |found, byte| found | find(u64::from(*byte))),
    };
    found != 0
}

/// Bit 7 of each byte of `word` that is backslash or not ASCII, right up to the lowest such byte.
#[inline(always)]
const fn backslash_or_not_ascii(word: u64) -> u64 {
    backslash(word) | not_ascii(word)
}

/// Bit 7 of each byte of `word` that is not ASCII.
#[inline(always)]
pub(super) const fn not_ascii(word: u64) -> u64 {
    word & all(0x80)
}

/// Bit 7 of each byte of `word` that is backslash, right up to the lowest such byte.
#[inline(always)]
const fn backslash(word: u64) -> u64 {
    let other = word ^ all(b'\\');
    other.wrapping_sub(ONES) & !other & all(0x80)
}
