//! Sixty-four bytes at once: which of them are what, one bit for each, the first byte in the lowest.
//!
//! Nothing here branches between a comparison and its bits: LLVM would then gather the bits byte by byte.

use wide::{CmpEq, CmpLt, i8x16};

/// The bytes in a block.
pub(super) const LEN: usize = 64;

/// Bytes that are looked at together, sixty-four at most.
pub(super) trait Look: Copy {
    /// All that are looked at.
    fn quarters(self) -> [i8x16; 4];

    /// A bit for each byte of which `is` sets the highest bit.
    fn mask(self, is: impl Fn(i8x16) -> i8x16) -> u64;

    /// Whether `is` sets the highest bit of any byte.
    #[inline(always)]
    fn any(self, is: impl Fn(i8x16) -> i8x16) -> bool {
        let [a, b, c, d] = self.quarters();
        (is(a) | is(b) | is(c) | is(d)).move_mask() != 0
    }

    /// The bytes that are `byte`.
    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        self.mask(|bytes| equal(bytes, byte))
    }

    /// All four brackets.
    #[inline(always)]
    fn bracket(self) -> u64 {
        // brackets and braces differ in one bit
        self.mask(|bytes| equal(bytes | splat(0x20), b'{') | equal(bytes | splat(0x20), b'}'))
    }
}

/// Sixty-four bytes of a text. They are signed, because that is how SSE2 compares: those of 0x80 and above are negative.
#[derive(Clone, Copy)]
pub(super) struct Block([i8x16; 4]);

impl Block {
    #[inline(always)]
    pub(super) fn new(bytes: &[u8; LEN]) -> Self {
        let quarter = |at: usize| {
            let bytes: [u8; 16] = bytes.get(at..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default();
            i8x16::new(bytes.map(u8::cast_signed))
        };
        Self([quarter(0), quarter(16), quarter(32), quarter(48)])
    }

    /// DIGIT = %x30-39
    #[inline(always)]
    pub(super) fn digit(self) -> u64 {
        self.mask(digit)
    }
}

impl Look for Block {
    #[inline(always)]
    fn quarters(self) -> [i8x16; 4] {
        self.0
    }

    #[inline(always)]
    fn mask(self, is: impl Fn(i8x16) -> i8x16) -> u64 {
        let [a, b, c, d] = self.0;
        let bits = |quarter| u64::from(is(quarter).move_mask().cast_unsigned());
        (bits(a) | bits(b) << 16) | (bits(c) | bits(d) << 16) << 32
    }
}

/// As many bytes of a text, or those up to its end: then the two halves overlap, so that nothing is read from behind it.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    quarters: [i8x16; 4],
    /// How far the second half is from where the look begins.
    apart: usize,
    /// How far the first half begins before that.
    before: usize,
}

impl Halves {
    /// Those of `text` from `from` on; `None` if it has fewer than 32.
    #[inline(always)]
    pub(super) fn of(text: &[u8], from: usize) -> Option<Self> {
        let last = text.len().checked_sub(LEN / 2)?;
        let (low, high) = (from.min(last), from.wrapping_add(LEN / 2).min(last));
        let (apart, before) = (high.saturating_sub(from) & 63, from.wrapping_sub(low) & 63);
        let (low, high) = (text.get(low..)?, text.get(high..)?);
        let quarters = [sixteen(low, 0)?, sixteen(low, 16)?, sixteen(high, 0)?, sixteen(high, 16)?];
        Some(Self { quarters, apart, before })
    }
}

impl Look for Halves {
    /// With some before the place where the look begins.
    #[inline(always)]
    fn quarters(self) -> [i8x16; 4] {
        self.quarters
    }

    #[inline(always)]
    fn mask(self, is: impl Fn(i8x16) -> i8x16) -> u64 {
        let [a, b, c, d] = self.quarters;
        let half = |low, high| u64::from(bits(is(low)) | bits(is(high)) << 16);
        (half(a, b) | half(c, d) << self.apart) >> self.before
    }
}

#[inline(always)]
pub(super) fn equal(bytes: i8x16, byte: u8) -> i8x16 {
    bytes.cmp_eq(splat(byte))
}

#[inline(always)]
pub(super) fn splat(byte: u8) -> i8x16 {
    i8x16::splat(byte.cast_signed())
}

/// DIGIT = %x30-39
#[inline(always)]
pub(super) fn digit(bytes: i8x16) -> i8x16 {
    // flipped so that they are -128 to -119, the least of all
    (bytes ^ splat(0xB0)).cmp_lt(i8x16::splat(-118))
}

/// %x00-1F and %x80-FF, which one signed comparison tells from all others.
#[inline(always)]
pub(super) fn control_or_not_ascii(bytes: i8x16) -> i8x16 {
    bytes.cmp_lt(i8x16::splat(0x20))
}

/// What is not as it is read in a plain string: %x00-1F, backslash and %x80-FF.
#[inline(always)]
pub(super) fn not_plain(bytes: i8x16) -> i8x16 {
    control_or_not_ascii(bytes) | equal(bytes, b'\\')
}

/// The sixteen bytes of `text` from `at` on, if there are so many: for what is mostly short.
#[inline(always)]
pub(super) fn sixteen(text: &[u8], at: usize) -> Option<i8x16> {
    let bytes: &[u8; 16] = text.get(at..)?.first_chunk()?;
    Some(i8x16::new(bytes.map(u8::cast_signed)))
}

/// A bit for each of sixteen bytes of which the highest bit is set.
#[inline(always)]
pub(super) fn bits(bytes: i8x16) -> u32 {
    bytes.move_mask().cast_unsigned()
}

/// What `masks` makes of the 64 bytes of `text` from `at` on. Beyond its end the text reads as zeros.
#[inline(always)]
pub(super) fn read<T>(text: &[u8], at: usize, masks: impl Fn(Block) -> T) -> T {
    match text.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(bytes) => masks(Block::new(bytes)),
        None => masks(Block::new(&last(text, at))),
    }
}

/// The bytes of `text` from `at` on. Those beyond its end are zeros, for which `end` is the room.
#[inline(always)]
pub(super) fn bytes<'a, const N: usize>(text: &'a [u8], at: usize, end: &'a mut Option<[u8; N]>) -> &'a [u8; N] {
    match text.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(bytes) => bytes,
        None => end.insert(last(text, at)),
    }
}

/// The bytes of `text` from `at` on, fewer than `N`, filled up with zeros.
#[cold]
#[inline(never)]
pub(super) fn last<const N: usize>(text: &[u8], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    let rest = text.get(at..).unwrap_or_default();
    if let Some(front) = bytes.get_mut(..rest.len()) {
        front.copy_from_slice(rest);
    }
    bytes
}
