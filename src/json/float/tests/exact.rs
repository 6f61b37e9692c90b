//! Points halfway between floats, exactly: integers of decimal digits.

use super::std::string::{String, ToString as _};
use super::std::vec::Vec;

/// `digits * 10^exponent`, which ends with no 0; the last digit comes first.
pub(super) struct Exact {
    digits: Vec<u8>,
    exponent: i64,
}

impl Exact {
    /// `mantissa * 2^exponent`.
    pub(super) fn new(mantissa: u64, exponent: i32) -> Self {
        let digits = mantissa.to_string().bytes().rev().map(|digit| digit - b'0').collect();
        let mut exact = Self { digits, exponent: exponent.min(0).into() };
        // 2^-1 is 5 * 10^-1
        let (base, mut left) = if exponent < 0 { (5u64, -exponent) } else { (2, exponent) };
        while left > 0 {
            let count = left.min(13);
            exact.multiply(base.pow(count as u32));
            left -= count;
        }
        exact
    }

    fn multiply(&mut self, factor: u64) {
        let mut carry = 0;
        for digit in &mut self.digits {
            carry += u64::from(*digit) * factor;
            *digit = (carry % 10) as u8;
            carry /= 10;
        }
        while carry != 0 {
            self.digits.push((carry % 10) as u8);
            carry /= 10;
        }
    }

    /// Adds a number with the same exponent.
    #[cfg(feature = "serde")]
    pub(super) fn add(&mut self, other: &Self) {
        assert_eq!(self.exponent, other.exponent);
        let mut carry = 0;
        self.digits.resize(self.digits.len().max(other.digits.len()) + 1, 0);
        for (at, digit) in self.digits.iter_mut().enumerate() {
            let sum = *digit + other.digits.get(at).unwrap_or(&0) + carry;
            (*digit, carry) = if sum < 10 { (sum, 0) } else { (sum - 10, 1) };
        }
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
    }

    /// The digits as text, and the exponent of the last one.
    pub(super) fn digits(&self) -> (String, i64) {
        (self.digits.iter().rev().map(|digit| char::from(b'0' + digit)).collect(), self.exponent)
    }
}
