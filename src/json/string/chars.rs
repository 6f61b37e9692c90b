//! Iterators over the characters of a string and their bytes.

use core::iter::FusedIterator;

use super::hex_value;
use crate::json::machine::unescaped;

shared_on_devices! {
    /// Consumes `len` bytes that end with `4HEXDIG`, the lowest 16 bits of the result; validated text has all of them.
    fn hex_unit(rest: &mut core::slice::Iter<'_, u8>, len: usize) -> u32 {
        rest.take(len).fold(0, |unit, digit| unit << 4 | u32::from(hex_value(*digit)))
    }
}

/// The UTF-8 bytes of a character, the first one lowest. RFC 3629 §3.
const fn utf8(mut code_point: u32) -> u32 {
    if code_point < 0x80 {
        return code_point;
    }
    // The capacity of the first byte: 5 bits before one continuation byte, and one bit less for each other.
    let (mut bytes, mut most) = (0, 0x3F);
    while code_point > most {
        bytes = bytes << 8 | 0x80 | code_point & 0x3F;
        code_point >>= 6;
        most >>= 1;
    }
    bytes << 8 | code_point | !most << 1 & 0xFF
}

/// The decoded characters of a [`RawStr`](super::RawStr).
#[derive(Clone, Debug)]
pub struct Chars<'a> {
    rest: core::slice::Iter<'a, u8>,
}

#[cfg(feature = "defmt")]
impl defmt::Format for Chars<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        super::RawStr::validated(self.rest.as_slice()).format(f);
    }
}

/// The bytes of the decoded text of a [`RawStr`](super::RawStr): half the flash of an iteration through `char`.
pub(crate) struct Bytes<'a> {
    chars: Chars<'a>,
    /// The remaining bytes of an escaped character, the next one lowest; 0 without remaining bytes.
    rest: u32,
}

impl<'a> Bytes<'a> {
    pub(super) const fn new(chars: Chars<'a>) -> Self {
        Self { chars, rest: 0 }
    }
}

impl Iterator for Bytes<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        if self.rest == 0 {
            let byte = self.chars.byte()?;
            if byte != b'\\' {
                return Some(byte);
            }
            self.rest = utf8(self.chars.escaped()?);
        }
        let [byte, ..] = self.rest.to_le_bytes();
        self.rest >>= 8;
        Some(byte)
    }
}

impl<'a> Chars<'a> {
    pub(super) fn new(raw: &'a [u8]) -> Self {
        Self { rest: raw.iter() }
    }

    /// The text still to decode.
    pub(in crate::json) fn as_slice(&self) -> &'a [u8] {
        self.rest.as_slice()
    }

    fn byte(&mut self) -> Option<u8> {
        self.rest.next().copied()
    }

    /// The next byte, or the bytes of an escaped character, the first one lowest. `None` at the end and at the closing
    /// quotation mark.
    pub(in crate::json) fn next_bytes(&mut self) -> Option<u32> {
        match self.byte()? {
            b'"' => None,
            b'\\' => self.escaped().map(utf8),
            byte => Some(byte.into()),
        }
    }

    /// The character of the escape after a backslash.
    fn escaped(&mut self) -> Option<u32> {
        let letter = self.byte()?;
        if letter != b'u' {
            return Some(unescaped(letter));
        }
        let high = hex_unit(&mut self.rest, 4);
        if high >> 10 != 0x36 {
            return Some(high);
        }
        // a surrogate pair, with \u before the low half
        let low = hex_unit(&mut self.rest, 6);
        Some(((high & 0x3FF) << 10 | low & 0x3FF).wrapping_add(0x1_0000))
    }
}

impl Iterator for Chars<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let first = u32::from(self.byte()?);
        let code_point = if first == u32::from(b'\\') {
            self.escaped()?
        } else {
            // In the lead byte, each 1 after the highest bit stands for a continuation byte, which adds six bits. `bit` masks the next such
            // 1. Each continuation byte moves that 1 one place down, and moves all bits six places up. RFC 3629 §3.
            let (mut code_point, mut bit) = (first, 0x40);
            if first >= 0x80 {
                while code_point & bit != 0 {
                    code_point = code_point << 6 | u32::from(self.byte()? & 0x3F);
                    bit <<= 5;
                }
                code_point &= bit.wrapping_sub(1);
            }
            code_point
        };
        // a character, because the text is validated
        char::from_u32(code_point)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // the longest spelling of a character is a surrogate pair: twelve bytes
        let len = self.rest.len();
        (len.div_ceil(12), Some(len))
    }
}

impl FusedIterator for Chars<'_> {}
