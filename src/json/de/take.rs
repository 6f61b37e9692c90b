//! Consumes scalars, separators and brackets of validated text.
//!
//! No function here is generic over the type that is read, so a program links each function once.

#[cfg(not(feature = "alloc"))]
use heapless::vec::VecView;

use super::{DeError, Deserializer, Expected, NAME, NO_FIELD};
use crate::json::machine::{plain_len, utf8_str, value_len};
use crate::json::{RawStr, RawValue, trim_start};

impl<'de> Deserializer<'de> {
    inlined_on_hosts! {
        /// Begins a scalar: records its position and the expected type.
        pub(super) fn begin(&mut self, expected: Expected) {
            self.place = self.rest.len();
            self.expected = expected;
            self.why = DeError::UNEXPECTED_TYPE;
        }
    }

    /// The next byte; 0 if the value is absent.
    pub(super) fn byte(&self) -> u8 {
        self.rest.first().copied().unwrap_or_default()
    }

    /// Whether the last call of [`more`](Self::more) has found the closing bracket of an object or array. If an element or member was read
    /// since that call, the position differs, and this returns `false`.
    pub(super) fn is_exhausted(&self) -> bool {
        self.last == self.rest.len() && matches!(self.rest, [b']' | b'}', ..] | [])
    }

    shared_on_devices! {
        /// Consumes the opening bracket, if the value is not absent, and returns its position.
        pub(super) fn open(&mut self) -> usize {
            let place = self.rest.len();
            self.rest = self.rest.get(1..).unwrap_or_default();
            place
        }
    }

    shared_on_devices! {
        /// Moves past the comma or colon to the next element, name or value; returns whether there is one.
        ///
        /// If the type has not read the last element, name or value, returns `false`, and [`close`](Self::close) refuses the type. Otherwise
        /// the type would read the same value again and again, or mistake a value for a name.
        pub(super) fn more(&mut self) -> bool {
            self.rest = trim_start(self.rest);
            let last = core::mem::replace(&mut self.last, self.rest.len());
            !self.is_exhausted() && last != self.last
        }
    }

    /// Consumes the next value of any kind.
    #[inline(never)]
    pub(super) fn take_value(&mut self) -> RawValue<'de> {
        if self.rest.is_empty() {
            return RawValue::NULL;
        }
        let offset = self.end.wrapping_sub(self.rest.len());
        RawValue::at(self.skip_value(), offset)
    }

    /// Consumes the next value of any kind, and returns its text.
    #[inline(never)]
    pub(super) fn skip_value(&mut self) -> &'de [u8] {
        let (value, rest) = self.rest.split_at_checked(value_len(self.rest)).unwrap_or_default();
        self.rest = rest;
        value
    }

    /// Consumes the next value if it is a string.
    #[cfg(not(feature = "alloc"))]
    pub(super) fn take_string(&mut self) -> Option<RawStr<'de>> {
        if self.byte() != b'"' { None } else { self.take_value().as_str_raw() }
    }

    shared_on_devices! {
        /// Consumes null; returns `true` for null and for an absent value.
        pub(super) fn take_null(&mut self) -> bool {
            let is_null = matches!(self.byte(), 0 | b'n');
            if is_null {
                self.skip_value();
            }
            is_null
        }
    }

    /// Consumes the next value if it is a string that can be borrowed.
    ///
    /// Separate from the generic [`string`](Self::string), so that all types share one copy.
    #[inline(never)]
    pub(super) fn take_text(&mut self, expected: Expected) -> Option<&'de str> {
        match self.take_plain(expected) {
            Some(text) => utf8_str(text),
            None => self.decode(),
        }
    }

    /// Consumes the next value if it is a string without an escape.
    pub(in crate::json) fn take_plain(&mut self, expected: Expected) -> Option<&'de [u8]> {
        self.begin(expected);
        let [b'"', inside @ ..] = self.rest else { return None };
        match inside.split_at_checked(plain_len(inside)) {
            Some((text, [b'"', rest @ ..])) => {
                self.rest = rest;
                Some(text)
            }
            _ => {
                self.why = DeError::ESCAPED_STRING;
                None
            }
        }
    }

    /// Consumes a name and returns its field; [`NO_FIELD`] for an unknown member.
    ///
    /// Returns the constant name, because a check that the received name is UTF-8 costs 624 bytes of flash, or on a 64-bit host a seventh
    /// of the time to read a small struct.
    #[inline(never)]
    pub(in crate::json) fn take_field(&mut self, fields: &[&'static str]) -> &'static str {
        self.begin(NAME);
        let inside = RawStr::validated(self.rest.get(1..).unwrap_or_default());
        for field in fields {
            if let Some([b'"', rest @ ..]) = inside.strip_prefix(field).map(RawStr::as_bytes) {
                self.rest = rest;
                return field;
            }
        }
        self.skip_value();
        NO_FIELD
    }

    /// Decodes the next string, if it has an escape, into the scratch buffer. Owned strings do not use this buffer, so it may be too small.
    fn decode(&mut self) -> Option<&'de str> {
        if self.why != DeError::ESCAPED_STRING {
            return None;
        }
        let inside = RawStr::validated(self.rest.get(1..)?);
        let (decoded, rest) = inside.decode_to_front(&mut self.scratch)?;
        self.rest = rest;
        Some(decoded)
    }

    /// Decodes the next string, if it has an escape and fits.
    #[cfg(not(feature = "alloc"))]
    #[inline(never)]
    pub(super) fn decode_to<'r>(&mut self, room: &'r mut VecView<u8>) -> Option<&'r str> {
        if self.why != DeError::ESCAPED_STRING {
            return None;
        }
        self.take_string()?.decode_to(room)
    }

    /// Decodes the next string, if it has an escape.
    #[cfg(feature = "alloc")]
    #[inline(never)]
    pub(super) fn decode_owned(&mut self) -> Option<alloc::string::String> {
        if self.why != DeError::ESCAPED_STRING {
            return None;
        }
        let inside = RawStr::validated(self.rest.get(1..)?);
        let (decoded, rest) = inside.decode_owned()?;
        self.rest = rest;
        Some(decoded)
    }
}
