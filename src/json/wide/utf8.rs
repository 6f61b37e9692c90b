//! UTF-8, sixty-four bytes at a time: each byte is judged by the three before it. RFC 3629 §4.
//!
//! The neighbours are loaded from the text once more, each a byte further on: cheaper than to move on what is known, and
//! no vector is carried from block to block. Of a vector of results only the highest bit of each byte counts.

use wide::{CmpLt, i8x16, u8x16};

use super::block::{self, LEN, Look};
use super::word::byte;

/// The longest character but for its last byte.
const BEFORE: usize = 3;

/// The bytes of a block, and those before it.
type Near = [u8; BEFORE + LEN];

/// unescaped = %x20-21 / %x23-5B / %x5D-10FFFF
///
/// Looks at those bytes of the block at `at` that are bits of `inside`: strings, of which `low` are control characters or not
/// ASCII. A character that goes on behind the block is judged there; returns whether there may be one, as 0 or 1.
#[inline(never)]
pub(super) fn characters(text: &[u8], at: usize, low: u64, inside: u64) -> Option<u64> {
    let not_ascii = block::read(text, at, |block| block.mask(|bytes| bytes));
    let is_valid = match text.get(at.wrapping_sub(BEFORE)..).and_then(|rest| rest.first_chunk()) {
        Some(near) if is_utf8(near) => true,
        _ => is_utf8_within(text, at, inside),
    };
    if low & !not_ascii == 0 && is_valid { Some(low >> 63) } else { None }
}

/// Whether those bytes of the block of `text` at `at` that are bits of `within` are valid together with those before it: near the
/// ends of the text, which reads as zeros beyond them, or where others may be wrong.
#[cold]
#[inline(never)]
fn is_utf8_within(text: &[u8], at: usize, within: u64) -> bool {
    let mut near = [0; BEFORE + LEN];
    let from = at.saturating_sub(BEFORE);
    let bytes = text.get(from..).unwrap_or_default();
    for (copy, byte) in near.iter_mut().skip(from.wrapping_add(BEFORE).wrapping_sub(at)).zip(bytes) {
        *copy = *byte;
    }
    if is_utf8(&near) {
        return true;
    }
    for (lane, byte) in near.iter_mut().skip(BEFORE).enumerate() {
        if within >> (lane & 63) & 1 == 0 {
            *byte = 0;
        }
    }
    is_utf8(&near)
}

/// Where the first block from `at` on is that is not all beyond ASCII, or not valid.
///
/// The byte before `at` is beyond ASCII, and all before are valid.
#[inline(never)]
pub(super) fn beyond_ascii(text: &[u8], mut at: usize) -> usize {
    while let Some(near) = text.get(at.wrapping_sub(BEFORE)..).and_then(|rest| rest.first_chunk()) {
        if !is_all_beyond_ascii(near) {
            break;
        }
        at = at.wrapping_add(LEN);
    }
    at
}

/// Where a character begins, at `at` or before it.
pub(super) fn character_near(text: &[u8], at: usize) -> usize {
    let lead = (1..=BEFORE).find(|back| byte(text, at.wrapping_sub(*back)) >= 0xC0);
    match lead {
        // as many bytes follow as there are ones behind the first one
        Some(back) if byte(text, at.wrapping_sub(back)).leading_ones() as usize > back => at.wrapping_sub(back),
        _ => at,
    }
}

#[inline(always)]
fn splat(byte: u8) -> u8x16 {
    u8x16::splat(byte)
}

/// Sixteen bytes, `at` from the first of those before the block.
#[inline(always)]
fn sixteen(near: &Near, at: usize) -> u8x16 {
    u8x16::new(near.get(at..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default())
}

#[expect(clippy::arithmetic_side_effects, reason = "the bytes of a vector wrap")]
#[inline(always)]
fn sum(a: u8x16, b: u8x16) -> u8x16 {
    a + b
}

/// UTF8-tail = %x80-BF
#[inline(always)]
fn tail(bytes: u8x16) -> u8x16 {
    let signed = i8x16::new(bytes.to_array().map(u8::cast_signed));
    u8x16::new(signed.cmp_lt(i8x16::splat(-64)).to_array().map(i8::cast_unsigned))
}

/// The bytes from `first` on up to 0xFF. `first` is above 0x80.
#[inline(always)]
fn from(bytes: u8x16, first: u8) -> u8x16 {
    bytes.saturating_sub(splat(first.wrapping_sub(0x80)))
}

/// What is to be added to the second byte of a character, the first one of which is in `leads`, so that its highest bit stays
/// if the two go together, and turns if not.
///
/// UTF8-3 = %xE0 %xA0-BF UTF8-tail / %xED %x80-9F UTF8-tail / …
/// UTF8-4 = %xF0 %x90-BF 2( UTF8-tail ) / %xF4 %x80-8F 2( UTF8-tail ) / …
#[inline(always)]
fn distance(leads: u8x16) -> u8x16 {
    // E0 and F0, and 60 of ED and 70 of F4
    let first = (leads & splat(0xEF)).cmp_eq(splat(0xE0));
    let last = leads.cmp_eq(splat(0xED)) | leads.cmp_eq(splat(0xF4));
    (first | last & splat(0x70)) & leads
}

/// Whether all are valid characters.
///
/// All are looked for, however long: nobody foresees which ones there are in a block of prose.
#[inline(always)]
fn is_utf8(near: &Near) -> bool {
    let (mut wrong, mut least, mut most) = (splat(0), splat(u8::MAX), splat(0));
    for quarter in [0usize, 16, 32, 48] {
        let bytes = sixteen(near, BEFORE.wrapping_add(quarter));
        let [before_3, before_2, before] = [0, 1, 2].map(|at| sixteen(near, quarter.wrapping_add(at)));
        // Up to where the first fault is, one alone of those before wants a byte to go on.
        let goes_on = from(before, 0xC0) ^ from(before_2, 0xE0) ^ from(before_3, 0xF0);
        wrong |= goes_on ^ tail(bytes);
        wrong |= sum(bytes, distance(before)) ^ bytes;
        // C0 and C1 become the least of all
        least = least.min(bytes ^ splat(0xC0));
        most = most.max(bytes);
    }
    let overlong = least.cmp_eq(least.min(splat(1)));
    (wrong | overlong | from(most, 0xF5)).move_mask() == 0
}

/// Whether all bytes of the block are beyond ASCII and valid. So is the byte before it.
///
/// Then two bits tell what a byte is, and all conditions can be one.
#[inline(always)]
fn is_all_beyond_ascii(near: &Near) -> bool {
    let (mut right, mut least) = (splat(u8::MAX), splat(u8::MAX));
    for quarter in [0usize, 16, 32, 48] {
        let bytes = sixteen(near, BEFORE.wrapping_add(quarter));
        let [before_3, before_2, before] = [0, 1, 2].map(|at| sixteen(near, quarter.wrapping_add(at)));
        let goes_on = from(before_2, 0xE0) ^ from(before_3, 0xF0);
        // either this byte begins a character, or another one wants it to go on
        let begins = before ^ bytes;
        let right_place = goes_on ^ sum(begins, begins);
        // F5 and above are moved beyond FF
        let moved = sum(bytes, distance(before).max(splat(0x0B)));
        right &= bytes & right_place & moved;
        least = least.min(bytes ^ splat(0xC0));
    }
    let fine = splat(u8::MAX) ^ least.cmp_eq(least.min(splat(1)));
    (right & fine).move_mask() == 0xFFFF
}
