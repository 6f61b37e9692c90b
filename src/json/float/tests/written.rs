//! The texts of floats.

use super::std::format;
use super::std::string::{String, ToString as _};
use super::{Bits, Decimal, Dice, Exact, before, roll, share};
use crate::json::Writer;

fn text_of<F: Decimal>(float: F) -> String {
    let mut room = [0; 24];
    let mut out = Writer::over(&mut room);
    float.put(&mut out);
    core::str::from_utf8(out.written()).expect("ASCII").to_string()
}

/// Whether the float is written as zmij writes it, and read back.
fn is_shortest<F: Bits + zmij::Float>(float: F) {
    let text = text_of(float);
    assert_eq!(text, zmij::Buffer::new().format_finite(float), "{float:e}");
    assert_eq!(F::read(text.as_bytes()).bits(), float.bits(), "{text}");
}

/// [`is_shortest`] for both floats, both signs, and those beside them.
fn are_shortest(double: f64) {
    let single = double as f32;
    for double in [double, double.next_up(), double.next_down()].into_iter().filter(|float| float.is_finite()) {
        is_shortest(double);
        is_shortest(-double);
    }
    for single in [single, single.next_up(), single.next_down()].into_iter().filter(|float| float.is_finite()) {
        is_shortest(single);
        is_shortest(-single);
    }
}

#[test]
fn floats_at_every_power_are_written_as_zmij_writes_them() {
    let step = if cfg!(miri) { 101 } else { 1 };
    for exponent in (-345..=308).step_by(step) {
        for digits in ["1", "2", "5", "9", "1.5", "9.999999999999999", "1.2345678901234567", "9007199254740993"] {
            are_shortest(format!("{digits}e{exponent}").parse().expect("a number"));
        }
    }
    let mut dice = Dice(2);
    for exponent in (0..2_047u64).step_by(step) {
        for mantissa in [0, 1, 2, (1 << 52) - 1, dice.below(1 << 52)] {
            are_shortest(f64::from_bits(exponent << 52 | mantissa));
        }
    }
    for exponent in (0..255u32).step_by(step) {
        for mantissa in [0, 1, 2, (1 << 23) - 1, dice.below(1 << 23) as u32] {
            is_shortest(f32::from_bits(exponent << 23 | mantissa));
        }
    }
    for float in
        [0.0, 1.0, f64::MAX, f64::MIN_POSITIVE, f64::EPSILON, f64::from(f32::MAX), f64::from(f32::MIN_POSITIVE)]
    {
        are_shortest(float);
    }
}

#[test]
fn random_floats_are_written_as_zmij_writes_them() {
    roll(20_000, |dice| {
        let (double, single) = (f64::from_bits(dice.next()), f32::from_bits(dice.next() as u32));
        if double.is_finite() {
            is_shortest(double);
        }
        if single.is_finite() {
            is_shortest(single);
        }
        // few digits
        let decimal: f64 =
            format!("{}e{}", dice.below(1_000_000), dice.below(40) as i64 - 20).parse().expect("a number");
        is_shortest(decimal);
        is_shortest(decimal as f32);
    });
}

/// Each positive `f32` of the share, a block of 4,096 after the other: written as zmij does, read back; the points halfway to the next
/// float, and just beside them, are read as the nearest float.
#[test]
fn every_f32_is_written_and_read_back_and_its_halfway_points_are_even() {
    const BLOCK: u32 = 1 << 12;
    let blocks = f32::INFINITY.to_bits() / BLOCK;
    // a sample: 64 blocks, spread over all exponents, of which a few floats are taken
    let (at, of, len) = match share() {
        Some((at, of)) => (at as u32, of as u32, BLOCK),
        None => (7, blocks / if cfg!(miri) { 2 } else { 512 }, if cfg!(miri) { 2 } else { 16 }),
    };
    for block in (0..blocks).filter(|block| block % of == at) {
        // all floats of a block have one exponent
        let bits = block * BLOCK;
        let field = bits >> 23;
        let hidden = if field == 0 { 0 } else { 1 << 23 };
        let mantissa = bits & 0x7F_FFFF | hidden;
        let exponent = field.max(1) as i32 - 151;
        let (mut halfway, step) = (Exact::new(2 * u64::from(mantissa) + 1, exponent), Exact::new(2, exponent));
        for bits in bits..bits + len {
            is_shortest(f32::from_bits(bits));
            let (digits, power) = halfway.digits();
            let even = (bits + 1) & !1;
            for (text, nearest) in [
                (format!("{digits}e{power}"), even),
                (format!("{digits}1e{}", power - 1), bits + 1),
                (format!("{}e{power}", before(&digits)), bits),
            ] {
                assert_eq!(f32::read(text.as_bytes()).to_bits(), nearest, "{text}");
            }
            halfway.add(&step);
        }
    }
}
