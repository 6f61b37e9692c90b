//! Eight bytes at once, and single ones: for the short runs that an envelope is made of.

/// The byte at `at`; 0, which is valid nowhere, beyond the end.
#[inline(always)]
pub(super) fn byte(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or(0)
}

/// The two bytes from `at` on, or zeros.
#[inline(always)]
pub(super) fn two(text: &[u8], at: usize) -> [u8; 2] {
    text.get(at..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default()
}

/// The four bytes from `at` on, or zeros.
#[inline(always)]
pub(super) fn four(text: &[u8], at: usize) -> [u8; 4] {
    text.get(at..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default()
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

/// Bit 7 of each byte of `word` that is quotation mark, backslash, control or not ASCII, right up to the lowest such
/// byte. Bits above it mean nothing, because a borrow runs upwards.
#[inline(always)]
pub(super) const fn special(word: u64) -> u64 {
    let quote = (word ^ all(b'"')).wrapping_sub(ONES);
    let backslash = (word ^ all(b'\\')).wrapping_sub(ONES);
    let control = word.wrapping_sub(all(0x20));
    (word | quote | backslash | control) & all(0x80)
}

/// The same for quotation marks and backslashes alone.
#[inline(always)]
pub(super) const fn quote_or_backslash(word: u64) -> u64 {
    let quote = (word ^ all(b'"')).wrapping_sub(ONES) & !(word ^ all(b'"'));
    let backslash = (word ^ all(b'\\')).wrapping_sub(ONES) & !(word ^ all(b'\\'));
    (quote | backslash) & all(0x80)
}

/// How many bytes stand below the lowest bit of a mask with bits 7 alone; 8 if it is empty.
#[inline(always)]
pub(super) const fn bytes_below(mask: u64) -> usize {
    (mask.trailing_zeros() >> 3) as usize
}

/// Where the run of blanks that begins at `at` ends.
#[inline(always)]
fn blanks(text: &[u8], mut at: usize) -> usize {
    loop {
        let other = eight(text, at) ^ all(b' ');
        if other != 0 {
            return at.wrapping_add(bytes_below(other));
        }
        at = at.wrapping_add(8);
    }
}

/// ws = *( %x20 / %x09 / %x0A / %x0D )
///
/// Mostly there is none, or one blank.
#[inline(always)]
pub(super) fn white_space(text: &[u8], at: usize) -> usize {
    if byte(text, at) > b' ' {
        return at;
    }
    let next = at.wrapping_add(1);
    if byte(text, at) == b' ' && byte(text, next) > b' ' {
        return next;
    }
    long_white_space(text, at)
}

/// Lines and their indents.
#[inline(never)]
pub(super) fn long_white_space(text: &[u8], mut at: usize) -> usize {
    while matches!(byte(text, at), b' ' | b'\t' | b'\n' | b'\r') {
        at = blanks(text, at.wrapping_add(1));
    }
    at
}

/// Where the next special byte of a string is, from `at` on.
#[inline(always)]
pub(super) fn find_special(text: &[u8], mut at: usize) -> usize {
    loop {
        let special = special(eight(text, at));
        if special != 0 {
            return at.wrapping_add(bytes_below(special));
        }
        at = at.wrapping_add(8);
    }
}
