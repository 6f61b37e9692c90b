//! Sixty-four bytes bit by bit: a word for each of the eight bits, so that to tell a byte takes a few operations on words.
//!
//! Cheaper than to compare, where more than half a dozen bytes are to be told.

use wide::i8x16;

use super::block::{LEN, bits, last};

/// Each byte shifted by one bit.
#[expect(clippy::arithmetic_side_effects, reason = "the bytes of a vector wrap")]
#[inline(always)]
fn doubled(bytes: i8x16) -> i8x16 {
    bytes + bytes
}

/// Of each byte of a block one bit in each word, the lowest one first; the first byte in the lowest bits.
#[derive(Clone, Copy)]
pub(super) struct Planes([u64; 8]);

impl Planes {
    #[inline(always)]
    pub(super) fn of(bytes: &[u8; LEN]) -> Self {
        let quarter = |at: usize| {
            let bytes: [u8; 16] = bytes.get(at..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default();
            i8x16::new(bytes.map(u8::cast_signed))
        };
        let (mut a, mut b, mut c, mut d) = (quarter(0), quarter(16), quarter(32), quarter(48));
        let mut planes = [0; 8];
        for plane in planes.iter_mut().rev() {
            let [a_bits, b_bits, c_bits, d_bits] = [a, b, c, d].map(|quarter| u64::from(bits(quarter)));
            *plane = (a_bits | b_bits << 16) | (c_bits | d_bits << 16) << 32;
            // the next bit becomes the highest
            [a, b, c, d] = [a, b, c, d].map(doubled);
        }
        Self(planes)
    }

    /// Of the 64 bytes of `text` from `at` on. Beyond its end the text reads as zeros.
    #[inline(always)]
    pub(super) fn at(text: &[u8], at: usize) -> Self {
        match text.get(at..).and_then(|rest| rest.first_chunk()) {
            Some(bytes) => Self::of(bytes),
            None => Self::of(&last(text, at)),
        }
    }

    const fn bit(self, at: usize) -> u64 {
        let [a, b, c, d, e, f, g, h] = self.0;
        match at {
            0 => a,
            1 => b,
            2 => c,
            3 => d,
            4 => e,
            5 => f,
            6 => g,
            _ => h,
        }
    }

    /// %x20-3F
    #[inline(always)]
    const fn signs(self) -> u64 {
        self.bit(5) & !(self.bit(6) | self.bit(7))
    }

    /// %x20-2F
    #[inline(always)]
    const fn signs_2(self) -> u64 {
        self.signs() & !self.bit(4)
    }

    /// %x30-3F
    #[inline(always)]
    const fn signs_3(self) -> u64 {
        self.signs() & self.bit(4)
    }

    /// The bytes whose lower four bits are 0.
    #[inline(always)]
    const fn nil(self) -> u64 {
        !(self.bit(0) | self.bit(1) | self.bit(2) | self.bit(3))
    }

    /// The bytes with bits 3 and 2, but not 1: %xC and %xD below.
    #[inline(always)]
    const fn c_d(self) -> u64 {
        self.bit(3) & self.bit(2) & !self.bit(1)
    }

    /// The bytes with bits 3 and 1, but not 2: %xA and %xB below.
    #[inline(always)]
    const fn a_b(self) -> u64 {
        self.bit(3) & self.bit(1) & !self.bit(2)
    }

    /// %x50-5F and %x70-7F
    #[inline(always)]
    const fn letters_5(self) -> u64 {
        self.bit(6) & self.bit(4) & !self.bit(7)
    }

    #[inline(always)]
    pub(super) const fn quote(self) -> u64 {
        self.signs_2() & self.bit(1) & !(self.bit(0) | self.bit(2) | self.bit(3))
    }

    #[inline(always)]
    pub(super) const fn blank(self) -> u64 {
        self.signs_2() & self.nil()
    }

    #[inline(always)]
    pub(super) const fn comma(self) -> u64 {
        self.signs_2() & self.c_d() & !self.bit(0)
    }

    #[inline(always)]
    pub(super) const fn minus(self) -> u64 {
        self.signs_2() & self.c_d() & self.bit(0)
    }

    #[inline(always)]
    pub(super) const fn plus(self) -> u64 {
        self.signs_2() & self.a_b() & self.bit(0)
    }

    #[inline(always)]
    pub(super) const fn point(self) -> u64 {
        self.signs_2() & self.bit(3) & self.bit(2) & self.bit(1) & !self.bit(0)
    }

    #[inline(always)]
    pub(super) const fn colon(self) -> u64 {
        self.signs_3() & self.a_b() & !self.bit(0)
    }

    /// DIGIT = %x30-39
    #[inline(always)]
    pub(super) const fn digit(self) -> u64 {
        self.signs_3() & !(self.bit(3) & (self.bit(2) | self.bit(1)))
    }

    #[inline(always)]
    pub(super) const fn zero(self) -> u64 {
        self.signs_3() & self.nil()
    }

    /// begin-array, begin-object
    #[inline(always)]
    pub(super) const fn opening(self) -> u64 {
        self.letters_5() & self.a_b() & self.bit(0)
    }

    /// end-array, end-object
    #[inline(always)]
    pub(super) const fn closing(self) -> u64 {
        self.letters_5() & self.c_d() & self.bit(0)
    }

    /// Of the brackets those of objects.
    #[inline(always)]
    pub(super) const fn brace(self) -> u64 {
        self.bit(5)
    }

    #[inline(always)]
    pub(super) const fn backslash(self) -> u64 {
        self.letters_5() & self.c_d() & !(self.bit(0) | self.bit(5))
    }

    /// %x60-7F: small letters, and some more.
    #[inline(always)]
    pub(super) const fn letter(self) -> u64 {
        self.bit(6) & self.bit(5) & !self.bit(7)
    }

    /// e = %x65 / %x45
    #[inline(always)]
    pub(super) const fn e(self) -> u64 {
        let five = self.bit(2) & self.bit(0) & !(self.bit(1) | self.bit(3));
        self.bit(6) & five & !(self.bit(7) | self.bit(4))
    }

    #[inline(always)]
    pub(super) const fn n(self) -> u64 {
        let fourteen = self.bit(3) & self.bit(2) & self.bit(1) & !self.bit(0);
        self.letter() & fourteen & !self.bit(4)
    }

    /// false = %x66.61.6c.73.65 ; null = %x6e.75.6c.6c ; true = %x74.72.75.65
    ///
    /// The bytes of the literals that begin at `start`; `None` if one of these begins none.
    #[inline(always)]
    pub(super) const fn literals(self, start: u64) -> Option<u64> {
        let [b0, b1, b2, b3, b4, ..] = self.0;
        // %x60-6F and %x70-7F
        let (sixes, sevens) = (self.letter() & !b4, self.letter() & b4);
        let (c, four) = (b3 & b2 & !b1, b2 & !b3);
        let (l, n) = (sixes & c & !b0, self.n());
        let (e, u) = (sixes & four & b0 & !b1, sevens & four & b0 & !b1);
        let (t, f) = (sevens & four & !(b0 | b1), sixes & four & b1 & !b0);
        let (r, s) = (sevens & b1 & !(b3 | b2 | b0), sevens & b1 & b0 & !(b3 | b2));
        let a = sixes & b0 & !(b3 | b2 | b1);
        let null = n & u >> 1 & l >> 2 & l >> 3;
        let r#true = t & r >> 1 & u >> 2 & e >> 3;
        let r#false = f & a >> 1 & l >> 2 & s >> 3 & e >> 4;
        if start & !(null | r#true | r#false) != 0 {
            return None;
        }
        let two = start | start << 1;
        Some(two | two << 2 | (start & f) << 4)
    }

    /// %x00-1F and %x80-FF
    #[inline(always)]
    pub(super) const fn control_or_not_ascii(self) -> u64 {
        self.bit(7) | !(self.bit(6) | self.bit(5))
    }

    /// %x09 / %x0A / %x0D
    #[inline(always)]
    pub(super) const fn line_break_or_tab(self) -> u64 {
        let above = self.bit(7) | self.bit(6) | self.bit(5) | self.bit(4);
        // 9 and 13 differ in bit 2
        let odd = self.bit(0) & !self.bit(1);
        let ten = self.bit(1) & !(self.bit(2) | self.bit(0));
        (odd | ten) & self.bit(3) & !above
    }
}
