//! Bytes as base64, in and out, a few at a time.

use crate::base64::{decode_four, encode};
use crate::error::{Error, ErrorKind};
use crate::json::{RawStr, RawValue, ToJson, ValueWriter, Written};
use crate::mcp::value::{unexpected, value};

/// Bytes that messages contain as base64 (RFC 4648 §4): bytes of the program, encoded when they are written, three at a time, or
/// a received text, decoded on demand.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::mcp::types::Base64;
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
    /// The text of a message.
    Raw(RawStr<'a>),
}

impl<'a> Base64<'a> {
    /// Reads a string. [`decode`](Self::decode) checks that it is base64.
    ///
    /// # Errors
    /// [`UnexpectedType`](ErrorKind::UnexpectedType) for another kind of value.
    pub fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        raw.as_str_raw().map(Self::Raw).ok_or(unexpected(raw))
    }

    /// The bytes, in the front of `buffer`.
    ///
    /// # Errors
    /// [`OutputFull`](ErrorKind::OutputFull) if `buffer` is too short; [`InvalidValue`](ErrorKind::InvalidValue) if the text is not base64
    /// with padding, with the offset, in the decoded string, of the four wrong characters.
    pub fn decode(self, buffer: &mut [u8]) -> Result<&[u8], Error> {
        let full = Error::new(ErrorKind::OutputFull, buffer.len());
        let mut len = 0usize;
        let mut put = |bytes: &[u8]| {
            let end = len.wrapping_add(bytes.len());
            crate::copy::copy(bytes, buffer.get_mut(len..end).ok_or(full)?);
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
            // neither 0 nor a character beyond ASCII is a digit of base64
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

impl ToJson for Base64<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        match self {
            Self::Raw(text) => out.text(text),
            Self::Bytes(bytes) => out.pieces(|out| {
                out.put_byte(b'"');
                bytes.chunks(3).for_each(|three| out.put(&encode(three)));
                out.put_byte(b'"');
            }),
        }
    }
}

value!(Base64<'a>);
