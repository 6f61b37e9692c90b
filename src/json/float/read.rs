//! Decimal text as a float: the number in fixed point, rounded to the first bits of it.

use super::bytes::{STEP, divide, multiply};
use crate::json::number::sign_and_digits;

/// The type of a float.
struct Format {
    /// The powers of ten outside of which a number is 0 or too large.
    powers: (i32, i32),
    /// The digits that are read: one more than a point halfway between two floats has.
    digits: i32,
    /// Two bytes more than the mantissa has.
    len: i32,
    /// The bytes of the largest integer, or of a fraction with half of the smallest float.
    room: i32,
}

/// The digits of a number. A position counts the digits before it, without the point of the text.
struct Digits<'t> {
    /// The text without a sign, up to the last digit that is not 0.
    text: &'t [u8],
    /// The position of the point in the text.
    dot: i32,
    /// The position of the first digit that is not 0.
    first: i32,
    /// The position after the last digit that is read.
    end: i32,
    /// The position of the point after the exponent has moved it.
    point: i32,
    /// The bytes of the integer and of the fraction.
    whole: i32,
    fraction: i32,
    /// Not 0 if more digits follow.
    lost: u32,
}

impl<'t> Digits<'t> {
    /// Reads a validated number without a sign. A position fits in 32 bits, because the text does; an exponent saturates.
    #[inline(never)]
    #[expect(clippy::cast_sign_loss, reason = "a length")]
    fn read(number: &'t [u8], format: &Format) -> Self {
        let (mut len, mut dot, mut first, mut end) = (0i32, -1, -1, 0i32);
        let mut bytes = number.iter();
        // int [ frac ]
        for byte in &mut bytes {
            match byte {
                b'e' | b'E' => break,
                b'.' => {
                    dot = len;
                    continue;
                }
                b'0' => {}
                _ => {
                    if first < 0 {
                        first = len;
                    }
                    end = len.wrapping_add(1);
                }
            }
            len = len.wrapping_add(1);
        }
        if dot < 0 {
            dot = len;
        }
        // exp = e [ minus / plus ] 1*DIGIT
        let (mut exponent, mut is_negative) = (0i32, false);
        for byte in bytes {
            match byte {
                b'-' => is_negative = true,
                b'+' => {}
                _ if exponent > i32::MAX / 10 - 1 => exponent = i32::MAX,
                digit => exponent = exponent.wrapping_mul(10).wrapping_add(i32::from(digit & 15)),
            }
        }
        if is_negative {
            exponent = exponent.wrapping_neg();
        }
        let first = first.max(0);
        let text = number.get(..end.wrapping_add(i32::from(end > dot)) as usize).unwrap_or_default();
        let last = end.min(first.wrapping_add(format.digits));
        // the number is less than this power of ten, and a tenth of it or more (`clamp` links a panic)
        let power = dot.saturating_add(exponent).saturating_sub(first).max(format.powers.0).min(format.powers.1);
        // a power of ten is less than the power of 256 with 27/64 of its exponent
        let whole = (power.max(0).wrapping_mul(27) >> 6).wrapping_add(1);
        // behind the zeros of a small number, enough bytes for a mantissa
        let fraction = format.len.wrapping_sub(whole).max(0).wrapping_add(power.min(0).wrapping_mul(-27) >> 6);
        let fraction = fraction.min(format.room.wrapping_sub(whole));
        let (point, lost) = (first.wrapping_add(power), u32::from(end != last));
        Self { text, dot, first, end: last, point, whole, fraction, lost }
    }

    /// 10 to the power of the number of these positions, and the integer of the digits there. A digit outside of the text is 0.
    #[inline(never)]
    #[expect(clippy::cast_sign_loss, reason = "no text has bytes at the greatest positions")]
    fn integer(&self, from: i32, to: i32) -> (u32, u32) {
        let (mut power, mut integer) = (1u32, 0u32);
        for at in from..to {
            let at = at.wrapping_add(i32::from(at >= self.dot)) as usize;
            let digit = self.text.get(at).map_or(0, |byte| u32::from(byte & 15));
            power = power.wrapping_mul(10);
            integer = integer.wrapping_mul(10).wrapping_add(digit);
        }
        (power, integer)
    }

    /// Stores the number in `bytes`, which are 0. Returns 0 if this is exact.
    #[inline(never)]
    #[expect(clippy::cast_sign_loss, reason = "a length")]
    fn store(&self, bytes: &mut [u8]) -> u32 {
        let (fraction, whole) = bytes.split_at_mut_checked(self.fraction as usize).unwrap_or_default();
        let mut at = self.first;
        while at < self.point {
            let from = at;
            at = at.wrapping_add(STEP).min(self.point);
            let (power, integer) = self.integer(from, at);
            multiply(whole, power, integer);
        }
        let (mut at, mut lost) = (self.end, self.lost);
        while at > self.point {
            let to = at;
            at = at.wrapping_sub(STEP).max(self.point);
            let (power, integer) = self.integer(at, to);
            lost |= divide(fraction, power, integer);
        }
        lost
    }
}

macro_rules! read {
    ($($read:ident: $float:ident, $bits:ident, powers: $powers:expr, digits: $digits:literal, room: $room:literal;)*) => {$(
        #[inline(never)]
        #[expect(clippy::cast_sign_loss, reason = "a length, and an exponent of a float")]
        pub(super) fn $read(number: &[u8]) -> $float {
            const MANTISSA: i32 = $float::MANTISSA_DIGITS as i32;
            const FORMAT: Format = Format { powers: $powers, digits: $digits, len: $bits::BITS as i32 / 8 + 2, room: $room };
            let (is_negative, number) = sign_and_digits(number);
            let digits = Digits::read(number, &FORMAT);
            let mut room = [0; $room];
            let bytes = room.get_mut(..digits.whole.wrapping_add(digits.fraction) as usize).unwrap_or_default();
            let mut lost = digits.store(bytes);
            // the first bits, more than a mantissa and a bit, and the exponent of the last one
            let (mut bits, mut exponent): ($bits, i32) = (0, digits.whole.wrapping_mul(8));
            for byte in bytes.iter().rev() {
                if bits >> ($bits::BITS - 8) == 0 {
                    bits = bits << 8 | $bits::from(*byte);
                    exponent = exponent.wrapping_sub(8);
                } else {
                    lost |= u32::from(*byte);
                }
            }
            // a mantissa and a bit, or fewer if their last one is half of the smallest float
            let mut exponent = exponent.wrapping_sub($float::MIN_EXP - MANTISSA - 1);
            while bits >> (MANTISSA + 1) != 0 || exponent < 0 {
                lost |= u32::from(bits & 1 != 0);
                bits >>= 1;
                exponent = exponent.wrapping_add(1);
            }
            let is_up = bits & 1 != 0 && (lost != 0 || bits & 2 != 0);
            bits = (bits >> 1).wrapping_add($bits::from(is_up));
            if bits != 0 {
                // the first bit of a mantissa adds 1 to the exponent, and so does a mantissa that is rounded up to 2
                bits = bits.wrapping_add((exponent as $bits) << (MANTISSA - 1));
            }
            bits = bits.min($float::INFINITY.to_bits());
            $float::from_bits(bits | $bits::from(is_negative) << ($bits::BITS - 1))
        }
    )*};
}
read! {
    read_f32: f32, u32, powers: (-50, 40), digits: 114, room: 20;
    read_f64: f64, u64, powers: (-330, 310), digits: 769, room: 136;
}
