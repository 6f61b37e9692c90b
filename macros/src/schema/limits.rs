//! Refuses numbers that a keyword of JSON Schema cannot have, and pairs of limits that no value satisfies.

use core::cmp::Ordering;

use syn::{Error, Result};

use super::attributes::{Keyword, NUMBERS};

/// Lower and upper limits, and whether a value can be equal to both.
const PAIRS: [(&str, &str, bool); 6] = [
    ("minimum", "maximum", true),
    ("minimum", "exclusiveMaximum", false),
    ("exclusiveMinimum", "maximum", false),
    ("exclusiveMinimum", "exclusiveMaximum", false),
    ("minLength", "maxLength", true),
    ("minItems", "maxItems", true),
];

/// Checks the numbers of `keywords` (JSON Schema Validation 2020-12 §6).
pub(super) fn check(keywords: &[Keyword]) -> Result<()> {
    let number = |name: &str| {
        let keyword = keywords.iter().find(|keyword| keyword.name == name)?;
        Some((keyword, Number::read(keyword.number.as_ref()?)))
    };
    for keyword in keywords {
        let Some(number) = keyword.number.as_ref().map(|text| Number::read(text)) else { continue };
        let refused = |message| Err(Error::new(keyword.span, message));
        match keyword.name {
            "minLength" | "maxLength" | "minItems" | "maxItems" if !number.is_length() => {
                return refused("a length is an integer of at least zero");
            }
            "multipleOf" if number <= Number::ZERO => {
                return refused("`multiple_of` needs a number above zero");
            }
            _ => {}
        }
    }
    for (lower, upper, may_be_equal) in PAIRS {
        let (Some((_, least)), Some((keyword, most))) = (number(lower), number(upper)) else { continue };
        if least > most || (least == most && !may_be_equal) {
            let lower = NUMBERS.iter().find(|(_, name)| *name == lower).map_or(lower, |(name, _)| *name);
            return Err(Error::new(keyword.span, format!("no value satisfies both this limit and `{lower}`")));
        }
    }
    Ok(())
}

/// A decimal number, of any size and exact.
#[derive(PartialEq, Eq, Debug)]
struct Number<'t> {
    is_negative: bool,
    /// Without zeros in front.
    integer: &'t str,
    /// Without zeros at the end.
    fraction: &'t str,
}

impl<'t> Number<'t> {
    const ZERO: Self = Self { is_negative: false, integer: "", fraction: "" };

    /// Reads a number without an exponent.
    fn read(text: &'t str) -> Self {
        let (digits, is_negative) = text.strip_prefix('-').map_or((text, false), |digits| (digits, true));
        let (integer, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let (integer, fraction) = (integer.trim_start_matches('0'), fraction.trim_end_matches('0'));
        // `-0` equals `0`
        Self { is_negative: is_negative && !(integer.is_empty() && fraction.is_empty()), integer, fraction }
    }

    fn is_length(&self) -> bool {
        !self.is_negative && self.fraction.is_empty()
    }

    /// Compares two numbers without their signs.
    fn compare_digits(&self, other: &Self) -> Ordering {
        let by_len = self.integer.len().cmp(&other.integer.len());
        by_len.then(self.integer.cmp(other.integer)).then(self.fraction.cmp(other.fraction))
    }
}

impl Ord for Number<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.is_negative, other.is_negative) {
            (false, false) => self.compare_digits(other),
            (true, true) => other.compare_digits(self),
            (is_negative, _) => {
                if is_negative {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
        }
    }
}

impl PartialOrd for Number<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_order() {
        let ordered =
            ["-100.5", "-100", "-20", "-1.25", "-1.2", "-0.5", "0", "0.05", "0.5", "0.75", "1", "1.01", "3", "20"]
                .into_iter()
                .chain(["18446744073709551615", "18446744073709551616", "340282366920938463463374607431768211455"]);
        let ordered: Vec<_> = ordered.map(Number::read).collect();
        assert!(ordered.is_sorted_by(|earlier, later| earlier < later));
        for (same, other) in [("-0", "0"), ("0.0", "0"), ("1.50", "1.5"), ("-0.0", "0")] {
            assert_eq!(Number::read(same), Number::read(other));
        }
    }
}
