//! Fast path for floats that are short decimal fractions, like most measured values: finds the shortest text without a search.

use super::digits::{eight, lowest, signed};
use crate::json::Writer;

const TEN_TO_7: u64 = 10_000_000;

/// A float whose shortest text has no exponent and at most seven digits after the point.
///
/// The candidate is the float rounded to the last of these digits. It denotes the float if it is nearer than half of the distance to the
/// next float. In the ranges below, at most one candidate does.
pub(super) struct Decimal {
    is_negative: bool,
    /// The magnitude in units of 10^-7.
    scaled: u64,
}

impl Decimal {
    /// `float` as a decimal of seven digits after the point, if it is one and in the range of [`nearest`].
    ///
    /// Decimals of up to 15 digits denote different doubles (IEEE 754-2019 §5.12.2), so no other such decimal denotes `float`.
    #[inline(always)]
    pub(super) fn of_double(float: f64) -> Option<Self> {
        let scaled = nearest(float, TEN_TO_7, 1)?;
        Some(Self { is_negative: float.is_sign_negative(), scaled })
    }

    /// `float` as a decimal of four digits after the point, if it is one and below 1024.
    ///
    /// In this range singles are at most 2^-14 apart, less than 10^-4, so no other such decimal denotes `float`.
    #[inline(always)]
    pub(super) fn of_single(float: f32) -> Option<Self> {
        if float.abs() >= 1024.0 {
            return None;
        }
        let scaled = nearest(float.into(), 10_000, 1 << 29)?;
        Some(Self { is_negative: float.is_sign_negative(), scaled: scaled.wrapping_mul(1000) })
    }
}

/// The integer nearest to `float` times `scale`, if it is less than half of a `step` away. A `step` is counted in units of the last bit of
/// the float. `None` for floats other than zeros and those from 2^-11 to below 2^23. `scale` and `step` are so small that half a step is
/// less than 1.
///
/// Below a power of two, the next float is nearer than half a step; but there the scaled float is an integer, or far from an integer. The
/// function computes in integers, so the result is exact.
#[inline(always)]
fn nearest(float: f64, scale: u64, step: u64) -> Option<u64> {
    let bits = float.to_bits() & (u64::MAX >> 1);
    // the number of bits of the significand after the binary point
    let places = 1075_u64.wrapping_sub(bits >> 52);
    if !(30..64).contains(&places) {
        return if bits == 0 { Some(0) } else { None };
    }
    let significand = bits & ((1 << 52) - 1) | 1 << 52;
    // shift the binary point to the boundary between two words
    let shift = 64_u64.wrapping_sub(places) & 63;
    let product = u128::from(significand).wrapping_mul(u128::from(scale)) << shift;
    let integer = u64::try_from(product >> 64).ok()?;
    let fraction = u64::from_le_bytes(lowest(product));
    let limit = (scale.wrapping_mul(step) / 2) << shift;
    let is_near = fraction < limit || fraction.wrapping_neg() < limit;
    if is_near { Some(integer.wrapping_add(fraction >> 63)) } else { None }
}

impl Writer<'_> {
    /// Appends a decimal, with at least one digit after its point.
    #[inline(always)]
    pub(super) fn put_decimal(&mut self, decimal: &Decimal) {
        let (whole, len) = signed(decimal.is_negative, decimal.scaled / TEN_TO_7);
        // seven digits after a zero; the point takes the place of the zero
        let digits = eight(decimal.scaled % TEN_TO_7);
        let fraction = digits | u64::from_le_bytes(*b".0000000");
        let zeros = (digits | 1 << 8).leading_zeros() >> 3;
        let text = u128::from(whole) | u128::from(fraction) << (len << 3);
        self.put_two_words(text, len.wrapping_add(8).wrapping_sub(zeros as usize));
    }
}

#[cfg(test)]
mod tests {
    use super::{Decimal, TEN_TO_7};

    fn double(float: f64) -> Option<(bool, u64)> {
        Decimal::of_double(float).map(|decimal| (decimal.is_negative, decimal.scaled))
    }

    fn single(float: f32) -> Option<(bool, u64)> {
        Decimal::of_single(float).map(|decimal| (decimal.is_negative, decimal.scaled))
    }

    #[test]
    fn short_decimals_are_found_without_a_search() {
        let tenths = 0.1 + 0.2;
        for (float, scaled) in [
            (0.0, 0),
            (0.1, 1_000_000),
            (0.3, 3_000_000),
            (0.0005, 5_000),
            (21.5, 215_000_000),
            (1e-7 + 1.0, 10_000_001),
        ] {
            assert_eq!(double(float), Some((false, scaled)), "{float}");
            assert_eq!(double(-float), Some((true, scaled)), "-{float}");
        }
        assert_eq!(double(8_388_607.999_999_9), Some((false, 8_388_608 * TEN_TO_7 - 1)));
        // too large, too small, with more than seven digits, or next to a short decimal
        for float in
            [8_388_608.0, 0.000_4, 0.000_488_281_25, 1.000_000_01, tenths, 0.1_f64.next_down(), f64::NAN, 5e-324]
        {
            assert_eq!(double(float), None, "{float}");
        }
    }

    #[test]
    fn singles_with_four_digits_are_found_without_a_search() {
        for (float, scaled) in [(0.0, 0), (0.1, 1_000_000), (0.3, 3_000_000), (1_023.999_9, 10_239_999_000)] {
            assert_eq!(single(float), Some((false, scaled)), "{float}");
            assert_eq!(single(-float), Some((true, scaled)), "-{float}");
        }
        for float in [1024.0, -1024.0, 0.123_45, 0.1_f32.next_up(), 0.3_f32.next_down(), f32::INFINITY] {
            assert_eq!(single(float), None, "{float}");
        }
    }
}
