//! A validated JSON string, decoded on demand.

mod chars;
mod pieces;
mod printable;

use core::fmt::{self, Write};

use chars::Bytes;
pub use chars::Chars;
pub(crate) use printable::write_printable;

use crate::error::{Error, ErrorKind};
use crate::json::machine::{has_backslash, utf8_str};

/// The undecoded inside of a validated JSON string: the bytes between its quotation marks, escapes included.
///
/// Decoding cannot fail: the pass has refused bad escapes, lone surrogates and bad UTF-8. Equality compares decoded
/// text: `"A"` and `"\u0041"` are equal.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::RawValue;
///
/// let value = RawValue::parse(br#""caf\u00e9""#)?;
/// let name = value.as_str_raw().unwrap_or_default();
/// assert!(name == "café");
/// assert_eq!(name.as_str(), None); // escaped, so it cannot be borrowed
/// let mut buffer = [0; 8];
/// assert_eq!(name.decode(&mut buffer)?, "café");
/// // without a buffer, and into a string with a capacity
/// assert!(name.is_escaped() && name.chars().eq("café".chars()));
/// assert_eq!(name.to_heapless::<4>(), None);
/// assert_eq!(name.to_heapless::<5>().as_deref(), Some("café"));
/// # Ok(()) }
/// ```
///
/// Source: RFC 8259 §7, §8.
#[derive(Clone, Copy, Default)]
pub struct RawStr<'a> {
    raw: &'a [u8],
}

impl<'a> RawStr<'a> {
    /// The string with the inside `raw`; the caller has validated it.
    pub(crate) const fn validated(raw: &'a [u8]) -> Self {
        Self { raw }
    }

    /// The inside of the validated value `text`, if that is a string.
    pub(crate) const fn of(text: &'a [u8]) -> Option<Self> {
        match text {
            [b'"', inside @ .., _] => Some(Self::validated(inside)),
            _ => None,
        }
    }

    /// The bytes between the quotation marks as received: UTF-8, escapes not decoded.
    pub const fn as_bytes(self) -> &'a [u8] {
        self.raw
    }

    /// Whether the string is empty.
    pub const fn is_empty(self) -> bool {
        self.raw.is_empty()
    }

    /// Whether the string contains an escape, so that its decoded text differs from its bytes.
    pub fn is_escaped(self) -> bool {
        self.raw.contains(&b'\\')
    }

    /// The text, borrowed; `None` if it contains an escape.
    pub fn as_str(self) -> Option<&'a str> {
        // The bytes are valid UTF-8, but without `unsafe` the standard library has to check them again.
        if has_backslash(self.raw) { None } else { utf8_str(self.raw) }
    }

    /// The decoded characters, in order, without a buffer.
    pub fn chars(self) -> Chars<'a> {
        Chars::new(self.raw)
    }

    /// The rest of the string after `prefix`, if its decoded text begins with `prefix`.
    ///
    /// ```
    /// use nanojsonrpc::RawValue;
    ///
    /// let topic = RawValue::parse(br#""lamp\/state/on""#)?.as_str_raw().unwrap_or_default();
    /// assert!(topic.strip_prefix("lamp/").is_some_and(|rest| rest == "state/on"));
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    // `self` may include the closing quotation mark and the text after it
    #[inline(never)]
    pub fn strip_prefix(self, prefix: &str) -> Option<Self> {
        let (mut chars, mut bytes) = (self.chars(), 0);
        for known in prefix.bytes() {
            if bytes == 0 {
                bytes = chars.next_bytes()?;
            }
            let [byte, ..] = bytes.to_le_bytes();
            if byte != known {
                return None;
            }
            bytes >>= 8;
        }
        Some(Self::validated(chars.as_slice()))
    }

    /// The first `len` decoded characters, and the rest.
    #[cfg(feature = "mcp")]
    pub(crate) fn split_at_char(self, len: usize) -> (Self, Self) {
        let mut chars = self.chars();
        (0..len).for_each(|_| _ = chars.next());
        let rest = chars.as_slice();
        let len = self.raw.len().wrapping_sub(rest.len());
        (Self::validated(self.raw.get(..len).unwrap_or_default()), Self::validated(rest))
    }

    /// The first decoded byte of the name whose inside begins with `inside`; `None` if fewer than six bytes follow, which have no room for a
    /// known name and its value. Correct for a plain character or the `\u` escape of an ASCII character, as in the names for
    /// [`behind`](Self::behind); arbitrary for other escapes.
    pub(crate) const fn first(inside: &[u8]) -> Option<u8> {
        let [first, _, _, _, high, low, ..] = inside else { return None };
        Some(if *first == b'\\' { *high << 4 | hex_value(*low) } else { *first })
    }

    /// The text after the string whose inside begins with `inside`, if the string decodes to `known`: letters, digits
    /// and other ASCII without a short escape, up to and including a quotation mark, then zeros. Zeros after the string, which no valid
    /// text has, may be skipped.
    ///
    /// This takes a tenth of the flash of a comparison of [`chars`](Self::chars).
    #[inline(never)]
    pub(crate) fn behind(inside: &'a [u8], known: &[u8; 8]) -> Option<&'a [u8]> {
        // the first four bytes as one word: 196 instructions of a request less (thumbv7m at `s`, 2026-11)
        let (mut inside, mut at) = match inside.split_first_chunk::<4>() {
            Some((front, rest)) if known.first_chunk() == Some(front) => (rest, front.len()),
            _ => (inside, 0),
        };
        while let Some(known @ 1..) = known.get(at) {
            inside = match inside {
                [byte, rest @ ..] if byte == known => rest,
                // only \u00, a decimal digit and a hexadecimal one can spell an ASCII character of a name, and an escaped
                // quotation mark does not end the string
                [b'\\', b'u', b'0', b'0', high, low, rest @ ..]
                    if *known != b'"' && *high == b'0' | *known >> 4 && hex_value(*low) == *known & 0x0F =>
                {
                    rest
                }
                _ => return None,
            };
            at = at.wrapping_add(1);
        }
        Some(inside)
    }

    /// Decodes into `buffer` and returns the text there.
    ///
    /// # Errors
    /// [`ErrorKind::OutputFull`] if `buffer` is too short; the length of [`as_bytes`](Self::as_bytes) is always enough.
    pub fn decode(self, buffer: &mut [u8]) -> Result<&str, Error> {
        let room = buffer.len();
        let full = Error::new(ErrorKind::OutputFull, room);
        let mut rest = buffer;
        self.decode_to_front(&mut rest).map(|(text, _)| text).ok_or(full)
    }

    /// The number of bytes of scratch buffer that the decoded text needs: 0 without an escape.
    #[cfg(feature = "serde")]
    pub(super) fn escaped_len(self) -> usize {
        if self.is_escaped() { self.bytes().count() } else { 0 }
    }

    /// The bytes of the decoded text.
    ///
    /// ```
    /// use nanojsonrpc::RawValue;
    ///
    /// let unit = RawValue::parse(br#""\u00b0C""#)?.as_str_raw().unwrap_or_default();
    /// assert!(unit.bytes().eq("°C".bytes()));
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    pub fn bytes(self) -> impl Iterator<Item = u8> + 'a {
        Bytes::new(self.chars())
    }

    /// Decodes into a string with a capacity of `N` bytes; `None` if the decoded text is longer.
    pub fn to_heapless<const N: usize>(self) -> Option<heapless::String<N>> {
        let mut text = heapless::String::new();
        if self.append_to(&mut text) { Some(text) } else { None }
    }
}

impl fmt::Display for RawStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.chars().try_for_each(|c| f.write_char(c))
    }
}

impl fmt::Debug for RawStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        // a quotation mark would end the string
        for part in self.chars() {
            if part == '"' {
                f.write_char('\\')?;
                f.write_char(part)?;
            } else {
                write_printable(f, core::iter::once(part))?;
            }
        }
        f.write_char('"')
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for RawStr<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        match self.as_str() {
            Some(text) => defmt::write!(f, "{=str:?}", text),
            None => self.chars().for_each(|c| match printable::is_hidden(c) || c == '\\' {
                true => c.escape_default().for_each(|c| defmt::write!(f, "{=char}", c)),
                false => defmt::write!(f, "{=char}", c),
            }),
        }
    }
}

impl PartialEq<&str> for RawStr<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl PartialEq for RawStr<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw || self.chars().eq(other.chars())
    }
}

impl Eq for RawStr<'_> {}

/// The value of a hexadecimal digit.
pub(super) const fn hex_value(digit: u8) -> u8 {
    // The low half of a decimal digit is its value; that of a letter is its value less 9. The mask comes last, so that one register is
    // enough.
    (if digit > b'9' { digit.wrapping_add(9) } else { digit }) & 0x0F
}
