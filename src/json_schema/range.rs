//! Compares numbers with limits. Integers exactly, floats as floats.

use super::limits::{Limit, Limits};
use crate::json::place::Rule;

/// A limit as an integer, and its rule.
type Bound = Option<(i128, Rule)>;

/// The first limit of `L` that an integer violates. It counts units of the last of `DECIMALS` decimals. The compiler narrows the comparisons to
/// the type of the integer.
#[inline(always)]
pub(super) fn integer<L: Limits, const DECIMALS: u8>(value: i128) -> Option<Rule> {
    let [least, above] = const { [lower(L::MINIMUM, DECIMALS, false), lower(L::EXCLUSIVE_MINIMUM, DECIMALS, true)] };
    let [most, below] = const { [upper(L::MAXIMUM, DECIMALS, false), upper(L::EXCLUSIVE_MAXIMUM, DECIMALS, true)] };
    match (least, above, most, below) {
        (Some((least, rule)), _, _, _) if value < least => Some(rule),
        (_, Some((least, rule)), _, _) if value < least => Some(rule),
        (_, _, Some((most, rule)), _) if value > most => Some(rule),
        (_, _, _, Some((most, rule))) if value > most => Some(rule),
        _ => None,
    }
}

/// The limit of `L` of which the magnitude of an integer is no multiple.
macro_rules! multiple {
    ($magnitude:expr, $type:ty, $limits:ident, $decimals:expr) => {
        const { $crate::json_schema::range::divisor($limits::MULTIPLE_OF, $decimals) }.and_then(|(divisor, rule)| {
            let magnitude: $type = $magnitude;
            let rest =
                <$type>::try_from(divisor).map_or(magnitude, |divisor| magnitude.checked_rem(divisor).unwrap_or(0));
            (rest != 0).then_some(rule)
        })
    };
}
pub(super) use multiple;

/// The first limit of `L` that a float violates. NaN violates each.
macro_rules! float {
    ($value:expr, $limits:ident, $field:ident) => {{
        let value = $value;
        let is_multiple = |limit: $crate::json_schema::Limit| {
            let quotient = value / limit.$field;
            // as PyPI `jsonschema` computes it
            let rest = if limit.is_integer() || quotient.is_infinite() { value % limit.$field } else { quotient % 1.0 };
            rest == 0.0
        };
        match (
            $limits::MINIMUM,
            $limits::EXCLUSIVE_MINIMUM,
            $limits::MAXIMUM,
            $limits::EXCLUSIVE_MAXIMUM,
            $limits::MULTIPLE_OF,
        ) {
            (Some(least), _, _, _, _) if value.is_nan() || value < least.$field => Some(least.rule),
            (_, Some(least), _, _, _) if value.is_nan() || value <= least.$field => Some(least.rule),
            (_, _, Some(most), _, _) if value.is_nan() || value > most.$field => Some(most.rule),
            (_, _, _, Some(most), _) if value.is_nan() || value >= most.$field => Some(most.rule),
            (_, _, _, _, Some(of)) if !is_multiple(of) => Some(of.rule),
            _ => None,
        }
    }};
}
pub(super) use float;

impl Limit {
    /// Whether the number is written without a fraction.
    pub(super) const fn is_integer(&self) -> bool {
        !Scaled::of(self.text, 0).has_point
    }
}

/// The least integer that is not below the limit, or above it if `is_exclusive`.
const fn lower(limit: Option<Limit>, decimals: u8, is_exclusive: bool) -> Bound {
    let Some(limit) = limit else { return None };
    let number = Scaled::of(limit.text, decimals);
    // a fraction is cut toward zero
    let is_next = if number.has_rest { !number.is_negative } else { is_exclusive };
    Some((number.signed().saturating_add(is_next as i128), limit.rule))
}

/// The greatest integer that is not above the limit, or below it if `is_exclusive`.
const fn upper(limit: Option<Limit>, decimals: u8, is_exclusive: bool) -> Bound {
    let Some(limit) = limit else { return None };
    let number = Scaled::of(limit.text, decimals);
    let is_next = if number.has_rest { number.is_negative } else { is_exclusive };
    Some((number.signed().saturating_sub(is_next as i128), limit.rule))
}

/// The least positive integer of which each multiple, in units of the last of `decimals` decimals, is a multiple of the limit.
pub(super) const fn divisor(limit: Option<Limit>, decimals: u8) -> Option<(u128, Rule)> {
    let Some(limit) = limit else { return None };
    // n units are a multiple of p / 10^scale if p divides n * 10^scale, so if p / gcd(p, 10^scale) divides n
    let mut scale = decimals;
    let mut number = Scaled::of(limit.text, scale);
    while number.has_rest && scale < MAX_SCALE {
        scale = scale.wrapping_add(1);
        number = Scaled::of(limit.text, scale);
    }
    let (mut divisor, mut factor) = (number.magnitude, 1u128);
    while scale > decimals {
        (scale, factor) = (scale.wrapping_sub(1), factor.saturating_mul(10));
    }
    let common = common_divisor(divisor, factor);
    divisor = match divisor.checked_div(common) {
        Some(0) | None => 1,
        Some(divisor) => divisor,
    };
    Some((divisor, limit.rule))
}

/// Powers of ten up to this one have 128 bits.
const MAX_SCALE: u8 = 38;

const fn common_divisor(mut a: u128, mut b: u128) -> u128 {
    while let Some(rest) = a.checked_rem(b) {
        (a, b) = (b, rest);
    }
    a
}

/// A decimal fraction times a power of ten.
#[derive(Clone, Copy)]
struct Scaled {
    is_negative: bool,
    /// Without the rest; the greatest number for all greater ones.
    magnitude: u128,
    /// Whether there are further decimals, other than zeros.
    has_rest: bool,
    has_point: bool,
}

impl Scaled {
    /// `text`, a number without an exponent, times 10 to the power of `decimals`.
    const fn of(text: &str, decimals: u8) -> Self {
        let mut number = Self { is_negative: false, magnitude: 0, has_rest: false, has_point: false };
        let mut missing = decimals;
        let mut rest = text.as_bytes();
        while let [first, behind @ ..] = rest {
            match *first {
                b'-' => number.is_negative = true,
                b'.' => number.has_point = true,
                digit if number.has_point && missing == 0 => number.has_rest = number.has_rest || digit != b'0',
                digit => {
                    number.append(digit & 0x0F);
                    missing = missing.wrapping_sub(number.has_point as u8);
                }
            }
            rest = behind;
        }
        while missing > 0 {
            number.append(0);
            missing = missing.wrapping_sub(1);
        }
        number
    }

    const fn append(&mut self, digit: u8) {
        self.magnitude = self.magnitude.saturating_mul(10).saturating_add(digit as u128);
    }

    /// The nearest integer of 128 bits.
    const fn signed(self) -> i128 {
        let most = i128::MAX.unsigned_abs();
        let magnitude = if self.magnitude > most { most } else { self.magnitude };
        let number = magnitude.cast_signed();
        if self.is_negative { number.wrapping_neg() } else { number }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(text: &'static str) -> Option<Limit> {
        Some(Limit { rule: &"", text, wide: 0.0, short: 0.0 })
    }

    #[test]
    fn limits_become_the_next_integers() {
        for (text, decimals, [least, above, most, below]) in [
            ("5", 0, [5, 6, 5, 4]),
            ("0", 0, [0, 1, 0, -1]),
            ("-0", 0, [0, 1, 0, -1]),
            ("-5", 0, [-5, -4, -5, -6]),
            ("0.5", 0, [1, 1, 0, 0]),
            ("-0.5", 0, [0, 0, -1, -1]),
            ("1.50", 1, [15, 16, 15, 14]),
            ("1.55", 1, [16, 16, 15, 15]),
            ("-1.55", 1, [-15, -15, -16, -16]),
            ("7", 3, [7000, 7001, 7000, 6999]),
        ] {
            let bounds = [
                lower(limit(text), decimals, false),
                lower(limit(text), decimals, true),
                upper(limit(text), decimals, false),
                upper(limit(text), decimals, true),
            ];
            assert_eq!(
                bounds.map(|bound| bound.map(|(number, _)| number)),
                [least, above, most, below].map(Some),
                "{text}"
            );
        }
        const LONG: &str = "999999999999999999999999999999999999999999";
        assert_eq!(lower(limit(LONG), 0, false).map(|(number, _)| number), Some(i128::MAX));
        assert_eq!(lower(None, 0, false), None);
        assert_eq!(upper(None, 0, false), None);
    }

    #[test]
    fn divisors_count_units() {
        for (text, decimals, expected) in [
            ("5", 0, 5),
            ("0.5", 0, 1),
            ("1.5", 0, 3),
            ("0.75", 0, 3),
            ("2.5", 0, 5),
            ("5", 2, 500),
            ("0.05", 2, 5),
            ("0.005", 2, 1),
            ("0.025", 2, 5),
            ("7.0", 0, 7),
            // 10^-40, which divides everything
            ("0.0000000000000000000000000000000000000001", 0, 1),
        ] {
            assert_eq!(divisor(limit(text), decimals).map(|(number, _)| number), Some(expected), "{text}");
        }
        assert_eq!(divisor(None, 0), None);
    }
}
