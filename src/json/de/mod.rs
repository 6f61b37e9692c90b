//! A validated value into any `serde::Deserialize`.
//!
//! The text has passed the validating pass, so only types, ranges and names are looked at here, each byte once. What no
//! field wants is skipped without recursion; calls nest as deep as the type that is read.

mod access;
mod dispatch;
mod key;
mod problem;
mod raw;
#[cfg(feature = "serde-json-core")]
mod serde_json_core;

use core::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Visitor};

use super::walk::value_len;
use super::{RawStr, RawValue, offset_in};
use crate::error::{Error, ErrorKind};
use access::{Members, Sequence};
pub use problem::PayloadError;
use problem::{is_unplaced, mark, unplaced};

/// How many bytes a string with escapes may have, decoded, when it is read into something that owns its text and no
/// buffer has been lent.
pub const MAX_ESCAPED: usize = 256;

/// Reads one value into a type of yours.
///
/// [`RawValue::read`] is what most programs want; this is for those that drive serde themselves.
///
/// # Limits
/// A string that holds an escape is decoded in the buffer that was lent, and without one in [`MAX_ESCAPED`] bytes of
/// stack, out of which nothing can be borrowed.
#[derive(Debug)]
pub struct Deserializer<'de> {
    /// The value that is read; empty if it is absent.
    text: &'de [u8],
    /// Where `text` begins in its message.
    offset: usize,
    /// What has not been read yet.
    rest: &'de [u8],
    /// Room for decoded strings.
    scratch: &'de mut [u8],
    /// What is done with a string that holds an escape. A pointer, so that who lends no room does not link the code that
    /// would fill it.
    take_escaped: fn(&mut Self, RawStr<'de>) -> Result<Taken<'de>, Error>,
    /// What was expected where the first fault is.
    expected: &'static str,
    /// The names of the members of the struct that is being read.
    fields: &'static [&'static str],
}

impl<'de> Deserializer<'de> {
    /// Reads `value`.
    pub fn new(value: RawValue<'de>) -> Self {
        let text = value.as_bytes();
        let take_escaped = |_: &mut Self, text| Ok(Taken::Escaped(text));
        let (offset, rest) = (value.offset(), text);
        Self { text, offset, rest, scratch: &mut [], take_escaped, expected: "", fields: &[] }
    }

    /// Reads `value`; strings that hold escapes are decoded into `scratch`, from where they can be borrowed.
    pub fn with_scratch(value: RawValue<'de>, scratch: &'de mut [u8]) -> Self {
        Self { scratch, take_escaped: Self::decode, ..Self::new(value) }
    }

    /// Reads what is absent: null to whom null will do, an empty object to a struct or map.
    fn absent() -> Self {
        Self { text: &[], offset: 0, rest: &[], ..Self::new(RawValue::NULL) }
    }

    /// Reads a value, and explains why if that fails.
    ///
    /// # Errors
    /// As [`RawValue::read`].
    pub fn read<T: Deserialize<'de>>(mut self) -> Result<T, PayloadError> {
        self.placed(PhantomData).map_err(|error| PayloadError::new(error, self.expected))
    }

    /// Reads the value that comes next, which is what a fault that has no other place is blamed on.
    fn placed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        self.peek();
        let offset = self.position();
        let read = seed.deserialize(&mut *self);
        read.map_err(|fault| self.place(fault, offset, "another value"))
    }

    /// Gives a fault its place and keeps what was expected there, unless it has a place already.
    #[inline(never)]
    fn place(&mut self, fault: Error, offset: usize, expected: &'static str) -> Error {
        if !is_unplaced(fault) {
            return fault;
        }
        let named = self.fields.iter().find(|name| mark(name) == fault.offset());
        self.expected = named.copied().unwrap_or(expected);
        Error::new(fault.kind(), offset)
    }

    fn position(&self) -> usize {
        self.offset.wrapping_add(offset_in(self.text, self.rest))
    }

    /// The first byte of what comes next; 0 if the value is absent.
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    fn peek(&mut self) -> u8 {
        while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] = self.rest {
            self.rest = rest;
        }
        self.rest.first().copied().unwrap_or_default()
    }

    /// Consumes the byte that was peeked at.
    fn bump(&mut self) {
        self.rest = self.rest.get(1..).unwrap_or_default();
    }

    fn take(&mut self, len: usize) -> &'de [u8] {
        let (taken, rest) = self.rest.split_at_checked(len).unwrap_or_default();
        self.rest = rest;
        taken
    }

    /// The value that comes next, whatever it is.
    fn take_value(&mut self) -> RawValue<'de> {
        if self.peek() == 0 {
            return RawValue::NULL;
        }
        let offset = self.position();
        let len = value_len(self.rest);
        RawValue::at(self.take(len), offset)
    }

    /// The string that comes next, if one does.
    fn take_string(&mut self) -> Option<RawStr<'de>> {
        if self.peek() != b'"' {
            return None;
        }
        let len = value_len(self.rest);
        let inside = self.take(len).get(1..len.wrapping_sub(1));
        inside.map(RawStr::trusted)
    }

    fn unexpected<T>(&mut self, expected: &'static str) -> Result<T, Error> {
        self.peek();
        let fault = unplaced(ErrorKind::UnexpectedType);
        Err(self.place(fault, self.position(), expected))
    }

    /// Gives an integer to `visitor`, which knows its range.
    fn integer<V: Visitor<'de>>(&mut self, visitor: V, expected: &'static str) -> Result<V::Value, Error> {
        self.peek();
        let offset = self.position();
        let mut magnitude = 0;
        let visited = match self.take_integer(&mut magnitude) {
            Ok(false) => visitor.visit_u64(magnitude),
            Ok(true) => visitor.visit_i64((magnitude as i64).wrapping_neg()),
            Err(fault) => Err(fault),
        };
        visited.map_err(|fault| self.place(fault, offset, expected))
    }

    /// The integer that comes next, if one does: whether it is below zero, and its magnitude.
    ///
    /// Apart from [`integer`](Self::integer), so that it is not made again for every type that is read.
    #[inline(never)]
    fn take_integer(&mut self, magnitude: &mut u64) -> Result<bool, Error> {
        self.peek();
        let (is_negative, mut rest) = match self.rest {
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        let mut read = Some(0u64);
        while let [digit @ b'0'..=b'9', behind @ ..] = rest {
            let digit = u64::from(digit & 0x0F);
            read = read.and_then(|read| read.checked_mul(10)?.checked_add(digit));
            rest = behind;
        }
        // `-0` is a float to every reader that has floats
        if rest.len() == self.rest.len() || matches!(rest, [b'.' | b'e' | b'E', ..]) || is_negative && read == Some(0) {
            return Err(unplaced(ErrorKind::UnexpectedType));
        }
        self.rest = rest;
        match read {
            Some(read) if !is_negative || read <= i64::MIN.unsigned_abs() => {
                *magnitude = read;
                Ok(is_negative)
            }
            _ => Err(unplaced(ErrorKind::InvalidValue)),
        }
    }

    /// Gives any number to `visitor`; `visit_float` gives it one that is no integer of 64 bits, if it is finite.
    fn number<V: Visitor<'de>>(
        &mut self,
        visitor: V,
        visit_float: impl FnOnce(V, RawValue<'de>) -> Option<Result<V::Value, Error>>,
    ) -> Result<V::Value, Error> {
        const EXPECTED: &str = "a number";
        if !matches!(self.peek(), b'-' | b'0'..=b'9') {
            return self.unexpected(EXPECTED);
        }
        let value = self.take_value();
        let visited = match (value.as_u64(), value.as_i64()) {
            (Some(number), _) => visitor.visit_u64(number),
            (_, Some(number)) => visitor.visit_i64(number),
            _ => visit_float(visitor, value).unwrap_or(Err(unplaced(ErrorKind::InvalidValue))),
        };
        visited.map_err(|fault| self.place(fault, value.offset(), EXPECTED))
    }

    /// Gives a string to `visitor`, borrowed where that is possible.
    fn string<V: Visitor<'de>>(&mut self, visitor: V, expected: &'static str) -> Result<V::Value, Error> {
        self.peek();
        let offset = self.position();
        let visited = match self.take_text() {
            Ok(Taken::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Ok(Taken::Escaped(text)) => visit_escaped(text, visitor),
            Err(fault) => Err(fault),
        };
        visited.map_err(|fault| self.place(fault, offset, expected))
    }

    /// The string that comes next, if one does, decoded if room was lent.
    ///
    /// Apart from [`string`](Self::string), so that it is not made again for every type that is read.
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    fn take_text(&mut self) -> Result<Taken<'de>, Error> {
        if self.peek() != b'"' {
            return Err(unplaced(ErrorKind::UnexpectedType));
        }
        // up to the quotation mark that closes the string, or to the first escape
        let inside = self.rest.get(1..).unwrap_or_default();
        let plain = inside.iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(inside.len());
        match inside.split_at_checked(plain) {
            Some((text, [b'"', rest @ ..])) => {
                self.rest = rest;
                let text = core::str::from_utf8(text).map_err(|_| unplaced(ErrorKind::UnexpectedType))?;
                Ok(Taken::Borrowed(text))
            }
            _ => {
                let text = self.take_string().unwrap_or_default();
                (self.take_escaped)(self, text)
            }
        }
    }

    /// Decodes a string into the room that was lent. Who owns his text needs none, so it may be too short for him.
    fn decode(&mut self, text: RawStr<'de>) -> Result<Taken<'de>, Error> {
        let decoded = text.decode_to_front(&mut self.scratch);
        Ok(decoded.map_or(Taken::Escaped(text), Taken::Borrowed))
    }

    /// Gives an object to `visitor`; an absent one is empty.
    fn object<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        let offset = self.position();
        self.bump();
        let value = visitor.visit_map(Members::new(self)).map_err(|fault| self.place(fault, offset, "an object"))?;
        self.close(b'}')?;
        Ok(value)
    }

    /// Gives an array to `visitor`; an absent one is empty.
    fn array<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        let offset = self.position();
        self.bump();
        let value = visitor.visit_seq(Sequence::new(self)).map_err(|fault| self.place(fault, offset, "an array"))?;
        self.close(b']')?;
        Ok(value)
    }

    /// Refuses what the type has left over before the closing bracket.
    fn close(&mut self, bracket: u8) -> Result<(), Error> {
        match self.peek() {
            0 => {}
            byte if byte == bracket => self.bump(),
            _ => {
                let fault = unplaced(ErrorKind::InvalidLength);
                return Err(self.place(fault, self.position(), "the closing bracket"));
            }
        }
        Ok(())
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Deserializer<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Deserializer at byte {=usize}", self.position());
    }
}

/// A string that has been taken.
enum Taken<'de> {
    /// As it is in the text or in the room that was lent.
    Borrowed(&'de str),
    /// Still to be decoded.
    Escaped(RawStr<'de>),
}

/// Decodes on the stack, in a frame of its own, so that only who meets an escape pays for it.
#[inline(never)]
fn visit_escaped<'de, V: Visitor<'de>>(text: RawStr<'de>, visitor: V) -> Result<V::Value, Error> {
    let escaped = unplaced(ErrorKind::EscapedString);
    let text: heapless::String<MAX_ESCAPED> = text.to_heapless().ok_or(escaped)?;
    visitor.visit_str(&text).map_err(|fault: Error| match fault.kind() {
        // who wants to borrow gets no text that could be borrowed
        ErrorKind::UnexpectedType => escaped,
        _ => fault,
    })
}

impl<'a> RawValue<'a> {
    /// Reads it into a type of yours.
    ///
    /// Borrows what can be borrowed: a `&str` field takes any string without an escape. Types that own their text, such as
    /// `heapless::String`, take every string that fits, up to [`MAX_ESCAPED`] bytes if it holds an escape;
    /// [`RawStr`] and [`RawValue`] take any.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn core::error::Error>> {
    /// use nanojsonrpc::RawValue;
    ///
    /// #[derive(serde::Deserialize, PartialEq, Debug)]
    /// struct Reading<'a> {
    ///     sensor: &'a str,
    ///     values: heapless::Vec<i32, 4>,
    ///     unit: Option<&'a str>,
    /// }
    ///
    /// let reading: Reading = RawValue::parse(br#"{"sensor":"t1","values":[1,2,3],"unit":null}"#)?.read()?;
    /// assert_eq!((reading.sensor, &reading.values[..], reading.unit), ("t1", &[1, 2, 3][..], None));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// What was expected, and at which byte of the message; it turns into the answer -32602.
    pub fn read<T: Deserialize<'a>>(self) -> Result<T, PayloadError> {
        Deserializer::new(self).read()
    }

    /// [`read`](Self::read), with room where strings that hold escapes are decoded, so that they can be borrowed.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn core::error::Error>> {
    /// let value = nanojsonrpc::RawValue::parse(br#""caf\u00e9""#)?;
    /// assert!(value.read::<&str>().is_err());
    /// assert_eq!(value.read_with::<&str>(&mut [0; 16])?, "café");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`read`](Self::read); [`ErrorKind::EscapedString`] if `scratch` is too short.
    pub fn read_with<T: Deserialize<'a>>(self, scratch: &'a mut [u8]) -> Result<T, PayloadError> {
        Deserializer::with_scratch(self, scratch).read()
    }

    /// Reads what may be absent: null to whom null will do, an empty object to a struct or map.
    pub(crate) fn read_optional<T: Deserialize<'a>>(value: Option<Self>) -> Result<T, PayloadError> {
        value.map_or_else(Deserializer::absent, Deserializer::new).read()
    }
}
