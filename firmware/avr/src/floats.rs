//! A digest of floats that are read and written, to compare chips with a 64-bit host, which has other code for them.

use nanojsonrpc::{RawValue, Writer};

/// The lines of [`Floats`]: one for each digest.
pub const LINES: usize = 200;

/// Texts that are halfway between two floats, beside such points, at both ends, or long.
const HARD: &[&str] = &[
    "21.5",
    "-0",
    "0e999999999999",
    "16777217",
    "9007199254740993",
    "9007199254740993.00000000000000000000000000000000000000000000000001",
    "1.00000017881393432617187499",
    "3.4028235677973366e38",
    "1.7976931348623158e308",
    "1.7976931348623159e308",
    "2.2250738585072011e-308",
    "2.4703282292062328e-324",
    "7.0064923216240853e-46",
    "1e-99999999999999999999",
    "9324754620109615e212",
    "6372891218502368041059e64",
    "0.0000000000000000000000000000000000000000000011754942807573642918278299103e8",
];

/// Digests of numbers that are read, and of random floats that are written and read back.
pub struct Floats {
    dice: u32,
    digest: u32,
    line: usize,
}

impl Default for Floats {
    fn default() -> Self {
        Self { dice: 1, digest: 0x811C_9DC5, line: 0 }
    }
}

impl Floats {
    /// FNV-1a.
    fn byte(&mut self, byte: u8) {
        self.digest = (self.digest ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }

    /// A step of a linear congruential generator, of which the high bits are taken.
    fn roll(&mut self) -> u16 {
        self.dice = self.dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.dice >> 16) as u16
    }

    /// Adds the floats that are nearest to a number.
    #[inline(never)]
    fn read(&mut self, number: &[u8]) {
        let value = RawValue::parse(number).unwrap_or(RawValue::NULL);
        let single = value.as_f32().map_or(u32::MAX, f32::to_bits);
        let double = value.as_f64().map_or(u64::MAX, f64::to_bits);
        single.to_le_bytes().into_iter().chain(double.to_le_bytes()).for_each(|byte| self.byte(byte));
    }

    /// Adds the texts of two floats.
    #[inline(never)]
    fn write(&mut self, single: f32, double: f64) {
        let mut room = [0; 64];
        let mut out = Writer::new(&mut room);
        _ = out.value(&single);
        let len = out.len();
        _ = out.value(&double);
        let (single, double) = out.written().split_at_checked(len).unwrap_or_default();
        for text in [single, double] {
            text.iter().for_each(|byte| self.byte(*byte));
            self.read(text);
        }
    }

    /// Up to 24 digits with a point among them and an exponent.
    fn number(&mut self) {
        let mut text = [b'0'; 32];
        let (mut len, count) = (0usize, self.roll() % 24 + 2);
        let dot = self.roll() % count + 1;
        let mut put = |byte| {
            if let Some(place) = text.get_mut(len) {
                *place = byte;
            }
            len += 1;
        };
        for at in 0..count {
            if at == dot {
                put(b'.');
            }
            let digit = (self.roll() % 10) as u8;
            put(b'0' + if at == 0 && digit == 0 { 1 } else { digit });
        }
        put(b'e');
        let exponent = self.roll() % 400;
        if exponent & 1 != 0 {
            put(b'-');
        }
        [exponent / 100, exponent / 10 % 10, exponent % 10].into_iter().for_each(|digit| put(b'0' + digit as u8));
        let text = text.get(..len).unwrap_or_default();
        self.read(text);
    }
}

impl Iterator for Floats {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.line == LINES {
            return None;
        }
        if let Some(text) = HARD.get(self.line) {
            self.read(text.as_bytes());
        }
        self.number();
        let bits = u32::from(self.roll()) << 16 | u32::from(self.roll());
        let high = u64::from(self.roll()) << 48 | u64::from(self.roll()) << 32 | u64::from(bits);
        self.write(f32::from_bits(bits), f64::from_bits(high));
        self.line += 1;
        Some(self.digest)
    }
}
