//! Escapes in strings, sixty-four bytes at a time. Nobody foresees which one comes next, so that all are told together.

use wide::{CmpGt, CmpLt};

use super::block::{self, Look, digit, equal, splat};
use super::word::byte;

/// What the escapes of a block leave to the next: a bit for each byte of the block.
#[derive(Default)]
pub(super) struct Escapes {
    /// Each `u` that digits follow.
    u: u64,
    /// Each `D` or `d`.
    d: u64,
    /// The second digit of each high half of a surrogate pair.
    high: u64,
}

/// The bits from which four digits reach into the next block.
const LAST_4: u64 = u64::MAX << 60;

/// The bits from which the same digit of the next escape is in the next block.
const LAST_6: u64 = u64::MAX << 58;

impl Escapes {
    /// Whether the next block must be looked at, even if no escape begins there.
    #[inline(always)]
    pub(super) const fn are_unfinished(&self) -> bool {
        self.u & LAST_4 | self.high & LAST_6 != 0
    }

    /// %x5C ( %x2F / %x62 / %x66 / %x72 / %x74 / %x75 4HEXDIG )
    ///
    /// Looks at the block at `at`: at the bytes `escaped` there but %x22 / %x5C / %x6E, and at the digits of those before.
    /// `inside` is what is in strings.
    #[inline(always)]
    pub(super) fn judge(&mut self, text: &[u8], at: usize, escaped: u64, inside: u64) -> Option<()> {
        if !self.are_unfinished() && is_one_letter(text, at, escaped) {
            return Some(());
        }
        self.judge_digits(text, at, escaped, inside)
    }

    #[inline(never)]
    fn judge_digits(&mut self, text: &[u8], at: usize, escaped: u64, inside: u64) -> Option<()> {
        if !self.are_unfinished() && are_few(text, at, escaped) {
            return Some(());
        }
        self.judge_together(text, at, escaped, inside)
    }

    #[inline(never)]
    fn judge_together(&mut self, text: &[u8], at: usize, escaped: u64, inside: u64) -> Option<()> {
        let [letter, u, hex, d, from_8, from_c] = block::read(text, at, |block| {
            let small = |byte| move |bytes| equal(bytes | splat(0x20), byte);
            let letter = block.mask(|bytes| {
                let letter = equal(bytes, b'b') | equal(bytes, b'f') | equal(bytes, b'r') | equal(bytes, b't');
                letter | equal(bytes, b'/')
            });
            let hex = block.mask(|bytes| {
                let small = bytes | splat(0x20);
                digit(bytes) | small.cmp_gt(splat(b'`')) & small.cmp_lt(splat(b'g'))
            });
            let from_8 = block.mask(|bytes| bytes.cmp_gt(splat(b'7')));
            let from_c = block.mask(|bytes| (bytes | splat(0x20)).cmp_gt(splat(b'b')));
            [letter, block.equal(b'u'), hex, block.mask(small(b'd')), from_8, from_c]
        });
        let u = u & escaped;
        let [first, second, third, fourth] =
            [1u32, 2, 3, 4].map(|digit| u << digit | self.u >> 64u32.wrapping_sub(digit));
        // of D800 to DFFF
        let half = second & (d << 1 | self.d >> 63);
        let (high, low) = (half & from_8 & !from_c, half & from_c);
        let wrong = escaped & !(letter | u) | (first | second | third | fourth) & !hex;
        let alone = (high << 6 | self.high >> 58) ^ low;
        // behind a string that has ended there is no low half
        let ended = if inside >> 63 == 0 { high & LAST_6 } else { 0 };
        if wrong | alone | ended != 0 {
            return None;
        }
        *self = Self { u, d, high };
        Some(())
    }

    /// Where the escape, or the pair of them, began that is not at its end at `at`, where the block ends that has been
    /// looked at.
    pub(super) fn begun(&self, at: usize) -> Option<usize> {
        let block = at.wrapping_sub(block::LEN);
        let (high, u) = (self.high & LAST_6, self.u & LAST_4);
        if high != 0 {
            return Some(block.wrapping_add(high.trailing_zeros() as usize).wrapping_sub(3));
        }
        if u == 0 {
            return None;
        }
        let place = u.trailing_zeros() as usize;
        // the low half of a pair, if the second digit of a high one stands six bytes before its own
        let is_low = self.high >> (place.wrapping_sub(4) & 63) & 1 != 0;
        Some(block.wrapping_add(place).wrapping_sub(if is_low { 7 } else { 1 }))
    }
}

/// Whether at most one byte is `escaped` in the block at `at`, and no digits follow it.
#[inline(always)]
pub(super) fn is_one_letter(text: &[u8], at: usize, escaped: u64) -> bool {
    let escape = byte(text, at.wrapping_add(escaped.trailing_zeros() as usize));
    escaped & escaped.wrapping_sub(1) == 0 && (matches!(escape, b'b' | b'f' | b'r' | b't') || escape == b'/')
}

/// Whether there are at most two `escaped` bytes in the block at `at`, and they are right by themselves: no halves of
/// surrogate pairs.
#[inline(always)]
pub(super) fn are_few(text: &[u8], at: usize, escaped: u64) -> bool {
    let but_one = escaped & escaped.wrapping_sub(1);
    let is_right = |escaped: u64| match text.get(at.wrapping_add(escaped.trailing_zeros() as usize)..) {
        Some([b'/' | b'b' | b'f' | b'r' | b't', ..]) => true,
        Some([b'u', a, b, c, d, ..]) => {
            let is_half = a | 0x20 == b'd' && *b > b'7';
            !is_half && [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit())
        }
        _ => false,
    };
    but_one & but_one.wrapping_sub(1) == 0 && is_right(escaped) && (but_one == 0 || is_right(but_one))
}

/// What `word` spells, if it begins with an escape of ASCII, but not of a quotation mark.
pub(super) fn escaped_ascii(word: u64) -> Option<u8> {
    let [b'\\', b'u', b'0', b'0', digits @ .., _, _] = word.to_le_bytes() else { return None };
    let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
    u8::try_from(high? << 4 | low?).ok().filter(|byte| byte.is_ascii() && *byte != b'"')
}
