//! Finds the marked lanes as bits of a mask, which SSE2 makes of sixteen lanes in one instruction.

use wide::u8x16;

#[inline(always)]
fn bits(marks: u8x16) -> u64 {
    u64::from(marks.move_mask().cast_unsigned())
}

/// Whether any lane is marked.
#[inline(always)]
pub(in crate::json::host::lex) fn any(marks: u8x16) -> bool {
    bits(marks) != 0
}

/// The first marked lane; 16 or more if there is none.
#[inline(always)]
pub(in crate::json::host::lex) fn first(marks: u8x16) -> usize {
    bits(marks).trailing_zeros() as usize
}

/// The distance from `lane` to the first marked lane at or after it; the distance to the end if there is none.
#[inline(always)]
pub(in crate::json::host::lex) fn first_from(marks: u8x16, lane: u32) -> usize {
    (bits(marks) | 1 << 16).wrapping_shr(lane).trailing_zeros() as usize
}

/// A bit for each of sixty-four lanes.
#[inline(always)]
pub(in crate::json::host::lex) fn mask([a, b, c, d]: [u8x16; 4]) -> u64 {
    let low = bits(a) | bits(b) << 16;
    let high = bits(c) | bits(d) << 16;
    low | high << 32
}

/// Two masks.
#[inline(always)]
pub(in crate::json::host::lex) fn masks(first: [u8x16; 4], second: [u8x16; 4]) -> [u64; 2] {
    [mask(first), mask(second)]
}
