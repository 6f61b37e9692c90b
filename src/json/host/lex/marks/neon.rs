//! Finds the marked lanes on 64-bit ARM, which has no instruction that makes a mask.

use bytemuck::cast;
use wide::{i8x16, i16x8, u8x16};

/// Whether any lane is marked.
#[inline(always)]
pub(in crate::json::host::lex) fn any(marks: u8x16) -> bool {
    narrow(marks) != 0
}

/// The first marked lane; 16 if there is none.
#[inline(always)]
pub(in crate::json::host::lex) fn first(marks: u8x16) -> usize {
    (narrow(marks).trailing_zeros() >> 2) as usize
}

/// The distance from `lane` to the first marked lane at or after it; the distance to the end if there is none.
#[inline(always)]
pub(in crate::json::host::lex) fn first_from(marks: u8x16, lane: u32) -> usize {
    const OUTER: u64 = 0x8181_8181_8181_8181;
    match (narrow(marks) & OUTER).checked_shr(lane << 2) {
        None | Some(0) => 16usize.wrapping_sub(lane as usize),
        Some(lanes) => (lanes.trailing_zeros() >> 2) as usize,
    }
}

/// Four bits for each lane. If the lane is marked, at least the outer one is set: the lowest of an even lane, the highest of an odd lane.
/// The lowest set bit always belongs to the first marked lane. The inner bits are arbitrary.
///
/// Narrows each pair of lanes to a signed byte: 0 if neither is marked; 255, saturated to 0x7F, for the first; -256, saturated to 0x80, for
/// the second; -1 for both.
#[inline(always)]
fn narrow(marks: u8x16) -> u64 {
    let pairs: i16x8 = cast(marks);
    let [lanes, _]: [u64; 2] = cast(i8x16::from_i16x16_saturate(cast([pairs, pairs])));
    lanes
}

/// A bit for each of sixty-four lanes.
#[inline(always)]
pub(in crate::json::host::lex) fn mask(marks: [u8x16; 4]) -> u64 {
    let [mask, _] = masks(marks, [u8x16::splat(0); 4]);
    mask
}

/// Two masks in few more instructions than one.
#[inline(always)]
pub(in crate::json::host::lex) fn masks(first: [u8x16; 4], second: [u8x16; 4]) -> [u64; 2] {
    cast(sums(nibbles(first), nibbles(second)))
}

/// Four bits in each lane of the result, one for each of four lanes of the input.
#[inline(always)]
fn nibbles([a, b, c, d]: [u8x16; 4]) -> u8x16 {
    sums(sums(bit(a), bit(b)), sums(bit(c), bit(d)))
}

/// A different bit in each of eight neighbouring marked lanes.
///
/// Does not use `&`: LLVM would then know that the lanes share no bit, turn their sum into a bitwise or, and find no instruction for
/// [`sums`].
#[inline(always)]
fn bit(marks: u8x16) -> u8x16 {
    marks.min(u8x16::new([1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128]))
}

/// The sums of neighbouring lanes. LLVM compiles this sum of even and odd lanes to one instruction, `addp`.
#[inline(always)]
#[expect(clippy::arithmetic_side_effects, reason = "lanes wrap")]
fn sums(low: u8x16, high: u8x16) -> u8x16 {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = low.to_array();
    let [q, r, s, t, u, v, w, x, y, z, aa, bb, cc, dd, ee, ff] = high.to_array();
    u8x16::new([a, c, e, g, i, k, m, o, q, s, u, w, y, aa, cc, ee])
        + u8x16::new([b, d, f, h, j, l, n, p, r, t, v, x, z, bb, dd, ff])
}
