//! Walks over validated text; looks only for brackets and quotation marks.

use core::iter::FusedIterator;

use super::machine::{next_value, value_len};
use super::{RawStr, RawValue};

impl<'a> RawValue<'a> {
    /// The value of the first member with this `name`; `None` if there is no such member, and for other kinds.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// let params = nanojsonrpc::RawValue::parse(br#"{"minuend":42,"subtrahend":23}"#)?;
    /// assert_eq!(params.get("subtrahend").and_then(|value| value.as_i64()), Some(23));
    /// # Ok(()) }
    /// ```
    pub fn get(self, name: &str) -> Option<Self> {
        self.members().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The element at `index`, counted from 0; `None` if there is none, and for other kinds.
    pub fn element(self, index: usize) -> Option<Self> {
        self.elements().nth(index)
    }

    /// The members of an object, in order; empty for other kinds.
    pub fn members(self) -> Members<'a> {
        Members::new(self)
    }

    /// The elements of an array, in order; empty for other kinds.
    pub fn elements(self) -> Elements<'a> {
        Elements::new(self)
    }
}

/// The values in an object or array; separators and white space are skipped.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
struct Walk<'a> {
    rest: &'a [u8],
    /// The offset of the end of `rest` in the message.
    end: usize,
}

impl<'a> Walk<'a> {
    fn new(whole: RawValue<'a>, opening: u8) -> Self {
        let rest = match whole.as_bytes() {
            [first, rest @ ..] if *first == opening => rest,
            _ => &[],
        };
        Self { rest, end: whole.offset().wrapping_add(whole.as_bytes().len()) }
    }

    fn next(&mut self) -> Option<RawValue<'a>> {
        self.next_of(value_len)
    }

    /// The next value; `len` returns its length.
    #[inline]
    fn next_of(&mut self, len: impl FnOnce(&'a [u8]) -> usize) -> Option<RawValue<'a>> {
        self.rest = next_value(self.rest);
        let offset = self.end.wrapping_sub(self.rest.len());
        // at the closing bracket `rest` stays, so later calls also return `None`
        if matches!(self.rest, [b'}' | b']', ..] | []) {
            return None;
        }
        let (value, rest) = self.rest.split_at_checked(len(self.rest))?;
        self.rest = rest;
        Some(RawValue::at(value, offset))
    }
}

/// The elements of an array; see [`RawValue::elements`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Elements<'a>(Walk<'a>);

impl<'a> Elements<'a> {
    pub(super) fn new(array: RawValue<'a>) -> Self {
        Self(Walk::new(array, b'['))
    }

    /// No elements.
    pub(crate) const fn none() -> Self {
        Self(Walk { rest: &[], end: 0 })
    }

    /// The elements of a validated array whose text after the opening bracket is `rest`, which ends at the offset `end` in the message.
    pub(crate) const fn within(rest: &'a [u8], end: usize) -> Self {
        Self(Walk { rest, end })
    }

    /// Skips `len` bytes, with which an element ends, and returns them.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    pub(crate) fn skip(&mut self, len: usize) -> Option<&'a [u8]> {
        let (skipped, rest) = self.0.rest.split_at_checked(len)?;
        self.0.rest = rest;
        Some(skipped)
    }

    /// The offset in the message of the rest: of the next element, or of what separates it from the last one.
    pub(crate) const fn offset(&self) -> usize {
        self.0.end.wrapping_sub(self.0.rest.len())
    }

    /// The next element. `capture` returns its length and captures the members of an object.
    #[inline(always)]
    pub(crate) fn next_captured(&mut self, capture: impl FnOnce(&'a [u8]) -> usize) -> Option<RawValue<'a>> {
        self.0.next_of(capture)
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = RawValue<'a>;

    fn next(&mut self) -> Option<RawValue<'a>> {
        self.0.next()
    }
}

impl FusedIterator for Elements<'_> {}

/// The members of an object, each a name and a value; see [`RawValue::members`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Members<'a>(Walk<'a>);

impl<'a> Members<'a> {
    pub(super) fn new(object: RawValue<'a>) -> Self {
        Self(Walk::new(object, b'{'))
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (RawStr<'a>, RawValue<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let name = self.0.next()?.as_str_raw()?;
        Some((name, self.0.next()?))
    }
}

impl FusedIterator for Members<'_> {}
