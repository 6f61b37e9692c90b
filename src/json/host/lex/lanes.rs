//! Sixty-four bytes at once: a mask with one bit for each byte, the first byte in the lowest bit.
//!
//! Uses only operations that `wide` compiles to one instruction. A function that makes masks is not inlined into branches and does not
//! branch between a comparison and its mask: otherwise LLVM separates the two and gathers the bits byte by byte. Does not use `array::map`:
//! whether the compiler inlines it depends on the build profile.

use bytemuck::cast;
use wide::{CmpGt, CmpLt, i8x16, u8x16};

use super::marks;
use crate::json::host::word::{chunk, last_chunk};

/// The bytes in a block.
pub(super) const LEN: usize = 64;

/// Sixty-four bytes of a text. Near the end of the text, some bytes are from before the requested offset, or are in both halves.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) quarters: [u8x16; 4],
    /// The distance from the first half to the second, in bytes of the text.
    apart: u32,
    /// The distance from the first half to the requested offset.
    before: u32,
}

impl Block {
    #[inline(always)]
    pub(super) fn new(bytes: &[u8; LEN]) -> Self {
        Self { quarters: cast(*bytes), apart: 32, before: 0 }
    }

    /// The block from the byte `before` on.
    #[inline(always)]
    pub(super) const fn behind(self, before: u32) -> Self {
        Self { before, ..self }
    }

    /// A bit for each byte that `is` marks; 0 for the bytes past the end of the text.
    #[inline(always)]
    pub(super) fn mask(self, is: impl Fn(u8x16) -> u8x16) -> u64 {
        let [a, b, c, d] = self.quarters;
        self.placed(marks::mask([is(a), is(b), is(c), is(d)]))
    }

    /// Two masks at once, in fewer instructions than two calls of [`mask`](Self::mask).
    #[inline(always)]
    pub(super) fn masks(self, is: impl Fn(u8x16) -> u8x16, or: impl Fn(u8x16) -> u8x16) -> [u64; 2] {
        let [a, b, c, d] = self.quarters;
        let [first, second] = marks::masks([is(a), is(b), is(c), is(d)], [or(a), or(b), or(c), or(d)]);
        [self.placed(first), self.placed(second)]
    }

    /// Moves the bits of the lanes to the positions of their bytes, counted from the requested offset.
    #[inline(always)]
    fn placed(self, lanes: u64) -> u64 {
        let (low, high) = (lanes & u64::MAX >> 32, lanes >> 32);
        (low | high << (self.apart & 63)) >> (self.before & 63)
    }

    /// Whether `is` marks any byte, including those before the requested offset.
    #[inline(always)]
    pub(super) fn any(self, is: impl Fn(u8x16) -> u8x16) -> bool {
        let [a, b, c, d] = self.quarters;
        marks::any(is(a) | is(b) | is(c) | is(d))
    }

    /// The bytes that are `byte`.
    #[inline(always)]
    pub(super) fn equal(self, byte: u8) -> u64 {
        self.mask(|bytes| equal(bytes, byte))
    }
}

#[inline(always)]
pub(super) fn splat(byte: u8) -> u8x16 {
    u8x16::splat(byte)
}

#[inline(always)]
pub(super) fn equal(bytes: u8x16, byte: u8) -> u8x16 {
    bytes.cmp_eq(splat(byte))
}

/// %x00-1F and %x80-FF; the latter are negative as signed bytes.
#[inline(always)]
pub(super) fn control_or_not_ascii(bytes: u8x16) -> u8x16 {
    let bytes: i8x16 = cast(bytes);
    cast(bytes.cmp_lt(i8x16::splat(0x20)))
}

/// %x00-1F
#[inline(always)]
pub(super) fn control(bytes: u8x16) -> u8x16 {
    bytes.min(splat(0x1F)).cmp_eq(bytes)
}

/// The bytes that end a run of plain bytes in a string: quotation mark, backslash, control or not ASCII.
#[inline(always)]
pub(super) fn special(bytes: u8x16) -> u8x16 {
    equal(bytes, b'"') | equal(bytes, b'\\') | control_or_not_ascii(bytes)
}

/// All bytes except digits; the sum turns digits into the ten lowest signed bytes.
#[inline(always)]
#[expect(clippy::arithmetic_side_effects, reason = "lanes wrap")]
pub(super) fn not_digit(bytes: u8x16) -> u8x16 {
    let lowest: i8x16 = cast(bytes + splat(0x80 - b'0'));
    cast(lowest.cmp_gt(i8x16::splat(i8::MIN + 9)))
}

/// ws = %x20 / %x09 / %x0A / %x0D: %x09 and %x0D differ in one bit.
#[inline(always)]
pub(super) fn white_space(bytes: u8x16) -> u8x16 {
    equal(bytes, b' ') | equal(bytes, b'\n') | equal(bytes | splat(4), b'\r')
}

/// The block of `text` from `at` on; `None` if fewer bytes are left.
#[inline(always)]
pub(super) fn whole(text: &[u8], at: usize) -> Option<Block> {
    text.get(at..)?.first_chunk().map(Block::new)
}

/// The block from `at` to the end of `text`, if fewer bytes are left, and a mask of these bytes.
#[inline(always)]
pub(super) fn rest(text: &[u8], at: usize) -> (Block, u64) {
    let left = text.len().saturating_sub(at);
    let within = 1u64.wrapping_shl(small(left)).wrapping_sub(1);
    let (apart, before, block);
    if let Some(bytes) = last_chunk::<LEN>(text) {
        (apart, before, block) = (32, small(LEN.wrapping_sub(left)), Block::new(bytes));
    } else if let (Some(low), Some(high)) = (text.first_chunk::<32>(), last_chunk::<32>(text)) {
        (apart, before, block) = (small(text.len().wrapping_sub(32)), small(at), Block::new(&cast([*low, *high])));
    } else {
        (apart, before, block) = (32, small(at), Block::new(&padded(text)));
    }
    (Block { apart, before, ..block }, within)
}

#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a shift by less than 64")]
pub(super) const fn small(len: usize) -> u32 {
    len as u32
}

/// `text`, which has fewer than `N` bytes, and zeros.
#[inline(never)]
pub(super) fn padded<const N: usize>(text: &[u8]) -> [u8; N] {
    let mut bytes = [0; N];
    // with `copy`, handing out a batch takes 2 % more instructions
    let mut places = bytes.iter_mut();
    for byte in text {
        if let Some(place) = places.next() {
            *place = *byte;
        }
    }
    bytes
}

/// The index of the first byte that `is` marks among the sixteen bytes of `text` from `at` on; 16 or more if there is none. `None` if fewer
/// bytes are left.
#[inline(always)]
pub(super) fn first_of_sixteen(text: &[u8], at: usize, is: impl Fn(u8x16) -> u8x16) -> Option<usize> {
    let bytes = chunk(text, at)?;
    Some(marks::first(is(u8x16::new(*bytes))))
}

/// [`first_of_sixteen`] for fewer bytes up to the end of `text`; the end counts as marked. `None` if the whole text is shorter than sixteen
/// bytes.
#[inline(always)]
pub(super) fn first_before_end(text: &[u8], at: usize, is: impl Fn(u8x16) -> u8x16) -> Option<usize> {
    let left = text.len().saturating_sub(at);
    let bytes = last_chunk::<16>(text)?;
    Some(marks::first_from(is(u8x16::new(*bytes)), small(16usize.wrapping_sub(left))))
}

/// Masks of the backslashes, opening brackets, quotation marks and closing brackets among the sixteen bytes of `text` from `at` on. Past
/// the end the text reads as zeros.
#[inline(always)]
pub(super) fn brackets(text: &[u8], at: usize) -> [u64; 4] {
    const SIXTEEN: u64 = 0xFFFF;
    let rest = text.get(at..).unwrap_or_default();
    // both branches make a vector, so that neither goes through memory
    let bytes = match rest.first_chunk() {
        Some(bytes) => u8x16::new(*bytes),
        None => u8x16::new(padded(rest)),
    };
    // brackets and braces differ in one bit
    let folded = bytes | splat(0x20);
    let mask = marks::mask([equal(bytes, b'\\'), equal(folded, b'{'), equal(bytes, b'"'), equal(folded, b'}')]);
    [mask & SIXTEEN, mask >> 16 & SIXTEEN, mask >> 32 & SIXTEEN, mask >> 48]
}
