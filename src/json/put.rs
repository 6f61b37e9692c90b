//! The pieces of a value, written without a capacity check after each piece.
//!
//! A piece that does not fit sets the length to [`FULL`], and the writer then accepts nothing more. One check at the end of a value is
//! enough. Checks after each piece took a third of the flash of a program that writes a struct.

#[cfg(target_pointer_width = "64")]
use super::host::word::{bytes_below, needs_escape};
use super::{ToJson, ValueWriter, Writer};
#[cfg(target_pointer_width = "64")]
use crate::copy::copy;
use crate::error::{Error, ErrorKind};

/// The length after an overflow.
pub(super) const FULL: usize = usize::MAX;

impl Writer<'_> {
    /// Ends a value that began at the length `before`. After an overflow or a fault, restores that length and returns the error.
    #[cfg_attr(target_pointer_width = "64", inline)]
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub(crate) fn finish(&mut self, before: usize) -> Result<(), Error> {
        if self.len == FULL {
            self.len = before;
            return Err(self.fault.take().unwrap_or(Error::new(ErrorKind::OutputFull, self.out.len())));
        }
        Ok(())
    }

    /// Appends bytes that are valid JSON at this position, or marks the output as full; [`finish`](Self::finish) reports an overflow.
    ///
    /// One check for a whole value instead of one for each piece saves a third of the flash.
    #[cfg_attr(target_pointer_width = "64", inline)]
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        #[cfg(feature = "alloc")]
        if self.lacks(bytes.len()) {
            return self.put_beyond(bytes);
        }
        #[cfg(target_pointer_width = "64")]
        if let Some(room) = self.take(bytes.len()) {
            copy(bytes, room);
        }
        // byte by byte, because `memcpy` is 756 bytes of flash
        #[cfg(not(target_pointer_width = "64"))]
        {
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
    }

    /// Takes the next `len` bytes of the output; `None` if there are fewer, and then marks the output as full.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    pub(super) fn take(&mut self, len: usize) -> Option<&mut [u8]> {
        let start = self.len;
        let end = start.wrapping_add(len);
        let room = self.out.get_mut(start..end);
        self.len = if room.is_some() { end } else { FULL };
        room
    }

    /// Marks the output as full, because the value cannot be written.
    pub(crate) fn fill(&mut self) {
        self.len = FULL;
    }

    /// [`fill`](Self::fill) for another fault, unless the output is full.
    #[cold]
    pub(crate) fn fail(&mut self, error: Error) {
        if !self.is_full() {
            self.fault = Some(error);
            self.fill();
        }
    }

    /// Whether the output is full.
    pub(crate) const fn is_full(&self) -> bool {
        self.len == FULL
    }

    /// Appends one byte.
    #[cfg_attr(target_pointer_width = "64", inline)]
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub(crate) fn put_byte(&mut self, byte: u8) {
        self.put(&[byte]);
    }

    /// Appends the comma between two values, unless a bracket has just been opened.
    #[cfg_attr(target_pointer_width = "64", inline)]
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub(crate) fn put_comma(&mut self) {
        let last = self.out.get(self.len.wrapping_sub(1));
        #[cfg(feature = "alloc")]
        let last = last.or(self.last_counted());
        // no value ends with an opening bracket
        if !matches!(last, Some(b'[' | b'{')) {
            self.put_byte(b',');
        }
    }

    /// Appends a comma if one is needed, the name of a member and a colon.
    #[cfg_attr(target_pointer_width = "64", inline)]
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub(crate) fn put_name(&mut self, name: &str) {
        self.put_comma();
        self.put_string(name);
        self.put_byte(b':');
    }

    /// Appends a value.
    pub(crate) fn put_value<T: ToJson + ?Sized>(&mut self, value: &T) {
        _ = value.write_json(ValueWriter::new(self));
    }

    /// Appends formatted text, escaped for the inside of a string.
    ///
    /// # Errors
    /// The error of the formatted value.
    pub(crate) fn put_formatted(&mut self, text: core::fmt::Arguments<'_>) -> core::fmt::Result {
        struct Escaping<'o, 'w>(&'o mut Writer<'w>);
        impl core::fmt::Write for Escaping<'_, '_> {
            fn write_str(&mut self, text: &str) -> core::fmt::Result {
                self.0.put_escaped(text);
                Ok(())
            }
        }
        core::fmt::Write::write_fmt(&mut Escaping(self), text)
    }

    /// The bytes written from `start` on; empty if the output is full.
    #[cfg(feature = "mcp")]
    pub(crate) fn from(&self, start: usize) -> &[u8] {
        self.out.get(start..self.len).unwrap_or_default()
    }

    /// Appends a name in its spelling from a message, escapes included.
    #[cfg(feature = "mcp")]
    pub(crate) fn put_raw_name(&mut self, name: super::RawStr<'_>) {
        self.put_comma();
        self.put_byte(b'"');
        self.put(name.as_bytes());
        self.put(b"\":");
    }

    /// Counts the first `len` bytes of the [room](Self::rest) as written; the caller has put a value there.
    #[cfg(all(feature = "mcp", feature = "embedded-io"))]
    pub(crate) fn put_in_place(&mut self, len: usize) {
        let end = self.len.saturating_add(len);
        self.len = if end <= self.out.len() { end } else { FULL };
    }

    /// The number of bytes that can be appended; 0 if the output is full.
    #[cfg(feature = "mcp")]
    pub(crate) fn room(&self) -> usize {
        #[cfg(feature = "alloc")]
        let limit = self.limit();
        #[cfg(not(feature = "alloc"))]
        let limit = self.out.len();
        limit.saturating_sub(self.len)
    }

    /// Appends a string with its quotation marks. Escapes only the characters that RFC 8259 §7 requires.
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub(crate) fn put_string(&mut self, text: &str) {
        #[cfg(target_pointer_width = "64")]
        self.put_quoted(text.as_bytes());
        #[cfg(not(target_pointer_width = "64"))]
        {
            self.put_byte(b'"');
            self.put_escaped(text);
            self.put_byte(b'"');
        }
    }

    /// [`put_string`](Self::put_string) for bytes; the caller passes UTF-8. Writes both quotation marks together with the first run of
    /// characters, which is most often the whole string; an escape takes the place of the second one.
    #[cfg(target_pointer_width = "64")]
    #[inline]
    fn put_quoted(&mut self, text: &[u8]) {
        let (run, rest) = text.split_at_checked(plain_len(text)).unwrap_or_default();
        #[cfg(feature = "alloc")]
        if self.lacks(run.len().wrapping_add(2)) {
            return self.put_string_beyond(text);
        }
        let Some([opening, inside @ .., closing]) = self.take(run.len().wrapping_add(2)) else { return };
        (*opening, *closing) = (b'"', b'"');
        copy(run, inside);
        if !rest.is_empty() {
            self.len = self.len.wrapping_sub(1);
            self.put_from_escape(rest);
        }
    }

    /// Appends the rest of a string from its first escape on. Inlined, it would make strings without escapes slower by a tenth.
    #[cfg(target_pointer_width = "64")]
    #[inline(never)]
    fn put_from_escape(&mut self, rest: &[u8]) {
        let Some((special, rest)) = rest.split_first() else { return };
        self.put_escape(*special);
        self.put_escaped_bytes(rest);
        self.put_byte(b'"');
    }

    /// Appends text, escaped for the inside of a string.
    pub(crate) fn put_escaped(&mut self, text: &str) {
        self.put_escaped_bytes(text.as_bytes());
    }

    /// [`put_escaped`](Self::put_escaped) for bytes; the caller passes UTF-8.
    pub(crate) fn put_escaped_bytes(&mut self, text: &[u8]) {
        let mut rest = text;
        loop {
            let (run, special) = rest.split_at_checked(plain_len(rest)).unwrap_or_default();
            self.put(run);
            let Some((byte, tail)) = special.split_first() else { return };
            self.put_escape(*byte);
            rest = tail;
        }
    }

    pub(super) fn put_escape(&mut self, byte: u8) {
        self.put_byte(b'\\');
        let letter = match byte {
            b'"' | b'\\' => byte,
            // letters for U+0008 to U+000D; U+000B has none
            _ => b"btnufr".get(usize::from(byte.wrapping_sub(8))).copied().unwrap_or(b'u'),
        };
        self.put_byte(letter);
        if letter == b'u' {
            let digit = byte & 0x0F;
            let digit = if digit < 10 { b'0'.wrapping_add(digit) } else { b'W'.wrapping_add(digit) };
            self.put(b"00");
            self.put_byte(b'0'.wrapping_add(byte >> 4));
            self.put_byte(digit);
        }
    }

    /// Appends an integer of 128 bits, given as sign and magnitude, in decimal.
    #[cfg(feature = "serde")]
    pub(crate) fn put_wide_integer(&mut self, negative: bool, magnitude: u128) {
        let mut digits = [0u8; 39];
        let mut left = magnitude;
        let mut start = digits.len();
        for (at, place) in digits.iter_mut().enumerate().rev() {
            *place = b'0'.wrapping_add((left % 10) as u8);
            left /= 10;
            start = at;
            if left == 0 {
                break;
            }
        }
        self.put(if negative { b"-" } else { b"" });
        self.put(digits.get(start..).unwrap_or_default());
    }

    /// Appends an integer in decimal.
    pub(crate) fn put_signed(&mut self, integer: i64) {
        self.put_integer(integer < 0, integer.unsigned_abs());
    }

    /// Appends an integer, given as sign and magnitude, in decimal.
    #[cfg(not(target_pointer_width = "64"))]
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

#[cfg(target_pointer_width = "16")]
use divide_by_ten_in_bytes as divide_by_ten;
#[cfg(target_pointer_width = "32")]
use divide_by_ten_in_pieces as divide_by_ten;

/// The number of bytes at the front of `text` that need no escape.
fn plain_len(text: &[u8]) -> usize {
    #[cfg_attr(
        not(target_pointer_width = "64"),
        expect(unused_mut, reason = "eight at a time only where they fit a register")
    )]
    let mut rest = text;
    #[cfg(target_pointer_width = "64")]
    {
        while let Some((word, after)) = rest.split_first_chunk() {
            let special = needs_escape(u64::from_le_bytes(*word));
            if special != 0 {
                return text.len().wrapping_sub(rest.len()).wrapping_add(bytes_below(special));
            }
            rest = after;
        }
        // the last eight bytes overlap the words before them, which are plain
        if let (Some(last), false) = (super::host::word::last_chunk(text), rest.is_empty()) {
            let special = needs_escape(u64::from_le_bytes(*last));
            return text.len().wrapping_sub(8).wrapping_add(bytes_below(special));
        }
    }
    let special = rest.iter().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\'));
    text.len().wrapping_sub(rest.len()).wrapping_add(special.unwrap_or(rest.len()))
}

/// Quotient and remainder of a division by ten in 32-bit divisions, for targets with 32-bit registers. The general
/// 64-bit division is 930 bytes of flash.
#[cfg(any(test, target_pointer_width = "32"))]
#[expect(clippy::cast_possible_truncation, reason = "a remainder of ten, and halves")]
const fn divide_by_ten_in_pieces(number: u64) -> (u64, u8) {
    let (high, low) = ((number >> 32) as u32, number as u32);
    let middle = ((high % 10) << 16) | (low >> 16);
    let lowest = ((middle % 10) << 16) | (low & 0xFFFF);
    // The middle quotient has 16 bits, because its dividend is less than ten times 2^16; so has the lowest.
    ((((high / 10) as u64) << 32) | (((middle / 10) << 16) | (lowest / 10)) as u64, (lowest % 10) as u8)
}

/// Quotient and remainder of a division by ten byte by byte, for targets with 16-bit registers. The general 32-bit division is 1,200
/// bytes of flash there.
#[cfg(any(test, target_pointer_width = "16"))]
fn divide_by_ten_in_bytes(number: u64) -> (u64, u8) {
    let mut bytes = number.to_be_bytes();
    let mut rest = 0u8;
    for byte in &mut bytes {
        let dividend = u16::from_be_bytes([rest, *byte]);
        // less than 2,560, so a multiplication by 6,554 / 65,536 gives the quotient
        let [_, quotient, ..] = u32::from(dividend).wrapping_mul(6_554).to_be_bytes();
        *byte = quotient;
        let [_, digit] = dividend.wrapping_sub(u16::from(quotient).wrapping_mul(10)).to_be_bytes();
        rest = digit;
    }
    (u64::from_be_bytes(bytes), rest)
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)] // a test may stop
mod tests {
    use super::{divide_by_ten_in_bytes, divide_by_ten_in_pieces, plain_len};

    #[test]
    fn every_special_byte_is_found_in_every_lane() {
        // Miri is slow
        for byte in (0..=u8::MAX).step_by(if cfg!(miri) { 67 } else { 1 }) {
            for lane in (0..24).step_by(if cfg!(miri) { 5 } else { 1 }) {
                for fill in [b'a', 0x7F, 0x80, 0xFF, b'!', b'#'] {
                    let mut text = [fill; 24];
                    text[lane] = byte;
                    let is_special = byte < 0x20 || byte == b'"' || byte == b'\\';
                    for len in lane..=24 {
                        let plain = if is_special { lane.min(len) } else { len };
                        assert_eq!(plain_len(&text[..len]), plain, "{byte:#x} in lane {lane} of {len}");
                    }
                }
            }
        }
    }

    #[test]
    fn division_in_pieces_is_division() {
        let mut number = 1u64;
        for _ in 0..if cfg!(miri) { 300 } else { 10_000 } {
            for number in [number, number >> 13, number >> 32, number >> 48, u64::MAX.wrapping_sub(number)] {
                let expected = (number / 10, (number % 10) as u8);
                assert_eq!(
                    (divide_by_ten_in_pieces(number), divide_by_ten_in_bytes(number)),
                    (expected, expected),
                    "{number}"
                );
            }
            // a step of Knuth's MMIX linear congruential generator
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        }
    }
}
