//! Reads a validated value into any type that implements `serde::Deserialize`.
//!
//! The text has passed the validating pass, so this code checks only types, ranges and names, and reads each byte
//! once. It skips unused members without recursion; calls nest as deep as the type that is read.

mod access;
mod dispatch;
mod error;
mod fixed;
mod key;
mod numbers;
mod raw;
#[cfg(feature = "serde-json-core")]
mod serde_json_core;
mod take;
#[cfg(test)]
mod tests;
mod variant;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Visitor};

use super::machine::value_len;
use super::{RawStr, RawValue};
use crate::error::Error;
use access::{Members, Sequence};
pub use error::{DeError, PayloadError};
pub(crate) use raw::from_parts;

/// The maximum decoded length of a string with escapes that is read into an owned type without a scratch buffer. The feature
/// `alloc` removes this limit.
pub const MAX_ESCAPED: usize = 256;

/// The expected type or name: a pointer of one word; a `&str` has two.
type Expected = &'static &'static str;

/// [`Deserializer::last`] of a value that may be absent. If it is a tuple, the `Option`s at its end may be absent, too.
const MAY_BE_ABSENT: usize = usize::MAX - 1;

const ANYTHING: Expected = &"another value";
pub(in crate::json) const NAME: Expected = &"a name";
const OBJECT: Expected = &"an object";
const ARRAY: Expected = &"an array";
const STRUCT: Expected = &"an object or array";
const STRING: Expected = &"a string";
const VARIANT: Expected = &"a variant";

/// Replaces the name of an unknown member: a noncharacter, which does not occur in texts.
const NO_FIELD: &str = "\u{10FFFF}";

/// Reads one value into any `Deserialize` type.
///
/// Most programs call [`RawValue::read`]; this type is for programs that drive serde themselves.
///
/// # Limits
/// A string with an escape is decoded in the scratch buffer. Without a scratch buffer it is decoded in [`MAX_ESCAPED`] bytes of stack, or
/// with the feature `alloc` in a `String`, and cannot be borrowed. The names of a struct's members need no buffer: they are compared with
/// the names and aliases that the struct lists, and an unknown member gets the name U+10FFFF.
///
/// # Errors
/// serde passes a [`DeError`], which is one word; [`explain`](Self::explain) converts it into a [`PayloadError`].
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::{RawValue, json::Deserializer};
/// use serde::Deserialize;
///
/// let mut reader = Deserializer::new(RawValue::parse(b"[1,-2]")?);
/// let refused = <(u8, u8)>::deserialize(&mut reader).map_err(|fault| reader.explain(fault));
/// assert_eq!(refused.map_err(|error| (error.offset(), error.expected())), Err((3, "u8")));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Deserializer<'de> {
    /// The unread text. When a type starts to read, its value is at the front; for an absent value the text is empty.
    pub(in crate::json) rest: &'de [u8],
    /// The offset of the end of `rest` in its message. A position is stored as its distance to this end: one word.
    end: usize,
    /// The position of the value that is read.
    whole: usize,
    /// The position of the last element, name or value, or of the closing bracket after them. Before the first of them no position: one of
    /// the two greatest numbers.
    last: usize,
    /// The scratch buffer for decoded strings.
    scratch: &'de mut [u8],
    /// The position of the last string that did not fit the scratch buffer, and so could not be borrowed; the maximum if there is none.
    copied: usize,
    /// The position of the last scalar, or of the first fault.
    place: usize,
    /// The type or name expected there.
    expected: Expected,
    /// The reason for the fault.
    why: DeError,
}

impl<'de> Deserializer<'de> {
    /// Reads `value`.
    pub fn new(value: RawValue<'de>) -> Self {
        Self::of(value.as_bytes(), value.offset())
    }

    fn of(rest: &'de [u8], offset: usize) -> Self {
        let (place, expected, why) = (rest.len(), ANYTHING, DeError::ESCAPED_STRING);
        let end = offset.wrapping_add(place);
        Self { rest, end, whole: place, last: usize::MAX, scratch: &mut [], copied: usize::MAX, place, expected, why }
    }

    /// Reads `value`. Strings with escapes are decoded into `scratch` and can be borrowed from there.
    ///
    /// ```
    /// use nanojsonrpc::RawValue;
    /// use nanojsonrpc::json::{Deserializer, MAX_ESCAPED};
    /// use serde::Deserialize;
    ///
    /// let mut scratch = [0; MAX_ESCAPED];
    /// let value = RawValue::parse(br#"["a\tb","c"]"#).unwrap();
    /// let mut deserializer = Deserializer::with_scratch(value, &mut scratch);
    /// let strings = <(&str, &str)>::deserialize(&mut deserializer).map_err(|fault| deserializer.explain(fault));
    /// assert_eq!(strings, Ok(("a\tb", "c")));
    /// ```
    pub fn with_scratch(value: RawValue<'de>, scratch: &'de mut [u8]) -> Self {
        Self { scratch, ..Self::new(value) }
    }

    /// Deserializes a value that may be absent: then it is `null` for types that accept null, and an empty object for structs and maps.
    /// A tuple may lack the `Option`s at its end.
    #[inline(never)]
    pub(crate) fn optional(value: Option<RawValue<'de>>) -> Self {
        Self::optional_with(value, &mut [])
    }

    /// [`optional`](Self::optional) with a scratch buffer. Not generic, so that all types share one copy.
    #[inline(never)]
    pub(crate) fn optional_with(value: Option<RawValue<'de>>, scratch: &'de mut [u8]) -> Self {
        let (text, offset) = value.map_or((&[][..], 0), |value| (value.as_bytes(), value.offset()));
        Self { scratch, last: MAY_BE_ABSENT, ..Self::of(text, offset) }
    }

    /// Reads a value; explains the fault if that fails.
    ///
    /// # Errors
    /// As [`RawValue::read`].
    pub fn read<T: Deserialize<'de>>(mut self) -> Result<T, PayloadError> {
        self.read_value().map_err(|fault| self.explain(fault))
    }

    /// Reads a value; [`explain`](Self::explain) gives the details of a failure.
    pub(crate) fn read_value<T: Deserialize<'de>>(&mut self) -> Result<T, DeError> {
        T::deserialize(self)
    }

    /// Returns the kind, the offset and the expectation of the fault that ended reading.
    #[inline(never)]
    pub fn explain(&mut self, fault: DeError) -> PayloadError {
        self.blame(fault, self.whole);
        if self.why == DeError::UNEXPECTED_TEXT && self.copied <= self.place {
            // A type refuses a string of the value because it cannot borrow it. Flattened and tagged types do so after they have read the
            // whole value into a copy.
            self.why = DeError::ESCAPED_STRING;
            self.place = self.copied;
            self.expected = STRING;
        }
        let offset = self.end.wrapping_sub(self.place);
        PayloadError::new(Error::new(self.why.kind(), offset), self.expected, self.why.refused_len())
    }

    inlined_on_hosts! {
        /// Reads the next value. A fault without a position gets that of this value.
        fn placed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, DeError> {
            let place = self.rest.len();
            seed.deserialize(&mut *self).map_err(|fault| self.blame(fault, place))
        }
    }

    /// Records the position of the value as that of a fault, unless the fault already has one.
    #[inline(never)]
    fn blame(&mut self, fault: DeError, place: usize) -> DeError {
        self.blame_on(fault, place, ANYTHING)
    }

    /// Records the position of the scalar as that of a fault, unless the fault already has one. Moves to the end of the value.
    #[inline(never)]
    fn blame_scalar(&mut self, fault: DeError) -> DeError {
        let fault = self.blame_on(fault, self.place, self.expected);
        if self.rest.len() == self.place {
            self.skip_value();
        }
        fault
    }

    /// Records the position and the expectation of a fault, unless the fault already has them.
    #[inline(never)]
    fn blame_on(&mut self, fault: DeError, place: usize, expected: Expected) -> DeError {
        if fault != DeError::PLACED {
            self.place = place;
            self.expected = expected;
            self.why = fault;
        }
        DeError::PLACED
    }

    /// Records a fault of an object, or of one of its members if the fault names it.
    #[inline(never)]
    fn blame_member(&mut self, fault: DeError, place: usize, fields: &'static [&'static str]) -> DeError {
        let named = fields.iter().find(|name| fault.is_about(name));
        self.blame_full(fault, place, named.unwrap_or(OBJECT))
    }

    /// Records a fault of an object or array. If the type refuses a length before the end, its capacity is full. Moves past the closing
    /// bracket.
    #[inline(never)]
    fn blame_full(&mut self, fault: DeError, place: usize, expected: Expected) -> DeError {
        let fault = if self.is_exhausted() { fault } else { fault.of_full() };
        self.blame_on(fault, place, expected);
        self.leave()
    }

    /// After a fault, moves past the closing bracket of the object or array that is read.
    ///
    /// A type may drop the fault of a part, as `Result::ok` in a `deserialize_with` does, and then read the next part. So after a fault,
    /// the deserializer skips the rest of the faulty value. Every inner value has been read or skipped as a whole, so the next unmatched
    /// closing bracket is that of this value.
    #[inline(never)]
    fn leave(&mut self) -> DeError {
        // the type may not have read the last part; `more` compares with `last`, and no part has the position of the whole value
        self.last = self.whole;
        while self.more() {
            self.skip_value();
        }
        self.open();
        DeError::PLACED
    }

    /// Records a value of an unexpected kind.
    #[inline(never)]
    fn unexpected(&mut self, expected: Expected) -> DeError {
        self.begin(expected);
        self.skip_value();
        DeError::PLACED
    }

    /// Passes a string to `visitor`, borrowed if possible.
    fn string<V: Visitor<'de>>(&mut self, visitor: V, expected: Expected) -> Result<V::Value, DeError> {
        let visited = match self.take_text(expected) {
            Some(text) => visitor.visit_borrowed_str(text),
            None => self.escaped(visitor),
        };
        visited.map_err(|fault| self.blame_scalar(fault))
    }

    /// Passes a string that cannot be borrowed to `visitor`.
    ///
    /// Decodes in a separate stack frame, so that only strings with an escape use this stack; with `alloc`, into a `String`
    /// that `visitor` may take.
    #[inline(never)]
    fn escaped<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, DeError> {
        self.copied = self.place;
        #[cfg(feature = "alloc")]
        let visited = visitor.visit_string(self.decode_owned().ok_or(self.why)?);
        #[cfg(not(feature = "alloc"))]
        let mut room = heapless::Vec::<u8, MAX_ESCAPED>::new();
        #[cfg(not(feature = "alloc"))]
        let visited = visitor.visit_str(self.decode_to(&mut room).ok_or(self.why)?);
        visited
    }

    inlined_on_hosts! {
        /// Passes an object to `visitor`, which is a `STRUCT` with these `fields` or a map. An absent object is empty.
        fn object<V: Visitor<'de>, const STRUCT: bool>(
            &mut self,
            visitor: V,
            fields: &'static [&'static str],
        ) -> Result<V::Value, DeError> {
            let place = self.open();
            let members = Members::<STRUCT>::new(self, fields);
            let value = visitor.visit_map(members).map_err(|fault| self.blame_member(fault, place, fields))?;
            self.close()?;
            Ok(value)
        }
    }

    inlined_on_hosts! {
        /// Passes an array to `visitor`. An absent array is empty.
        fn array<V: Visitor<'de>>(&mut self, visitor: V, may_lack_options: bool) -> Result<V::Value, DeError> {
            let place = self.open();
            let elements = Sequence::new(self, may_lack_options);
            let value = visitor.visit_seq(elements).map_err(|fault| self.blame_full(fault, place, ARRAY))?;
            self.close()?;
            Ok(value)
        }
    }

    shared_on_devices! {
        /// Refuses elements or members that the type has not read before the closing bracket.
        fn close(&mut self) -> Result<(), DeError> {
            self.more();
            // no value begins with a closing bracket, so this one closes the compound that was read
            if matches!(self.byte(), 0 | b']' | b'}') {
                self.open();
                return Ok(());
            }
            self.blame_on(DeError::INVALID_LENGTH, self.rest.len(), &"the closing bracket");
            Err(self.leave())
        }
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Deserializer<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Deserializer at byte {=usize}", self.end.wrapping_sub(self.rest.len()));
    }
}

impl<'a> RawValue<'a> {
    /// Reads the value into a type `T`.
    ///
    /// Borrows if possible: a `&str` field takes any string without an escape. Types that own their text, such as `heapless::String`, take
    /// every string that fits; with an escape, up to [`MAX_ESCAPED`] bytes unless the feature `alloc` is on. [`RawStr`](crate::RawStr) and
    /// [`RawValue`] take any string.
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
    /// [`PayloadError`]: the expected type and the offset in the message. A server answers -32602.
    pub fn read<T: Deserialize<'a>>(self) -> Result<T, PayloadError> {
        Deserializer::new(self).read()
    }

    /// [`read`](Self::read) with a scratch buffer, which holds decoded strings so that they can be borrowed.
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
    /// As [`read`](Self::read); [`EscapedString`](crate::ErrorKind::EscapedString) if `scratch` is too short.
    pub fn read_with<T: Deserialize<'a>>(self, scratch: &'a mut [u8]) -> Result<T, PayloadError> {
        Deserializer::with_scratch(self, scratch).read()
    }

    /// The number of bytes of scratch buffer that all strings of the value need.
    pub(crate) fn escaped_len(self) -> usize {
        let (mut rest, mut len) = (self.as_bytes(), 0usize);
        while let Some(start) = rest.iter().position(|byte| *byte == b'"') {
            let text = rest.get(start..).unwrap_or_default();
            let (string, behind) = text.split_at_checked(value_len(text)).unwrap_or_default();
            len = len.wrapping_add(RawValue::at(string, 0).as_str_raw().map_or(0, RawStr::escaped_len));
            rest = behind;
        }
        len
    }

    /// [`read_optional`](Self::read_optional) with a scratch buffer.
    pub(crate) fn read_optional_with<T: Deserialize<'a>>(
        value: Option<Self>,
        scratch: &'a mut [u8],
    ) -> Result<T, PayloadError> {
        Deserializer::optional_with(value, scratch).read()
    }

    /// Reads a value that may be absent; see [`Deserializer::optional`].
    pub(crate) fn read_optional<T: Deserialize<'a>>(value: Option<Self>) -> Result<T, PayloadError> {
        Deserializer::optional(value).read()
    }
}
