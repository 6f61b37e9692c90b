//! Writing byte by byte, and integers digit by digit.

use crate::json::Writer;
use crate::json::decimal::divide_by_ten;
use crate::json::write::FULL;

impl Writer<'_> {
    /// `put` without growth. A loop: `memcpy` is 756 bytes of flash.
    #[inline(always)]
    pub(in crate::json) fn put_within(&mut self, bytes: &[u8]) {
        let end = self.len.wrapping_add(bytes.len());
        let mut room = self.out.get_mut(self.len..).unwrap_or_default().iter_mut();
        for byte in bytes {
            match room.next() {
                Some(place) => *place = *byte,
                None => {
                    self.len = FULL;
                    return;
                }
            }
        }
        self.len = end;
    }

    /// Appends a string with its quotation marks. Escapes only the characters that RFC 8259 §7 requires.
    #[inline(never)]
    pub(crate) fn put_string(&mut self, text: &str) {
        self.put_byte(b'"');
        self.put_escaped(text);
        self.put_byte(b'"');
    }

    /// Appends an integer, given as sign and magnitude, in decimal.
    #[inline(never)]
    pub(crate) fn put_integer(&mut self, negative: bool, magnitude: u64) {
        if negative {
            self.put_byte(b'-');
        }
        // write in place: the compiler would clear a buffer on the stack first, and `memclr` is 174 bytes of flash
        let (mut len, mut limit) = (1usize, 10u64);
        while magnitude >= limit && len < 20 {
            len = len.wrapping_add(1);
            limit = limit.wrapping_mul(10);
        }
        let end = self.len.wrapping_add(len);
        #[cfg(feature = "alloc")]
        if self.lacks(len) {
            return self.put_integer_beyond(len, negative, magnitude);
        }
        let Some(digits) = self.out.get_mut(self.len..end) else {
            self.len = FULL;
            return;
        };
        let mut left = magnitude;
        for place in digits.iter_mut().rev() {
            let digit;
            (left, digit) = divide_by_ten(left);
            *place = b'0'.wrapping_add(digit);
        }
        self.len = end;
    }
}

/// The number of bytes at the front of `text` that need no escape.
pub(in crate::json) fn plain_text_len(text: &[u8]) -> usize {
    text.iter().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\')).unwrap_or(text.len())
}
