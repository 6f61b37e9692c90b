//! The shortest decimal text of a float: an interval of decimals that are read as the float, which loses digits until it is empty.
//!
//! `from_fn` stores each byte of a short array once, because clearing it links `memclr`, 174 bytes of flash.
//!
//! Source: U. Adams, "Ryū: Fast Float-to-String Conversion" (2018). The table of that algorithm is computed here.

use core::array::from_fn;

use super::bytes::{divide, multiply};
use crate::json::Writer;
use crate::json::decimal::divide_by_ten;

/// More than any distance to the end of an interval, in the last place that is kept.
const BIAS: u32 = 1_000;

macro_rules! write {
    ($($put:ident, $shortest:ident, $scale:ident: $float:ident, $bits:ident, $tenth:ident,
        digits: $digits:literal, fixed: $lowest:literal to $highest:literal;)*
    ) => {$(
        /// Appends the shortest text that is read as this finite float, of these the nearest one.
        #[inline(never)]
        pub(super) fn $put(float: $float, out: &mut Writer<'_>) {
            if float.is_sign_negative() {
                out.put_byte(b'-');
            }
            let bits = float.abs().to_bits();
            let (integer, ten) = if bits == 0 { (0, 0) } else { $shortest(bits) };
            put_decimal(integer.into(), ten, $lowest, $highest, out);
        }

        /// The integer with the fewest digits, and the exponent of ten, that are read as the float with these bits.
        #[inline(always)]
        #[allow(clippy::cast_possible_truncation, reason = "short distances, modulo 2^32")]
        fn $shortest(bits: $bits) -> ($bits, i32) {
            const MANTISSA: i32 = $float::MANTISSA_DIGITS as i32;
            const HIDDEN: $bits = 1 << (MANTISSA - 1);
            let field = (bits >> (MANTISSA - 1)) as i32;
            // the float is mantissa * 2^exponent
            let mut mantissa = bits & (HIDDEN - 1);
            let mut exponent = $float::MIN_EXP - MANTISSA;
            // at a power of two, the float below is half as far away as the one above
            let to_low = if mantissa == 0 && field > 1 { 2 } else { 4 };
            if field != 0 {
                mantissa |= HIDDEN;
                exponent = exponent.wrapping_add(field).wrapping_sub(1);
            }
            // 1233 / 4096 is the logarithm of 2
            let places = i32::wrapping_sub($digits, exponent.wrapping_add(MANTISSA).wrapping_mul(1_233) >> 12);
            let is_odd = (mantissa & 1) as i32;
            let eighths = mantissa << 3;
            let exponent = exponent.wrapping_sub(2);
            // in quarters of the last place; an odd one stands for all values between its neighbours
            let value = $scale(eighths, exponent, places);
            let high = $scale(eighths.wrapping_add(4), exponent, places).wrapping_sub(value) as i32;
            let low = $scale(eighths.wrapping_sub(to_low), exponent, places).wrapping_sub(value) as i32;
            // the integers in the interval, from the integer part on; an odd float does not own the ends
            let rest = (value & 3) as i32;
            let mut high = BIAS.wrapping_add_signed(high.wrapping_add(rest).wrapping_sub(is_odd) >> 2);
            let mut low = BIAS.wrapping_add_signed(low.wrapping_add(rest).wrapping_add(is_odd).wrapping_add(3) >> 2);
            let (mut integer, mut ten) = (value >> 2, places.wrapping_neg());
            // `last` is the digit that was dropped last; `is_above`, whether one before it was not 0
            let (mut last, mut is_above) = (if rest < 2 { 0 } else { 5 }, rest & 1 != 0);
            loop {
                let (next, digit) = $tenth(integer);
                let next_low = low.wrapping_add(digit).wrapping_add(9 * BIAS + 9) / 10;
                let next_high = high.wrapping_add(digit).wrapping_add(9 * BIAS) / 10;
                if next_low > next_high {
                    break;
                }
                is_above |= last != 0;
                (integer, last, low, high) = (next, digit, next_low, next_high);
                ten = ten.wrapping_add(1);
            }
            let is_up = last > 5 || last == 5 && (is_above || integer & 1 != 0);
            let nearest = BIAS.wrapping_add(is_up.into()).min(high).max(low);
            (integer.wrapping_add(nearest.into()).wrapping_sub(BIAS.into()), ten)
        }
    )*};
}
write! {
    put_f32, shortest_f32, scale_f32: f32, u32, tenth_u32, digits: 8, fixed: -5 to 13;
    put_f64, shortest_f64, scale_f64: f64, u64, tenth, digits: 17, fixed: -4 to 16;
}

/// [`scale`] in 20 bytes.
#[inline(never)]
#[expect(clippy::cast_possible_truncation, reason = "the result fits")]
fn scale_f32(value: u32, exponent: i32, places: i32) -> u32 {
    let exponent = exponent.wrapping_add(places);
    let mut next = bytes(value.into(), exponent);
    let mut room: [u8; 20] = from_fn(|_| next());
    let number = room.get_mut(..len(exponent).min(20)).unwrap_or_default();
    scale(number, exponent >> 3, places) as u32
}

/// [`scale`] in 104 bytes, which are cleared, because `from_fn` would copy them: `memcpy` is 900 bytes of flash.
#[inline(never)]
fn scale_f64(value: u64, exponent: i32, places: i32) -> u64 {
    let exponent = exponent.wrapping_add(places);
    let mut next = bytes(value, exponent);
    let mut room = [0; 104];
    let number = room.get_mut(..len(exponent)).unwrap_or_default();
    number.iter_mut().for_each(|place| *place = next());
    scale(number, exponent >> 3, places)
}

/// The bytes of zeros or of a fraction, and those of the result.
#[inline(always)]
const fn len(exponent: i32) -> usize {
    ((exponent >> 3).unsigned_abs() as usize).wrapping_add(9)
}

/// The bytes of `value * 2^exponent`, up to seven bits higher if the exponent is negative.
#[inline(always)]
fn bytes(value: u64, exponent: i32) -> impl FnMut() -> u8 {
    let (mut zeros, mut value) = (exponent >> 3, value << (exponent & 7));
    move || {
        if zeros > 0 {
            zeros = zeros.wrapping_sub(1);
            return 0;
        }
        let [byte, ..] = value.to_le_bytes();
        value >>= 8;
        byte
    }
}

/// Twice the integer part of `value * 2^exponent * 10^places`, and 1 more if there is a fraction. `number` begins with the value times
/// 2^(exponent + places), if that is an integer; `shift` is this exponent, divided by eight.
#[inline(never)]
fn scale(number: &mut [u8], shift: i32, places: i32) -> u64 {
    let below = shift.min(0).unsigned_abs() as usize;
    let (mut lost, mut left) = (0, places.unsigned_abs());
    while left != 0 {
        // 5^10 is less than 10^7
        let mut power = 1u32;
        while left != 0 && power < 5u32.pow(10) {
            power = power.wrapping_mul(5);
            left = left.wrapping_sub(1);
        }
        if places < 0 {
            lost |= divide(number, power, 0);
        } else {
            multiply(number, power, 0);
        }
    }
    let mut integer = 0;
    for (at, byte) in number.iter().enumerate().rev() {
        if at >= below {
            integer = integer << 8 | u64::from(*byte);
        } else {
            lost |= u32::from(*byte);
        }
    }
    integer << 1 | u64::from(lost != 0)
}

/// Quotient and remainder of a division by ten.
#[inline(always)]
const fn tenth_u32(number: u32) -> (u32, u32) {
    (number / 10, number % 10)
}

/// Quotient and remainder of a division by ten. One copy.
#[inline(never)]
fn tenth(number: u64) -> (u64, u32) {
    let (tenth, digit) = divide_by_ten(number);
    (tenth, digit.into())
}

/// Appends `integer * 10^ten`: in fixed notation if the point is after `lowest` to `highest` digits, as `zmij` does.
#[inline(never)]
#[expect(clippy::cast_sign_loss, reason = "a position before the digits is beyond them, too")]
fn put_decimal(integer: u64, ten: i32, lowest: i32, highest: i32, out: &mut Writer<'_>) {
    let (mut left, mut count, mut all) = (integer, 1i32, 0i32);
    // the last one first
    let digits: [u8; 17] = from_fn(|_| {
        let (next, digit) = tenth(left);
        left = next;
        all = all.wrapping_add(1);
        if digit != 0 {
            count = all;
        }
        let [digit, ..] = digit.to_le_bytes();
        digit
    });
    let point = count.wrapping_add(ten);
    let is_fixed = lowest <= point && point <= highest;
    let (dot, end) = if is_fixed { (point, count.max(point.wrapping_add(1))) } else { (1, count) };
    for at in dot.wrapping_sub(1).min(0)..end {
        if at == dot {
            out.put_byte(b'.');
        }
        // 0 before the first digit and behind the last one
        let digit = digits.get(count.wrapping_sub(1).wrapping_sub(at) as usize);
        out.put_byte(digit.map_or(b'0', |digit| digit | b'0'));
    }
    if !is_fixed {
        out.put_byte(b'e');
        out.put_byte(if point < 1 { b'-' } else { b'+' });
        let exponent = point.wrapping_sub(1).unsigned_abs();
        if exponent >= 100 {
            put_digit(exponent / 100, out);
        }
        if exponent >= 10 {
            put_digit(exponent / 10, out);
        }
        put_digit(exponent, out);
    }
}

/// Appends the last digit of a number.
#[inline(never)]
fn put_digit(number: u32, out: &mut Writer<'_>) {
    let [digit, ..] = (number % 10).to_le_bytes();
    out.put_byte(digit | b'0');
}
