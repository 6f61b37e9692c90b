//! Bytes as base64, in and out, a few at a time.

use super::value::{Value, payload, unexpected};
use crate::error::{Error, ErrorKind};
use crate::json::{RawStr, RawValue, Writer};

/// Bytes that stand in messages as base64 (RFC 4648 §4): the program's own, which are encoded when they are written, three
/// at a time, or a text that came, which is decoded when somebody looks.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::mcp::Base64;
///
/// let mut buffer = [0; 16];
/// let mut out = nanojsonrpc::Writer::new(&mut buffer);
/// out.value(&Base64::Bytes(&[0xDE, 0xAD, 0xBE, 0xEF]))?;
/// assert_eq!(out.written(), br#""3q2+7w==""#);
///
/// let came = Base64::read(nanojsonrpc::RawValue::parse(out.written())?)?;
/// let mut bytes = [0; 4];
/// assert_eq!(came.decode(&mut bytes)?, [0xDE, 0xAD, 0xBE, 0xEF]);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Base64<'a> {
    /// The bytes themselves.
    Bytes(&'a [u8]),
    /// As it stands in a message.
    Raw(RawStr<'a>),
}

impl<'a> Base64<'a> {
    /// Reads a string. Whether it is base64 shows when it is decoded.
    ///
    /// # Errors
    /// [`UnexpectedType`](ErrorKind::UnexpectedType) if it is no string.
    pub fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        raw.as_str_raw().map(Self::Raw).ok_or(unexpected(raw))
    }

    /// The bytes, in the front of `buffer`.
    ///
    /// # Errors
    /// [`OutputFull`](ErrorKind::OutputFull) if `buffer` is too short; [`InvalidValue`](ErrorKind::InvalidValue) if the
    /// text is not base64 with padding, with the place in the decoded string of the four characters that are not.
    pub fn decode(self, buffer: &mut [u8]) -> Result<&[u8], Error> {
        let full = Error::new(ErrorKind::OutputFull, buffer.len());
        let mut len = 0usize;
        let mut put = |bytes: &[u8]| {
            let end = len.wrapping_add(bytes.len());
            crate::json::copy(bytes, buffer.get_mut(len..end).ok_or(full)?);
            len = end;
            Ok(())
        };
        match self {
            Self::Bytes(bytes) => put(bytes)?,
            Self::Raw(text) => decode(text, &mut put)?,
        }
        Ok(buffer.get(..len).unwrap_or_default())
    }
}

/// Decodes `text`, up to three bytes at a time. Only the last four characters may be padded.
fn decode(text: RawStr<'_>, put: &mut impl FnMut(&[u8]) -> Result<(), Error>) -> Result<(), Error> {
    let mut chars = text.chars();
    let mut offset = 0usize;
    let mut is_padded = false;
    loop {
        let mut four = [0; 4];
        let mut given = 0usize;
        for (place, c) in four.iter_mut().zip(&mut chars) {
            // a byte beyond ASCII is no digit of base64, and neither is 0
            *place = u8::try_from(c).unwrap_or(0);
            given = given.wrapping_add(1);
        }
        if given == 0 {
            return Ok(());
        }
        let invalid = Error::new(ErrorKind::InvalidValue, offset);
        if given < four.len() || is_padded {
            return Err(invalid);
        }
        let (three, len) = decode_four(four).ok_or(invalid)?;
        put(three.get(..len).unwrap_or_default())?;
        is_padded = four.ends_with(b"=");
        offset = offset.wrapping_add(4);
    }
}

/// The bytes that four characters stand for, and how many they are. The bits behind the last byte must be zero (RFC 4648
/// §3.5), so that no two texts stand for the same bytes.
pub(super) fn decode_four(four: [u8; 4]) -> Option<([u8; 3], usize)> {
    let (mut bits, mut len) = (0u32, 3usize);
    for character in four {
        bits = bits.wrapping_shl(6);
        match digit(character) {
            // no digit behind padding
            Some(digit) if len == 3 => bits |= u32::from(digit),
            None if character == b'=' => len = len.wrapping_sub(1),
            _ => return None,
        }
    }
    let [_, first, second, third] = bits.to_be_bytes();
    let is_canonical = match len {
        3 => true,
        2 => third == 0,
        1 => second == 0 && third == 0,
        _ => false,
    };
    is_canonical.then_some(([first, second, third], len))
}

/// The six bits of a digit of base64 (RFC 4648 §4, table 1).
fn digit(character: u8) -> Option<u8> {
    match character {
        b'A'..=b'Z' => Some(character.wrapping_sub(b'A')),
        b'a'..=b'z' => Some(character.wrapping_sub(b'a').wrapping_add(26)),
        b'0'..=b'9' => Some(character.wrapping_sub(b'0').wrapping_add(52)),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// The characters for up to three bytes.
fn encode(three: &[u8]) -> [u8; 4] {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    // at the top of the word
    let mut bits = 0u32;
    for (byte, shift) in three.iter().zip([24u32, 16, 8]) {
        bits |= u32::from(*byte).wrapping_shl(shift);
    }
    let mut four = [b'='; 4];
    for place in four.iter_mut().take(three.len().wrapping_add(1)) {
        *place = DIGITS.get(bits.wrapping_shr(26) as usize).copied().unwrap_or(b'=');
        bits = bits.wrapping_shl(6);
    }
    four
}

impl<'a> Value<'a> for Base64<'a> {
    fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        Base64::read(raw)
    }

    fn put(&self, out: &mut Writer<'_>) {
        out.put_byte(b'"');
        match self {
            Self::Raw(text) => out.put(text.as_bytes()),
            Self::Bytes(bytes) => {
                for three in bytes.chunks(3) {
                    out.put(&encode(three));
                }
            }
        }
        out.put_byte(b'"');
    }
}

payload!(Base64<'a>);
