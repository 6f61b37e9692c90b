//! A JSON string as it stands in the text, decoded when somebody looks.

use core::{fmt, iter::FusedIterator};

use crate::error::{Error, ErrorKind};

/// The inside of a validated JSON string: what stands between the quotation marks, escapes and all.
///
/// Decoding cannot fail, because the pass has refused what does not decode (bad escapes, lone surrogates, bad UTF-8).
/// Equality is that of the decoded text: `"A"` and `"\u0041"` are equal.
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
/// # Ok(()) }
/// ```
///
/// Source: RFC 8259 §7, §8.
#[derive(Clone, Copy, Default)]
pub struct RawStr<'a> {
    raw: &'a [u8],
}

impl<'a> RawStr<'a> {
    /// `raw` has been validated as the inside of a string.
    pub(crate) const fn validated(raw: &'a [u8]) -> Self {
        Self { raw }
    }

    /// The inside of `text`, a validated value, if that is a string.
    pub(crate) const fn of(text: &'a [u8]) -> Option<Self> {
        match text {
            [b'"', inside @ .., b'"'] => Some(Self::validated(inside)),
            _ => None,
        }
    }

    /// The bytes between the quotation marks, as they came: UTF-8, escapes not decoded.
    pub const fn as_bytes(self) -> &'a [u8] {
        self.raw
    }

    /// Whether nothing stands between the quotation marks.
    pub const fn is_empty(self) -> bool {
        self.raw.is_empty()
    }

    /// Whether a backslash is in it, so that the decoded text differs from the raw one.
    pub fn is_escaped(self) -> bool {
        self.raw.contains(&b'\\')
    }

    /// The text, borrowed; `None` if it holds an escape.
    pub fn as_str(self) -> Option<&'a str> {
        #[cfg(target_pointer_width = "64")]
        if let Some(text) = super::word::plain_str(self.raw) {
            return Some(text);
        }
        // The bytes are known to be UTF-8, but without `unsafe` the standard library wants to see for itself.
        if self.is_escaped() { None } else { core::str::from_utf8(self.raw).ok() }
    }

    /// The text, borrowed, if it is ASCII without escapes, which takes a few looks.
    #[cfg(target_pointer_width = "64")]
    #[inline]
    pub(crate) fn as_plain_str(self) -> Option<&'a str> {
        super::word::plain_str(self.raw)
    }

    /// The decoded characters, in order, without memory.
    pub fn chars(self) -> Chars<'a> {
        Chars { rest: self.raw.iter() }
    }

    /// What stands behind `prefix`, if the decoded text begins with it. What stands behind the closing quotation mark may follow.
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub(crate) fn strip_prefix(self, prefix: &str) -> Option<Self> {
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
        Some(Self::validated(chars.rest.as_slice()))
    }

    /// The first `len` decoded characters, and the rest.
    #[cfg(feature = "mcp")]
    pub(crate) fn split_at_char(self, len: usize) -> (Self, Self) {
        let mut chars = self.chars();
        (0..len).for_each(|_| _ = chars.next());
        let rest = chars.rest.as_slice();
        let len = self.raw.len().wrapping_sub(rest.len());
        (Self::validated(self.raw.get(..len).unwrap_or_default()), Self::validated(rest))
    }

    /// The first byte that the string spells whose inside begins with `inside`, if that can be the first of a name to
    /// look for with [`behind`](Self::behind); otherwise any byte.
    pub(crate) const fn first(inside: &[u8]) -> Option<u8> {
        match inside {
            [b'\\', _, _, _, high, low, ..] => Some(hex_value(*high) << 4 | hex_value(*low)),
            [first, ..] => Some(*first),
            [] => None,
        }
    }

    /// What stands behind the string whose inside begins with `inside`, if that spells `known`: letters, digits and
    /// other ASCII that only `\u` can escape, up to a quotation mark.
    ///
    /// A tenth of the flash of comparing [`chars`](Self::chars).
    #[inline(never)]
    pub(crate) fn behind(mut inside: &'a [u8], known: &[u8; 8]) -> Option<&'a [u8]> {
        for known in known {
            inside = match inside {
                [byte, rest @ ..] if byte == known => rest,
                // all that an escape can spell is \u00 and two digits, and an escaped quotation mark ends nothing
                [b'\\', b'u', b'0', b'0', high, low, rest @ ..]
                    if hex_value(*high) << 4 | hex_value(*low) == *known && *known != b'"' =>
                {
                    rest
                }
                _ => return None,
            };
            if *known == b'"' {
                return Some(inside);
            }
        }
        None
    }

    /// Decodes into `buffer` and returns the text there.
    ///
    /// # Errors
    /// [`ErrorKind::OutputFull`] if `buffer` is too short; as many bytes as [`as_bytes`](Self::as_bytes) has are enough.
    pub fn decode(self, buffer: &mut [u8]) -> Result<&str, Error> {
        let room = buffer.len();
        let full = Error::new(ErrorKind::OutputFull, room);
        let mut len = 0usize;
        for c in self.chars() {
            // not into `buffer` itself, for whose length the compiler would link a panic
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                *buffer.get_mut(len).ok_or(full)? = byte;
                len = len.wrapping_add(1);
            }
        }
        let decoded = buffer.get(..len).unwrap_or_default();
        core::str::from_utf8(decoded).map_err(|_| full)
    }

    /// Decodes into the front of `buffer`, which then begins behind it; `None` if that is too short, and then
    /// it stays as long as it is.
    #[cfg(feature = "serde")]
    pub(crate) fn decode_to_front(self, buffer: &mut &'a mut [u8]) -> Option<&'a str> {
        let mut len = 0usize;
        for byte in self.bytes() {
            *buffer.get_mut(len)? = byte;
            len = len.wrapping_add(1);
        }
        let (front, rest) = core::mem::take(buffer).split_at_mut_checked(len)?;
        *buffer = rest;
        core::str::from_utf8(front).ok()
    }

    /// Decodes into `room`; `None` if that is too short.
    #[cfg(all(feature = "serde", not(feature = "alloc")))]
    pub(crate) fn decode_to(self, room: &mut heapless::vec::VecView<u8>) -> Option<&str> {
        for byte in self.bytes() {
            room.push(byte).ok()?;
        }
        core::str::from_utf8(room).ok()
    }

    /// How many bytes of scratch buffer the decoded text takes: none without an escape.
    #[cfg(feature = "serde")]
    pub(super) fn escaped_len(self) -> usize {
        if self.is_escaped() { self.bytes().count() } else { 0 }
    }

    /// The bytes of the decoded text.
    #[cfg(any(feature = "mcp", feature = "serde"))]
    pub(crate) fn bytes(self) -> Bytes<'a> {
        Bytes { chars: self.chars(), rest: 0 }
    }

    /// Decodes into a string of at most `N` bytes; `None` if the decoded text is longer.
    pub fn to_heapless<const N: usize>(self) -> Option<heapless::String<N>> {
        let mut text = heapless::String::new();
        if self.append_to(&mut text) { Some(text) } else { None }
    }

    /// Appends the decoded text to `out`; `false` if there is no room for it.
    ///
    /// In place, and one function for all capacities, because moving a string of 64 bytes links 900 bytes of `memcpy`.
    #[inline(never)]
    pub(crate) fn append_to(self, out: &mut heapless::string::StringView) -> bool {
        // 64-bit machines have the flash for a faster way
        #[cfg(target_pointer_width = "64")]
        if let Some(text) = self.as_plain_str() {
            return out.push_str(text).is_ok();
        }
        self.chars().all(|c| out.push(c).is_ok())
    }
}

impl fmt::Display for RawStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.chars().try_for_each(|c| fmt::Write::write_char(f, c))
    }
}

impl fmt::Debug for RawStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for RawStr<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        match self.as_str() {
            Some(text) => defmt::write!(f, "{=str:?}", text),
            None => self.chars().for_each(|c| defmt::write!(f, "{=char}", c)),
        }
    }
}

impl PartialEq<str> for RawStr<'_> {
    fn eq(&self, other: &str) -> bool {
        // on a device the one way that is always right is less flash
        if cfg!(target_pointer_width = "64") && !self.is_escaped() {
            self.raw == other.as_bytes()
        } else {
            self.strip_prefix(other).is_some_and(Self::is_empty)
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

/// `4HEXDIG`, of which validated text has four.
#[cfg_attr(not(target_pointer_width = "64"), inline(never))]
fn hex_unit(rest: &mut core::slice::Iter<'_, u8>) -> u32 {
    rest.take(4).fold(0, |unit, digit| unit << 4 | u32::from(hex_value(*digit)))
}

/// What a hexadecimal digit stands for.
const fn hex_value(digit: u8) -> u8 {
    // the low half of a digit is its value, that of a letter is 9 less than it
    (digit & 0x0F).wrapping_add(if digit > b'9' { 9 } else { 0 })
}

/// The bytes of a character, the first one lowest. RFC 3629 §3.
const fn utf8(mut code_point: u32) -> u32 {
    let (mut bytes, mut most) = (0, 0x7F);
    while code_point > most {
        bytes = bytes << 8 | 0x80 | code_point & 0x3F;
        code_point >>= 6;
        // what the first byte has room for: one bit less for each byte that follows, and one for the first of them
        most = if most == 0x7F { 0x1F } else { most >> 1 };
    }
    bytes << 8 | code_point | if most == 0x7F { 0 } else { !most << 1 & 0xFF }
}

/// The decoded characters of a [`RawStr`].
#[derive(Clone, Debug)]
pub struct Chars<'a> {
    rest: core::slice::Iter<'a, u8>,
}

#[cfg(feature = "defmt")]
impl defmt::Format for Chars<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        RawStr::validated(self.rest.as_slice()).format(f);
    }
}

/// The bytes of the decoded text of a [`RawStr`]: half the flash of what goes through `char`.
#[cfg(any(feature = "mcp", feature = "serde"))]
pub(crate) struct Bytes<'a> {
    chars: Chars<'a>,
    /// What is left of an escaped character, the next byte lowest; 0 if nothing is.
    rest: u32,
}

#[cfg(any(feature = "mcp", feature = "serde"))]
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

impl Chars<'_> {
    fn byte(&mut self) -> Option<u8> {
        self.rest.next().copied()
    }

    /// The next byte, or the bytes of the character that an escape stands for, the first one lowest. `None` before the
    /// closing quotation mark, too.
    fn next_bytes(&mut self) -> Option<u32> {
        match self.byte()? {
            b'"' => None,
            b'\\' => self.escaped().map(utf8),
            byte => Some(byte.into()),
        }
    }

    /// What a backslash stands for, after it.
    fn escaped(&mut self) -> Option<u32> {
        let letter = self.byte()?;
        if letter != b'u' {
            // U+0008 to U+000D, of which U+000B has no letter
            let control = (8..).zip(b"btn\0fr").find(|(_, known)| **known == letter);
            return Some(control.map_or(u32::from(letter), |(code_point, _)| code_point));
        }
        let high = hex_unit(&mut self.rest);
        if high >> 10 != 0x36 {
            return Some(high);
        }
        // a surrogate pair: skip the \u of the low half
        self.rest.nth(1);
        let low = hex_unit(&mut self.rest);
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
            // As many bytes follow as there are ones behind the first one. Each brings six bits, and makes the bits of
            // the whole five more. RFC 3629 §3.
            let (mut code_point, mut mask, mut ones) = (first, 0x7F, first << 1);
            if first >= 0x80 {
                mask = 0x3F;
            }
            while first & ones & 0x80 != 0 {
                code_point = code_point << 6 | u32::from(self.byte()? & 0x3F);
                mask = mask << 5 | 0x1F;
                ones <<= 1;
            }
            code_point & mask
        };
        Some(char::from_u32(code_point).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // the longest spelling of a character is a surrogate pair, twelve bytes
        let len = self.rest.len();
        (len.div_ceil(12), Some(len))
    }
}

impl FusedIterator for Chars<'_> {}
