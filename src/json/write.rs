//! Writing JSON into a borrowed buffer: whole values or nothing.

use super::{RawStr, ToJson};
use crate::error::{Error, ErrorKind};

/// Appends JSON to a buffer that the caller lends.
///
/// What does not fit is not there: each value either goes in whole or leaves the length as it was, so
/// [`written`](Self::written) never ends in half a value.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::Writer;
///
/// let mut buffer = [0; 16];
/// let mut out = Writer::new(&mut buffer);
/// out.value(&[1, 2, 3])?;
/// assert!(out.value("far too long for it").is_err());
/// assert_eq!(out.written(), b"[1,2,3]");
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Writer<'w> {
    out: &'w mut [u8],
    len: usize,
}

impl<'w> Writer<'w> {
    /// A writer at the front of `out`.
    pub const fn new(out: &'w mut [u8]) -> Self {
        Self { out, len: 0 }
    }

    /// How many bytes have been written.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing has been written.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What has been written.
    pub fn written(&self) -> &[u8] {
        self.out.get(..self.len).unwrap_or_default()
    }

    /// What has been written, for as long as the buffer lives.
    pub fn into_written(self) -> &'w [u8] {
        let len = self.len;
        let out: &'w [u8] = self.out;
        out.get(..len).unwrap_or_default()
    }

    /// Takes back everything after the first `len` bytes.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Runs `write`, and takes back all that it wrote if it fails.
    pub(crate) fn whole(&mut self, write: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        let before = self.len;
        write(self).inspect_err(|_| self.len = before)
    }

    /// Appends one value.
    ///
    /// # Errors
    /// [`ErrorKind::OutputFull`] if there is no room for the whole value; then nothing is written.
    pub fn value<T: ToJson + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.whole(|out| value.write_json(out))
    }

    /// Appends an object whose members `write` appends.
    ///
    /// # Errors
    /// Those of `write`, and [`ErrorKind::OutputFull`]; then nothing is written.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// let mut buffer = [0; 32];
    /// let mut out = nanojsonrpc::Writer::new(&mut buffer);
    /// out.object(|members| {
    ///     members.member("pin", &13)?;
    ///     members.member("on", &true)
    /// })?;
    /// assert_eq!(out.written(), br#"{"pin":13,"on":true}"#);
    /// # Ok(()) }
    /// ```
    pub fn object(&mut self, write: impl FnOnce(&mut ObjectWriter<'_, 'w>) -> Result<(), Error>) -> Result<(), Error> {
        self.whole(|out| {
            out.bytes(b"{")?;
            write(&mut ObjectWriter { out, is_first: true })?;
            out.bytes(b"}")
        })
    }

    /// Appends an array whose elements `write` appends.
    ///
    /// # Errors
    /// Those of `write`, and [`ErrorKind::OutputFull`]; then nothing is written.
    pub fn array(&mut self, write: impl FnOnce(&mut ArrayWriter<'_, 'w>) -> Result<(), Error>) -> Result<(), Error> {
        self.whole(|out| {
            out.bytes(b"[")?;
            write(&mut ArrayWriter { out, is_first: true })?;
            out.bytes(b"]")
        })
    }

    /// Appends bytes that are known to be JSON where they stand.
    #[cfg_attr(target_pointer_width = "64", inline)]
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let end = self.len.wrapping_add(bytes.len());
        match self.out.get_mut(self.len..end) {
            Some(room) => copy(bytes, room),
            None => return Err(self.full()),
        }
        self.len = end;
        Ok(())
    }

    /// Appends a string with its quotation marks, escaping what RFC 8259 §7 wants escaped and nothing else.
    pub(crate) fn string(&mut self, text: &str) -> Result<(), Error> {
        self.bytes(b"\"")?;
        self.escape(text)?;
        self.bytes(b"\"")
    }

    /// Appends the inside of a string.
    pub(crate) fn escape(&mut self, text: &str) -> Result<(), Error> {
        let mut rest = text.as_bytes();
        loop {
            let (run, special) = rest.split_at_checked(plain_len(rest)).unwrap_or_default();
            self.bytes(run)?;
            let Some((byte, tail)) = special.split_first() else { return Ok(()) };
            self.escaped(*byte)?;
            rest = tail;
        }
    }

    /// Appends a string that is still as it stood in a message.
    pub(crate) fn raw_str(&mut self, text: RawStr<'_>) -> Result<(), Error> {
        self.bytes(b"\"")?;
        self.bytes(text.as_bytes())?;
        self.bytes(b"\"")
    }

    fn escaped(&mut self, byte: u8) -> Result<(), Error> {
        let letter = match byte {
            b'"' | b'\\' => byte,
            0x08 => b'b',
            0x09 => b't',
            0x0A => b'n',
            0x0C => b'f',
            0x0D => b'r',
            _ => {
                let digit = byte & 0x0F;
                let digit = if digit < 10 { b'0'.wrapping_add(digit) } else { b'W'.wrapping_add(digit) };
                return self.bytes(&[b'\\', b'u', b'0', b'0', b'0'.wrapping_add(byte >> 4), digit]);
            }
        };
        self.bytes(&[b'\\', letter])
    }

    /// Appends an integer, given as sign and magnitude, in decimal.
    pub(crate) fn integer(&mut self, negative: bool, magnitude: u64) -> Result<(), Error> {
        if negative {
            self.bytes(b"-")?;
        }
        let start = self.len;
        let mut left = magnitude;
        loop {
            let digit;
            (left, digit) = divide_by_ten(left);
            self.bytes(&[b'0'.wrapping_add(digit)])?;
            if left == 0 {
                break;
            }
        }
        // they came last digit first; a buffer of their own would be cleared first, by 170 bytes of `memclr`
        self.out.get_mut(start..self.len).unwrap_or_default().reverse();
        Ok(())
    }

    /// Appends an integer in decimal.
    pub(crate) fn signed(&mut self, integer: i64) -> Result<(), Error> {
        self.integer(integer < 0, integer.unsigned_abs())
    }

    fn full(&self) -> Error {
        Error::new(ErrorKind::OutputFull, self.out.len())
    }
}

/// The place where one value goes, neither none nor two; see [`from_fn`](super::from_fn).
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ValueWriter<'o, 'w> {
    out: &'o mut Writer<'w>,
}

/// Says that a value has been written; nothing else can be made of it.
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Written(());

impl<'o, 'w> ValueWriter<'o, 'w> {
    pub(super) const fn new(out: &'o mut Writer<'w>) -> Self {
        Self { out }
    }

    /// Writes a value as it is.
    ///
    /// # Errors
    /// [`ErrorKind::OutputFull`] if there is no room for it.
    pub fn value<T: ToJson + ?Sized>(self, value: &T) -> Result<Written, Error> {
        self.out.value(value).map(Written)
    }

    /// Writes an object whose members `write` appends.
    ///
    /// # Errors
    /// Those of `write`, and [`ErrorKind::OutputFull`].
    pub fn object(self, write: impl FnOnce(&mut ObjectWriter<'_, 'w>) -> Result<(), Error>) -> Result<Written, Error> {
        self.out.object(write).map(Written)
    }

    /// Writes an array whose elements `write` appends.
    ///
    /// # Errors
    /// Those of `write`, and [`ErrorKind::OutputFull`].
    pub fn array(self, write: impl FnOnce(&mut ArrayWriter<'_, 'w>) -> Result<(), Error>) -> Result<Written, Error> {
        self.out.array(write).map(Written)
    }
}

/// Copies what is as long as its room.
#[cfg(target_pointer_width = "64")]
pub(crate) fn copy(from: &[u8], to: &mut [u8]) {
    to.copy_from_slice(from);
}

/// Copies what is as long as its room, byte by byte: `memcpy` is 900 bytes of flash. The compiler would make one of a loop
/// that ends with its slices, so this one ends with a number that it cannot see through.
#[cfg(not(target_pointer_width = "64"))]
pub(crate) fn copy(from: &[u8], to: &mut [u8]) {
    let mut left = core::hint::black_box(from.len());
    let mut from = from.iter();
    for to in to {
        let Some(byte) = from.next() else { break };
        *to = *byte;
        left = left.wrapping_sub(1);
        if left == 0 {
            break;
        }
    }
}

/// How many bytes at the front of `text` are written as they are.
fn plain_len(text: &[u8]) -> usize {
    let mut rest = text;
    // eight at a time where they fit a register
    if cfg!(target_pointer_width = "64") {
        while let Some((word, after)) = rest.split_first_chunk() {
            if has_special(u64::from_le_bytes(*word)) {
                break;
            }
            rest = after;
        }
    }
    let special = rest.iter().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\'));
    text.len().wrapping_sub(rest.len()).wrapping_add(special.unwrap_or(rest.len()))
}

/// Whether a quotation mark, a backslash or a control character is in `word`.
const fn has_special(word: u64) -> bool {
    const ONES: u64 = u64::MAX / 255;
    let quote = word ^ ONES.wrapping_mul(b'"' as u64);
    let backslash = word ^ ONES.wrapping_mul(b'\\' as u64);
    // a byte borrows from its highest bit if it is zero, or below 0x20; one that had that bit set does not count
    let found = quote.wrapping_sub(ONES) & !quote
        | backslash.wrapping_sub(ONES) & !backslash
        | word.wrapping_sub(ONES.wrapping_mul(0x20)) & !word;
    found & ONES.wrapping_mul(0x80) != 0
}

/// Quotient and remainder.
const fn divide_by_ten(number: u64) -> (u64, u8) {
    if cfg!(target_pointer_width = "64") { (number / 10, (number % 10) as u8) } else { divide_by_ten_in_pieces(number) }
}

/// Quotient and remainder, 16 bits at a time, for where 64 are two registers: the general division is 930 bytes of flash.
#[expect(clippy::cast_possible_truncation, reason = "a remainder of ten, and pieces of 16 bits")]
const fn divide_by_ten_in_pieces(number: u64) -> (u64, u8) {
    let (mut quotient, mut rest, mut shift) = (0u64, 0u32, 64u32);
    while shift != 0 {
        shift = shift.wrapping_sub(16);
        let part = rest << 16 | (number >> shift & 0xFFFF) as u32;
        quotient = quotient << 16 | (part / 10) as u64;
        rest = part % 10;
    }
    (quotient, rest as u8)
}

/// Appends the members of an object; see [`Writer::object`].
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ObjectWriter<'o, 'w> {
    out: &'o mut Writer<'w>,
    is_first: bool,
}

impl ObjectWriter<'_, '_> {
    /// Appends one member.
    ///
    /// # Errors
    /// [`ErrorKind::OutputFull`] if there is no room for the whole member; then nothing of it is written.
    pub fn member<T: ToJson + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        let Self { out, is_first } = self;
        out.whole(|out| {
            if !*is_first {
                out.bytes(b",")?;
            }
            out.string(name)?;
            out.bytes(b":")?;
            value.write_json(out)
        })?;
        self.is_first = false;
        Ok(())
    }
}

/// Appends the elements of an array; see [`Writer::array`].
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ArrayWriter<'o, 'w> {
    out: &'o mut Writer<'w>,
    is_first: bool,
}

impl ArrayWriter<'_, '_> {
    /// Appends one element.
    ///
    /// # Errors
    /// [`ErrorKind::OutputFull`] if there is no room for the whole element; then nothing of it is written.
    pub fn element<T: ToJson + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let Self { out, is_first } = self;
        out.whole(|out| {
            if !*is_first {
                out.bytes(b",")?;
            }
            value.write_json(out)
        })?;
        self.is_first = false;
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)] // a test may stop
mod tests {
    use super::{divide_by_ten_in_pieces, plain_len};

    #[test]
    fn every_special_byte_is_found_in_every_lane() {
        for byte in 0..=u8::MAX {
            for lane in 0..24 {
                for fill in [b'a', 0x7F, 0x80, 0xFF, b'!', b'#'] {
                    let mut text = [fill; 24];
                    text[lane] = byte;
                    let is_special = byte < 0x20 || byte == b'"' || byte == b'\\';
                    assert_eq!(plain_len(&text), if is_special { lane } else { 24 }, "{byte:#x} in lane {lane}");
                }
            }
        }
    }

    #[test]
    fn division_in_pieces_is_division() {
        let mut number = 1u64;
        for _ in 0..10_000 {
            for number in [number, number >> 13, number >> 32, number >> 48, u64::MAX.wrapping_sub(number)] {
                assert_eq!(divide_by_ten_in_pieces(number), (number / 10, (number % 10) as u8), "{number}");
            }
            // a step of a linear congruential generator, Knuth's MMIX
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        }
    }
}
