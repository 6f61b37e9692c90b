//! Floats are read as `core` reads them: the nearest float, ties to even. 64-bit hosts use another parser.
#![cfg(feature = "serde")]

use crate::payload_types::for_each;
use nanojsonrpc::RawValue;
use proptest::prelude::*;

/// Reads the number alone, and in an array before another number.
fn is_read_as_core_reads_it(number: &str) {
    let (double, single): (f64, f32) = (number.parse().unwrap(), number.parse().unwrap());
    let (double, single) =
        (Some(double).filter(|float| float.is_finite()), Some(single).filter(|float| float.is_finite()));
    let alone = RawValue::parse(number.as_bytes()).expect("a number");
    assert_eq!(alone.as_f64().map(f64::to_bits), double.map(f64::to_bits), "{number}");
    assert_eq!(alone.read().ok().map(f64::to_bits), double.map(f64::to_bits), "{number}");
    assert_eq!(alone.read().ok().map(f32::to_bits), single.map(f32::to_bits), "{number}");
    for between in [",", " ,\n"] {
        let text = format!("[{number}{between}{number}]");
        let pair = RawValue::parse(text.as_bytes()).expect("an array");
        let bits = |pair: [f64; 2]| pair.map(f64::to_bits);
        assert_eq!(pair.read().ok().map(bits), double.map(|float| bits([float, float])), "{text}");
        let bits = |pair: [f32; 2]| pair.map(f32::to_bits);
        assert_eq!(pair.read().ok().map(bits), single.map(|float| bits([float, float])), "{text}");
    }
}

#[test]
fn a_number_between_two_is_rounded_to_the_nearest() {
    for number in [
        "0",
        "-0",
        "0.0",
        "-0.0",
        "0e999999999999",
        "1E+2",
        "1e-2",
        "12.0",
        "-1.5e3",
        // 2^53 + 1, and 2^24 + 1
        "9007199254740993",
        "9007199254740993.0",
        "9007199254740992.9999999999999999999",
        "9007199254740993.0000000000000001",
        "16777217",
        "16777217.0",
        "16777216.99999999999",
        "16777217.00000000001",
        // halfway between 1 and the next float, and beside it
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "1.000000059604644775390625",
        "1.000000059604644775390624",
        "1.000000059604644775390626",
        // the largest floats, and the first numbers that are too large
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1.797693134862315807e308",
        "3.4028234663852886e38",
        "3.4028235677973366e38",
        "3.4028235677973362e38",
        "3.4028235677973367e38",
        // the smallest ones
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "7.0064923216240853e-46",
        "7.0064923216240854e-46",
        "7.0064923216240862e-46",
        "1e-400",
        "123456789012345678901234567890e-10",
        "0.000000000000000000000000000000000000000000000000000000012345678901234567890123",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775809",
        "184467440737095516150000000000000000000.5",
    ] {
        is_read_as_core_reads_it(number);
    }
    // more digits than a decimal of fixed size stores
    let halfway = "1.00000000000000011102230246251565404236316680908203125";
    for zeros in [100, 700, 800, 3_000] {
        is_read_as_core_reads_it(&format!("{halfway}{}", "0".repeat(zeros)));
        is_read_as_core_reads_it(&format!("{halfway}{}1", "0".repeat(zeros)));
        is_read_as_core_reads_it(&format!("0.{}1e{zeros}", "0".repeat(zeros)));
        is_read_as_core_reads_it(&format!("1{}e-{zeros}", "0".repeat(zeros)));
    }
}

#[test]
fn an_exponent_of_any_length_is_read() {
    for digits in [65_000, 65_537, 655_360, if cfg!(miri) { 65_001 } else { 1_000_000 }] {
        let zeros = "0".repeat(digits);
        for (number, float) in [
            (format!("0.{zeros}15e{}", digits + 1), Some(1.5)),
            (format!("-0.{zeros}15e{}", digits + 309), Some(-1.5e308)),
            (format!("0.{zeros}15e{}", digits + 310), None),
            (format!("15{zeros}e-{}", digits + 1), Some(1.5)),
            (format!("15{zeros}.0E-{digits}0"), Some(0.0)),
            (format!("0.{zeros}15e{digits}0"), None),
        ] {
            let number = RawValue::parse(number.as_bytes()).expect("a number");
            assert_eq!((number.as_f64(), number.read().ok()), (float, float), "{digits} zeros");
        }
    }
    for (exponent, float) in
        [("99999999999999999999", None), ("-99999999999999999999", Some(0.0)), ("4294967297", None)]
    {
        let number = format!("1e{exponent}");
        assert_eq!(RawValue::parse(number.as_bytes()).expect("a number").as_f64(), float, "{number}");
    }
}

#[test]
fn any_number_is_rounded_to_the_nearest() {
    let number = "-?(0|[1-9][0-9]{0,30})([.][0-9]{1,40})?([eE][+-]?[0-9]{1,3})?";
    for_each(2_000, number, |number: String| is_read_as_core_reads_it(&number));
    // texts of floats, which are short, and those just beside them
    for_each(2_000, (any::<u64>(), any::<u32>(), 0..10u8), |(double, single, digit)| {
        let (double, single) = (f64::from_bits(double), f32::from_bits(single));
        for text in [double.to_string(), format!("{double:e}"), format!("{single:e}")] {
            if text.contains(|c: char| c.is_ascii_digit()) {
                is_read_as_core_reads_it(&text);
                if text.contains('.') && !text.contains('e') {
                    is_read_as_core_reads_it(&format!("{text}{digit}"));
                }
            }
        }
    });
}
