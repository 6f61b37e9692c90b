//! The pieces of a value, written without a capacity check after each piece.
//!
//! A piece that does not fit sets the length to [`FULL`], and the writer then accepts nothing more. One check at the end of a value is
//! enough. Checks after each piece took a third of the flash of a program that writes a struct.

use super::machine::plain_text_len;
use super::write::{FULL, Writer};
use crate::error::{Error, ErrorKind};

impl Writer<'_> {
    shared_on_devices! {
        /// Ends a value that began at the length `before`. After an overflow or a fault, restores that length and returns the error.
        pub(crate) fn finish(&mut self, before: usize) -> Result<(), Error> {
            if self.len == FULL {
                self.len = before;
                return Err(self.fault.take().unwrap_or(Error::new(ErrorKind::OutputFull, self.out.len())));
            }
            Ok(())
        }
    }

    shared_on_devices! {
        /// Appends bytes that are valid JSON at this position, or marks the output as full; [`finish`](Self::finish) reports an overflow.
        ///
        /// One check for a whole value instead of one for each piece saves a third of the flash.
        pub(crate) fn put(&mut self, bytes: &[u8]) {
            #[cfg(feature = "alloc")]
            if self.lacks(bytes.len()) {
                return self.put_beyond(bytes);
            }
            self.put_within(bytes);
        }
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

    shared_on_devices! {
        /// Appends one byte.
        pub(crate) fn put_byte(&mut self, byte: u8) {
            self.put(&[byte]);
        }
    }

    shared_on_devices! {
        /// Appends the comma between two values, unless a bracket has just been opened.
        pub(crate) fn put_comma(&mut self) {
            let last = self.out.get(self.len.wrapping_sub(1));
            #[cfg(feature = "alloc")]
            let last = last.or(self.last_counted());
            // no value ends with an opening bracket
            if !matches!(last, Some(b'[' | b'{')) {
                self.put_byte(b',');
            }
        }
    }

    shared_on_devices! {
        /// Appends a comma if one is needed, the name of a member and a colon.
        pub(crate) fn put_name(&mut self, name: &str) {
            self.put_comma();
            self.put_string(name);
            self.put_byte(b':');
        }
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

    /// Appends text, escaped for the inside of a string.
    pub(crate) fn put_escaped(&mut self, text: &str) {
        self.put_escaped_bytes(text.as_bytes());
    }

    /// [`put_escaped`](Self::put_escaped) for bytes; the caller passes UTF-8.
    pub(crate) fn put_escaped_bytes(&mut self, text: &[u8]) {
        let mut rest = text;
        loop {
            let (run, special) = rest.split_at_checked(plain_text_len(rest)).unwrap_or_default();
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
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)] // a test may stop
mod tests {
    use super::plain_text_len;

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
                        assert_eq!(plain_text_len(&text[..len]), plain, "{byte:#x} in lane {lane} of {len}");
                    }
                }
            }
        }
    }
}
