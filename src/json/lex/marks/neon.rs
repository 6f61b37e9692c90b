//! Where the marked lanes are, on 64-bit ARM, which has no instruction that makes a mask.

use bytemuck::cast;
use wide::{i8x16, i16x8, u8x16};

/// Whether any lane is marked.
#[inline(always)]
pub(in crate::json::lex) fn any(marks: u8x16) -> bool {
    narrow(marks) != 0
}

/// The first marked lane; 16 if there is none.
#[inline(always)]
pub(in crate::json::lex) fn first(marks: u8x16) -> usize {
    (narrow(marks).trailing_zeros() >> 2) as usize
}

/// How far the first marked lane from `lane` on is from that, or the end if there is none.
#[inline(always)]
pub(in crate::json::lex) fn first_from(marks: u8x16, lane: u32) -> usize {
    const OUTER: u64 = 0x8181_8181_8181_8181;
    match (narrow(marks) & OUTER).checked_shr(lane << 2) {
        None | Some(0) => 16usize.wrapping_sub(lane as usize),
        Some(lanes) => (lanes.trailing_zeros() >> 2) as usize,
    }
}

/// Four bits a lane, of which at least the outer one is set if the lane is marked: the lowest of an even lane, the highest of an
/// odd one. No other bit is outside of these four if the lane is the first one that is marked.
///
/// Pairs of lanes become signed bytes: neither marked is 0, the first one is 255 and saturates to 0x7F, the second one is -256 and
/// saturates to 0x80, both are -1.
#[inline(always)]
fn narrow(marks: u8x16) -> u64 {
    let pairs: i16x8 = cast(marks);
    let [lanes, _]: [u64; 2] = cast(i8x16::from_i16x16_saturate(cast([pairs, pairs])));
    lanes
}

/// A bit for each of sixty-four lanes.
#[inline(always)]
pub(in crate::json::lex) fn mask(marks: [u8x16; 4]) -> u64 {
    let [mask, _] = masks(marks, [u8x16::splat(0); 4]);
    mask
}

/// Two masks, for little more than one.
#[inline(always)]
pub(in crate::json::lex) fn masks(first: [u8x16; 4], second: [u8x16; 4]) -> [u64; 2] {
    cast(sums(nibbles(first), nibbles(second)))
}

/// Four bits in each lane, for as many lanes.
#[inline(always)]
fn nibbles([a, b, c, d]: [u8x16; 4]) -> u8x16 {
    sums(sums(bit(a), bit(b)), sums(bit(c), bit(d)))
}

/// A bit of its own in each of eight marked lanes.
///
/// Not by `&`, after which LLVM knows that the lanes have no bit in common, makes their sum a bitwise or, and finds no instruction
/// for [`sums`].
#[inline(always)]
fn bit(marks: u8x16) -> u8x16 {
    marks.min(u8x16::new([1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128]))
}

/// The sums of neighbouring lanes: one instruction, `addp`, which LLVM finds in this sum of even and odd lanes.
#[inline(always)]
#[expect(clippy::arithmetic_side_effects, reason = "lanes wrap")]
fn sums(low: u8x16, high: u8x16) -> u8x16 {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = low.to_array();
    let [q, r, s, t, u, v, w, x, y, z, aa, bb, cc, dd, ee, ff] = high.to_array();
    u8x16::new([a, c, e, g, i, k, m, o, q, s, u, w, y, aa, cc, ee])
        + u8x16::new([b, d, f, h, j, l, n, p, r, t, v, x, z, bb, dd, ff])
}
