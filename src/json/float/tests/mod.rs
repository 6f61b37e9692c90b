//! Compares floats with those of `core`, and their texts with those of `zmij`.
//!
//! A sample; with `NANOJSONRPC_FLOATS=K/N`, which `.ci/test floats=K/N` sets, share K of N of all positive `f32` and of 10^8 other numbers.

extern crate std;

mod exact;
#[cfg(feature = "serde")]
mod written;

use core::fmt::{Debug, LowerExp};
use core::str::FromStr;
use std::string::{String, ToString as _};
use std::{env, format};

use super::Decimal;
use exact::Exact;

/// A float with bits that can be compared.
trait Bits: Decimal + FromStr<Err: Debug> + LowerExp {
    fn bits(self) -> u64;
}

impl Bits for f32 {
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

impl Bits for f64 {
    fn bits(self) -> u64 {
        self.to_bits()
    }
}

/// Pseudo-random numbers: xorshift64*.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// The share of all numbers that this run takes, if it is more than a sample.
fn share() -> Option<(u64, u64)> {
    let share = env::var("NANOJSONRPC_FLOATS").ok()?;
    let (at, of) = share.split_once('/').expect("K/N");
    Some((at.parse().expect("a number"), of.parse().expect("a number")))
}

/// Calls `check` with random numbers: as many as a sample or a share has.
fn roll(sample: u64, mut check: impl FnMut(&mut Dice)) {
    let (at, count) = share().map_or((0, sample), |(at, of)| (at, 100_000_000 / of));
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ at << 32);
    (0..if cfg!(miri) { 20 } else { count }).for_each(|_| check(&mut dice));
}

fn is_nearest_of<F: Bits>(text: &str) {
    let theirs: F = text.parse().expect("a number");
    assert_eq!(F::read(text.as_bytes()).bits(), theirs.bits(), "{text} is not {theirs:e}");
}

/// Both floats, with both signs, are the ones of `core`.
fn is_nearest(text: &str) {
    is_nearest_of::<f32>(text);
    is_nearest_of::<f64>(text);
    let negative = format!("-{text}");
    is_nearest_of::<f32>(&negative);
    is_nearest_of::<f64>(&negative);
}

/// [`is_nearest`] for the digits at each of a few positions of the point.
fn is_nearest_anywhere(digits: &str, exponent: i64) {
    is_nearest(&format!("{digits}e{exponent}"));
    for shift in [1, 2, digits.len() / 2, digits.len() - 1] {
        if (1..digits.len()).contains(&shift) {
            let (front, back) = digits.split_at(digits.len() - shift);
            is_nearest(&format!("{front}.{back}E{:+}", exponent + shift as i64));
        }
    }
    is_nearest(&format!("0.000{digits}e{}", exponent + 3 + digits.len() as i64));
    is_nearest(&format!("{digits}000e{}", exponent - 3));
}

#[test]
fn short_numbers_are_nearest() {
    for text in [
        "0",
        "0.0",
        "0e0",
        "0e999999999999",
        "0E-99999999999999999999",
        "1",
        "10",
        "100",
        "1e0",
        "1e1",
        "1E+2",
        "1e-2",
        "21.5",
        "12.0",
        "1.50000",
        "1.5e3",
        "0.1",
        "0.3",
        "1e400",
        "1e-400",
        "1e39",
        "1e-50",
        "1e310",
        "1e311",
        "1e309",
        "1e-324",
        "1e-323",
        "1e38",
        "1e999999999999999999999999",
        "1e-999999999999999999999999",
        "1e4294967296",
        "1e-4294967297",
        "1e2147483647",
        "1e2147483648",
        "1e2147483650",
        "1e-2147483650",
        "1e-2147483648",
        "1e18446744073709551617",
        "0.00001e5",
        "100000e-5",
        "123456789012345678901234567890e-10",
        "18446744073709551615",
        "18446744073709551616",
        "9007199254740993",
        "16777217",
        "340282356779733661637539395458142568447.9999999",
        "340282356779733661637539395458142568448",
        "3.4028234663852886e38",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "7.0064923216240853e-46",
        "7.0064923216240862e-46",
        "1.1754943508222875e-38",
        "1.1754942807573643e-38",
    ] {
        is_nearest(text);
    }
    for digit in '0'..='9' {
        for exponent in -345..=320 {
            is_nearest(&format!("{digit}e{exponent}"));
        }
    }
}

/// Numbers that are close to halfway points.
///
/// Source: V. Paxson, "A Program for Testing IEEE Decimal-Binary Conversion", tables 1 and 2.
#[test]
fn hard_numbers_are_nearest() {
    for text in [
        "5e125",
        "69e267",
        "999e-26",
        "7861e-34",
        "75569e-254",
        "928609e-261",
        "9210917e80",
        "84863171e114",
        "653777767e273",
        "5232604057e-298",
        "27235667517e-109",
        "653532977297e-123",
        "3142213164987e-294",
        "46202199371337e-72",
        "231010996856685e-73",
        "9324754620109615e212",
        "78459735791271921e49",
        "272104041512242479e200",
        "6802601037806061975e198",
        "20505426358836677347e-221",
        "836168422905420598437e-234",
        "4891559871276714924261e222",
        "9e-265",
        "85e-37",
        "623e100",
        "3571e263",
        "81661e153",
        "920657e-23",
        "4603285e-24",
        "87575437e-309",
        "245540327e122",
        "6138508175e120",
        "83356057653e193",
        "619534293513e124",
        "2335141086879e218",
        "36167929443327e-159",
        "609610927149051e-255",
        "3743626360493413e-165",
        "94080055902682397e-242",
        "899810892172646163e283",
        "7120190517612959703e120",
        "25188282901709339043e-252",
        "308984926168550152811e-52",
        "6372891218502368041059e64",
        "6.631236846766476e-316",
        "5.0e-324",
        "9.5367431640625e-7",
        "1.448997445238699",
        "8.98846567431158e307",
        "0.500000000000000166533453693773481063544750213623046875",
        "3.518437208883201171875e13",
        "62.5364939768271845828",
        "8.10109172351e-10",
        "6929495644600919.5",
        "3.7455744005952583e15",
        "1.2177e-10",
        "2.5843e-17",
        "16777215.5",
        "8388608.5",
        "0.000030517578125",
        "1.3563156426940112e-19",
    ] {
        is_nearest(text);
    }
}

#[test]
fn points_halfway_between_floats_are_even_at_every_exponent() {
    let mut dice = Dice(1);
    let step = if cfg!(miri) { 211 } else { 1 };
    let f64_exponents = (-1_075..=971).map(|exponent| (f64::MANTISSA_DIGITS, exponent));
    let f32_exponents = (-150..=104).map(|exponent| (f32::MANTISSA_DIGITS, exponent));
    for (digits, exponent) in f64_exponents.chain(f32_exponents).step_by(step) {
        let hidden = 1u64 << (digits - 1);
        let random = dice.below(hidden);
        for mantissa in [0, 1, hidden - 1, random, dice.below(16), random & !0xFF] {
            // also subnormal numbers
            for mantissa in [mantissa, mantissa | hidden] {
                let halfway = Exact::new(2 * mantissa + 1, exponent - 1);
                let (text, power) = halfway.digits();
                is_nearest_anywhere(&text, power);
                // beside it
                is_nearest(&format!("{text}1e{}", power - 1));
                is_nearest(&format!("{}e{power}", before(&text)));
            }
        }
    }
}

/// A number of as many digits, less by one in the last place.
fn before(digits: &str) -> String {
    let mut digits = digits.as_bytes().to_vec();
    for digit in digits.iter_mut().rev() {
        if *digit != b'0' {
            *digit -= 1;
            break;
        }
        *digit = b'9';
    }
    let digits = String::from_utf8(digits).expect("digits");
    match digits.trim_start_matches('0') {
        "" => "0".to_string(),
        digits => digits.to_string(),
    }
}

#[test]
fn a_digit_behind_any_number_of_digits_decides() {
    // the longest halfway points: 113 and 768 digits
    for halfway in
        [Exact::new((1 << 25) - 1, -150), Exact::new((1 << 54) - 1, -1_075), Exact::new(3, -1_075), Exact::new(3, -1)]
    {
        let (text, power) = halfway.digits();
        for zeros in [0, 1, 2, 3, 10, 100, 655, 656, 657, 700, 1_000, if cfg!(miri) { 1 } else { 100_000 }] {
            let power = power - zeros as i64;
            let zeros = "0".repeat(zeros);
            is_nearest(&format!("{text}{zeros}e{power}"));
            is_nearest(&format!("{text}{zeros}1e{}", power - 1));
            is_nearest(&format!("{text}.{zeros}1e{}", power + zeros.len() as i64));
            is_nearest(&format!("{}{}9e{}", before(&text), zeros.replace('0', "9"), power - 1));
        }
    }
}

#[test]
fn zeros_and_an_exponent_of_the_same_length_cancel_out() {
    for zeros in [0, 1, 5, 6, 7, 8, 50, 330, 1_000, 70_000].into_iter().take(if cfg!(miri) { 7 } else { 10 }) {
        for more in [-400, -330, -324, -310, -50, -46, -45, -1, 0, 1, 37, 38, 39, 307, 308, 309, 400] {
            let text = "0".repeat(zeros);
            is_nearest(&format!("0.{text}12345678901234567890e{}", more + zeros as i64));
            is_nearest(&format!("12345678901234567890{text}e{}", more - zeros as i64));
            is_nearest(&format!("12345678901234567890{text}.{text}e{}", more - zeros as i64).replace(".e", ".0e"));
        }
    }
}

#[test]
fn random_numbers_are_nearest() {
    roll(20_000, |dice| {
        let mut text = String::new();
        let max = if dice.below(4) == 0 { 40 } else { 18 };
        for len in [1 + dice.below(max), dice.below(22)] {
            if !text.is_empty() && len != 0 {
                text.push('.');
            }
            for at in 0..len {
                let is_first = at == 0 && text.is_empty();
                let lowest = u64::from(is_first && len > 1);
                text.push(char::from(b'0' + (lowest + dice.below(10 - lowest)) as u8));
            }
        }
        match dice.below(4) {
            0 => {}
            1 => text += &format!("e{}", dice.below(80) as i64 - 40),
            _ => text += &format!("e{}", dice.below(680) as i64 - 350),
        }
        is_nearest_of::<f64>(&text);
        is_nearest_of::<f32>(&text);
    });
}

#[test]
fn the_shortest_texts_of_core_are_read_back() {
    roll(20_000, |dice| {
        let (double, single) = (f64::from_bits(dice.next()), f32::from_bits(dice.next() as u32));
        if double.is_finite() {
            assert_eq!(f64::read(format!("{double:e}").as_bytes()).to_bits(), double.to_bits(), "{double:e}");
        }
        if single.is_finite() {
            assert_eq!(f32::read(format!("{single:e}").as_bytes()).to_bits(), single.to_bits(), "{single:e}");
        }
    });
}
