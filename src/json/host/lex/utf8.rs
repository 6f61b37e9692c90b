//! UTF-8, sixty-four bytes at a time: each byte is checked against the three before it. RFC 3629 §4.
//!
//! The three bytes before are loaded from the text again at offsets of one to three bytes, so no vector is carried from block to block. In
//! a vector of results only the highest bit of each byte counts.

use wide::u8x16;

use super::lanes::{LEN, splat};
use super::marks;

mod tables;

/// The number of bytes before a block that can belong to its first character: the longest character without its last byte.
pub(super) const BEFORE: usize = 3;

/// The bytes of a block, and the three bytes before it.
pub(super) type Near = [u8; BEFORE + LEN];

/// The result for one block. Each fault marks a byte, with bit 7 or with all bits; the other bytes are 0.
pub(super) struct Verdict {
    /// A byte does not fit the bytes before it. A character that continues after the block is not a fault.
    wrong: u8x16,
    /// One of the bytes is a control character.
    control: u8x16,
}

impl Verdict {
    /// Whether the block is UTF-8 without control characters.
    #[inline(always)]
    pub(super) fn is_clean(&self) -> bool {
        !marks::any(self.wrong | self.control)
    }

    #[inline(always)]
    pub(super) fn is_utf8(&self) -> bool {
        !marks::any(self.wrong)
    }
}

/// Checks a block.
#[inline(always)]
pub(super) fn check(near: &Near, quarters: [u8x16; 4]) -> Verdict {
    if marks::HAS_TABLES { tables::check(near, quarters) } else { by_arithmetic(near, quarters) }
}

/// Sixteen bytes from index `at` of `near` on.
#[inline(always)]
fn sixteen(near: &Near, at: usize) -> u8x16 {
    match near.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(bytes) => u8x16::new(*bytes),
        None => splat(0),
    }
}

#[expect(clippy::arithmetic_side_effects, reason = "the bytes of a vector wrap")]
#[inline(always)]
fn sum(a: u8x16, b: u8x16) -> u8x16 {
    a + b
}

/// UTF8-tail = %x80-BF: bit 7 and not bit 6.
#[inline(always)]
fn tail(bytes: u8x16) -> u8x16 {
    bytes & (sum(bytes, bytes) ^ splat(u8::MAX))
}

/// Sets bit 7 of the bytes from `first` to 0xFF. `first` is above 0x80.
#[inline(always)]
fn from(bytes: u8x16, first: u8) -> u8x16 {
    bytes.saturating_sub(splat(first.wrapping_sub(0x80)))
}

/// The number to add to the second byte of a character with the lead byte in `leads`. The addition keeps bit 7 if that second byte is
/// valid, and flips it if not.
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

#[inline(always)]
fn by_arithmetic(near: &Near, quarters: [u8x16; 4]) -> Verdict {
    let (mut wrong, mut no_c0_c1, mut most, mut least) = (splat(0), splat(u8::MAX), splat(0), splat(u8::MAX));
    for (bytes, quarter) in quarters.into_iter().zip([0usize, 16, 32, 48]) {
        let before_3 = sixteen(near, quarter);
        let before_2 = sixteen(near, quarter.wrapping_add(1));
        let before = sixteen(near, quarter.wrapping_add(2));
        // Up to the first fault, at most one of the bytes before requires a continuation byte here.
        let continues = from(before, 0xC0) ^ from(before_2, 0xE0) ^ from(before_3, 0xF0);
        wrong |= continues ^ tail(bytes);
        wrong |= sum(bytes, distance(before)) ^ bytes;
        // C0 and C1 become 0 and 1
        no_c0_c1 = no_c0_c1.min(bytes ^ splat(0xC0));
        most = most.max(bytes);
        least = least.min(bytes);
    }
    let overlong = no_c0_c1.cmp_eq(no_c0_c1.min(splat(1)));
    let control = least.cmp_eq(least.min(splat(0x1F)));
    let is_above = from(most, 0xF5);
    Verdict { wrong: (wrong | overlong | is_above) & splat(0x80), control }
}

/// The start of the character that the bytes before `at` begin, if it is incomplete at `at`; else `at`.
pub(super) fn boundary(text: &[u8], at: usize) -> usize {
    let byte = |back: usize| text.get(at.wrapping_sub(back)).copied().unwrap_or(0);
    match (1..=BEFORE).find(|back| byte(*back) >= 0xC0) {
        // the lead byte has one more leading one than continuation bytes follow
        Some(back) if byte(back).leading_ones() as usize > back => at.wrapping_sub(back),
        _ => at,
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test stops")]
mod tests {
    use super::{BEFORE, LEN, by_arithmetic, sixteen, tables};

    /// Four bytes in a row, of which the third and the fourth are one of each kind.
    #[test]
    fn tables_and_arithmetic_agree_on_any_bytes_in_a_row() {
        const KINDS: [u8; 10] = [0x1F, b'x', 0x80, 0x8F, 0x9F, 0xBF, 0xC2, 0xE1, 0xF1, 0xFF];
        let step = if cfg!(miri) { 31 } else { 1 };
        for first in (0..=u8::MAX).step_by(step) {
            for second in (0..=u8::MAX).step_by(step) {
                for third in KINDS {
                    let fourth = KINDS[usize::from(first ^ second ^ third) % KINDS.len()];
                    let mut near = [b'x'; BEFORE + LEN];
                    let at = BEFORE + usize::from(first ^ second) % (LEN - 4);
                    near[at..at + 4].copy_from_slice(&[first, second, third, fourth]);
                    let expected = core::str::from_utf8(&near).is_ok();
                    let quarters = [0, 16, 32, 48].map(|quarter| sixteen(&near, BEFORE + quarter));
                    let (plain, fast) = (by_arithmetic(&near, quarters), tables::check(&near, quarters));
                    assert_eq!((plain.is_utf8(), fast.is_utf8()), (expected, expected), "{:x?}", &near[at..at + 4]);
                    let control = near.iter().any(|byte| *byte < 0x20);
                    let clean = expected && !control;
                    assert_eq!((plain.is_clean(), fast.is_clean()), (clean, clean));
                }
            }
        }
    }
}
