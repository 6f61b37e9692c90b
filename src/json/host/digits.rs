//! Integers as decimal text, eight digits at a time: multiplications compute the digits in one word, and a few stores write them.

use super::word::{all, behind, bytes_below, last_chunk_mut};
use crate::json::Writer;

const TEN_TO_8: u64 = 100_000_000;
const ZEROS: u64 = all(b'0');

impl Writer<'_> {
    /// Appends an integer, given as sign and magnitude, in decimal.
    #[inline]
    pub(crate) fn put_integer(&mut self, negative: bool, magnitude: u64) {
        if magnitude >= TEN_TO_8 / 10 {
            return self.put_long_integer(negative, magnitude);
        }
        let (text, len) = signed(negative, magnitude);
        self.put_word(text, len);
    }

    /// [`put_integer`](Self::put_integer) for eight digits or more: a sign, the first digits, and once or twice eight more.
    ///
    /// Stores the sign always, and eight bytes for the first digits, because a branch on the sign or on their number would be mispredicted.
    /// What follows overwrites the surplus.
    #[inline(never)]
    fn put_long_integer(&mut self, negative: bool, magnitude: u64) {
        let (high, last) = (magnitude / TEN_TO_8, magnitude % TEN_TO_8);
        let (first, middle) = if high < TEN_TO_8 { (high, None) } else { (high / TEN_TO_8, Some(high % TEN_TO_8)) };
        let (digits, sign) = (eight(first), usize::from(negative));
        let zeros = bytes_below(digits);
        let len = 8usize.wrapping_sub(zeros).wrapping_add(sign);
        let len_of_all = len.wrapping_add(if middle.is_some() { 16 } else { 8 });
        #[cfg(feature = "alloc")]
        if self.lacks(len_of_all) {
            return self.put_integer_beyond(len_of_all, negative, magnitude);
        }
        let Some(room) = self.take(len_of_all) else { return };
        if let Some(place) = room.first_mut() {
            *place = b'-';
        }
        if let Some(place) = room.get_mut(sign..).and_then(|room| room.first_chunk_mut()) {
            *place = behind(digits | ZEROS, zeros).to_le_bytes();
        }
        if let (Some(middle), Some(place)) = (middle, room.get_mut(len..).and_then(|room| room.first_chunk_mut())) {
            *place = (eight(middle) | ZEROS).to_le_bytes();
        }
        if let Some(place) = last_chunk_mut(room) {
            *place = (eight(last) | ZEROS).to_le_bytes();
        }
    }

    /// Appends the `len` lowest bytes of `word`; `len` is 1 to 8. Two overlapping stores cover several lengths, which
    /// saves branches.
    #[inline]
    fn put_word(&mut self, word: u64, len: usize) {
        #[cfg(feature = "alloc")]
        if self.lacks(len) {
            return self.put_word_beyond(word, len);
        }
        let Some(room) = self.take(len) else { return };
        if let Some(start) = room.first_chunk_mut::<4>() {
            *start = lowest(word);
            if let Some(end) = last_chunk_mut::<4>(room) {
                *end = lowest(behind(word, len.wrapping_sub(4)));
            }
        } else if let Some(start) = room.first_chunk_mut::<2>() {
            *start = lowest(word);
            if let Some(end) = last_chunk_mut::<2>(room) {
                *end = lowest(behind(word, len.wrapping_sub(2)));
            }
        } else if let Some(only) = room.first_mut() {
            [*only] = lowest(word);
        }
    }

    /// [`put_word`](Self::put_word) at the end of the memory.
    #[cfg(feature = "alloc")]
    #[cold]
    #[inline(never)]
    fn put_word_beyond(&mut self, word: u64, len: usize) {
        if self.grow(self.len.saturating_add(len)) {
            self.put_word(word, len);
        }
    }
}

/// The lowest bytes of `word`.
#[inline(always)]
fn lowest<const N: usize>(word: u64) -> [u8; N] {
    word.to_le_bytes().first_chunk().copied().unwrap_or([0; N])
}

/// The decimal text of a number below 10^7 with its sign, the first character lowest, and its length.
#[inline(always)]
fn signed(negative: bool, magnitude: u64) -> (u64, usize) {
    let digits = eight(magnitude);
    // keep the last digit of zero
    let zeros = bytes_below(digits | 1 << 56);
    // Seven digits leave room for the sign. A branch on the sign would be mispredicted, so a shift removes it.
    let signed = behind(digits | ZEROS, zeros) << 8 | u64::from(b'-');
    (signed >> (u32::from(!negative) << 3), 8usize.wrapping_sub(zeros).wrapping_add(usize::from(negative)))
}

/// The eight digits of a number below 10^8 as values 0 to 9, a byte each, the first one lowest.
///
/// Splits the number into two halves of four digits, these into four pairs, and the pairs into digits; `100 high +
/// low`, for example, becomes `high | low << 16`. The multiplications by reciprocals are exact for every half and pair.
#[inline(always)]
const fn eight(number: u64) -> u64 {
    let high = number / 10_000;
    let halves = (number << 32).wrapping_sub(high.wrapping_mul((10_000 << 32) - 1));
    let high = halves.wrapping_mul(10_486) >> 20 & 0x0000_007F_0000_007F;
    let pairs = (halves << 16).wrapping_sub(high.wrapping_mul((100 << 16) - 1));
    let high = pairs.wrapping_mul(103) >> 10 & 0x000F_000F_000F_000F;
    (pairs << 8).wrapping_sub(high.wrapping_mul((10 << 8) - 1))
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test stops")]
mod tests {
    use super::eight;

    /// The plain twin: one digit at a time.
    fn one_by_one(number: u64) -> u64 {
        let (mut left, mut digits) = (number, 0);
        for _ in 0..8 {
            digits = (digits << 8) | (left % 10);
            left /= 10;
        }
        digits
    }

    #[test]
    fn eight_digits_are_those_of_one_division_after_the_other() {
        // every value of each half, with a few values of the other half
        for half in (0..10_000).step_by(if cfg!(miri) { 577 } else { 1 }) {
            for other in [0, 1, 9, 10, 99, 100, 999, 1000, 1234, 4999, 5000, 9899, 9990, 9999, half] {
                for number in [half * 10_000 + other, other * 10_000 + half] {
                    assert_eq!(eight(number), one_by_one(number), "{number}");
                }
            }
        }
    }
}
