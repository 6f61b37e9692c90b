//! Reads of one, two and eight bytes, and bit tricks on words of eight bytes.

use ascii::{AsAsciiStr, AsciiStr};

/// The byte at `at`; past the end 0, which is valid nowhere in JSON.
#[inline(always)]
pub(in crate::json) fn byte(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or(0)
}

/// The `N` bytes from `at` on; `None` if fewer are left. This is one test if the caller has tested that `text` has `N` bytes, and otherwise
/// more tests than a slice and its first chunk.
#[inline(always)]
pub(in crate::json) fn chunk<const N: usize>(text: &[u8], at: usize) -> Option<&[u8; N]> {
    if text.len() < N || at > text.len().wrapping_sub(N) { None } else { text.get(at..)?.first_chunk() }
}

/// The eight bytes from `at` on, the first one lowest. Past the end the text reads as zeros.
#[inline(always)]
pub(in crate::json) fn eight(text: &[u8], at: usize) -> u64 {
    // two tests with different results: LLVM merges tests with equal results into one slower test
    let Some(rest) = text.get(at..) else { return 0 };
    match rest.first_chunk() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => last_eight(text, rest.len()),
    }
}

/// [`eight`] for an offset in a text that is known to have eight bytes.
#[inline(always)]
pub(in crate::json) fn eight_of_many(text: &[u8], at: usize) -> u64 {
    match chunk(text, at) {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => eight_before_end(text, at),
    }
}

/// [`eight`] for an offset in the text, often near its end. Near the end of eight bytes or more it has no branch, because a branch would be
/// mispredicted.
#[inline(always)]
pub(in crate::json) fn eight_before_end(text: &[u8], at: usize) -> u64 {
    debug_assert!(at <= text.len(), "an offset in the text");
    let Some(start) = text.len().checked_sub(8) else { return eight(text, at) };
    let start = start.min(at);
    // The distance is 0 to 8 bytes. A shift by all 64 bits is masked to none, so two half shifts do it.
    let half = at.wrapping_sub(start) << 2 & 63;
    eight(text, start) >> half >> half
}

/// The last bytes of `text`. `slice::last_chunk` links a panic at opt-level z.
#[inline(always)]
pub(in crate::json) fn last_chunk<const N: usize>(text: &[u8]) -> Option<&[u8; N]> {
    text.get(text.len().checked_sub(N)?..)?.first_chunk()
}

/// The last `left` bytes of `text`; `left` is less than eight.
#[inline(never)]
fn last_eight(text: &[u8], left: usize) -> u64 {
    match last_chunk(text) {
        Some(bytes) if left != 0 => behind(u64::from_le_bytes(*bytes), 8usize.wrapping_sub(left)),
        Some(_) => 0,
        None => {
            let (mut rest, mut word) = (text.get(text.len().wrapping_sub(left)..).unwrap_or_default(), 0);
            while let [before @ .., byte] = rest {
                word = word << 8 | u64::from(*byte);
                rest = before;
            }
            word
        }
    }
}

/// [`last_chunk`] to write to.
#[inline(always)]
pub(in crate::json) fn last_chunk_mut<const N: usize>(bytes: &mut [u8]) -> Option<&mut [u8; N]> {
    let start = bytes.len().checked_sub(N)?;
    bytes.get_mut(start..)?.first_chunk_mut()
}

const ONES: u64 = u64::MAX / 255;

/// A word of eight times the same byte.
pub(in crate::json) const fn all(byte: u8) -> u64 {
    ONES.wrapping_mul(byte as u64)
}

/// Bit 7 of each byte of `word` that is a quotation mark or a backslash. Only the lowest set bit is exact; bits above
/// it may be false.
#[inline(always)]
pub(in crate::json) const fn quote_or_backslash(word: u64) -> u64 {
    let quote = (word ^ all(b'"')).wrapping_sub(ONES) & !(word ^ all(b'"'));
    let backslash = (word ^ all(b'\\')).wrapping_sub(ONES) & !(word ^ all(b'\\'));
    (quote | backslash) & all(0x80)
}

/// Bit 7 of each byte of `word` that is a quotation mark, a backslash or a control character. Only the lowest set bit
/// is exact.
#[inline(always)]
pub(in crate::json) const fn needs_escape(word: u64) -> u64 {
    quote_or_backslash(word) | word.wrapping_sub(all(0x20)) & !word & all(0x80)
}

/// Bit 7 of each byte of `word` that is not a digit. Exact up to the first non-ASCII byte.
#[inline(always)]
pub(in crate::json) const fn not_digit(word: u64) -> u64 {
    // the exclusive or turns digits into 0 to 9; adding 0x76 to these leaves bit 7 clear, and an ASCII byte never carries
    let digits = word ^ all(b'0');
    (digits.wrapping_add(all(0x76)) | digits) & all(0x80)
}

/// The number of bytes below the lowest set bit of `mask`, which has only bits 7 of bytes; 8 if the mask is empty.
#[inline(always)]
pub(in crate::json) const fn bytes_below(mask: u64) -> usize {
    (mask.trailing_zeros() >> 3) as usize
}

/// The two bytes from `at` on, the first one lower. Past the end the text reads as zeros.
#[inline(always)]
pub(in crate::json) fn two(text: &[u8], at: usize) -> u16 {
    match chunk(text, at) {
        Some(bytes) => u16::from_le_bytes(*bytes),
        None => u16::from(byte(text, at)),
    }
}

/// Whether `word` begins with `token`.
#[inline(always)]
pub(in crate::json) const fn begins_with<const N: usize>(word: u64, token: &[u8; N]) -> bool {
    let (mut known, mut rest) = (0, token.as_slice());
    while let [head @ .., last] = rest {
        known = known << 8 | *last as u64;
        rest = head;
    }
    // a shift by 64 would be masked to a shift by 0
    word & u64::MAX >> (64usize.wrapping_sub(N << 3) & 63) == known
}

/// `word` without its `len` lowest bytes; `len` is less than 8. For 8 the result is `word`.
#[inline(always)]
pub(in crate::json) const fn behind(word: u64, len: usize) -> u64 {
    word >> (len << 3 & 63)
}

/// Whether a byte of `text` is a backslash.
#[inline(always)]
pub(in crate::json) fn has_backslash(text: &[u8]) -> bool {
    has(text, backslash)
}

/// Whether `find` returns a bit for some byte of `text`.
///
/// The last word may overlap the words before it; testing a byte twice changes nothing.
#[inline(always)]
fn has(text: &[u8], find: impl Fn(u64) -> u64) -> bool {
    let found = match (last_chunk(text), text.first_chunk(), last_chunk(text), text) {
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

/// Bit 7 of each byte of `word` that is a backslash. Only the lowest set bit is exact.
#[inline(always)]
const fn backslash(word: u64) -> u64 {
    let other = word ^ all(b'\\');
    other.wrapping_sub(ONES) & !other & all(0x80)
}

/// `text` if it is ASCII.
#[inline(always)]
pub(in crate::json) fn ascii_str(text: &[u8]) -> Option<&str> {
    text.as_ascii_str().ok().map(AsciiStr::as_str)
}
