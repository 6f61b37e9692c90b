//! The members of a refused text, as far as they can be read.

use core::iter::FusedIterator;

use super::{RawStr, RawValue, trim_end, trim_start};
use crate::error::ErrorKind;

/// The members of the object at the front of a text that may be invalid, in order, up to its first fault. The value is `None` if the fault
/// is in it, or directly behind it.
///
/// # Limits
/// Stack: constant. Time: one pass over the text.
#[derive(Clone, Debug)]
pub(crate) struct ReadableMembers<'a> {
    text: &'a [u8],
    rest: &'a [u8],
    is_whole: bool,
}

impl<'a> ReadableMembers<'a> {
    /// The members of the object that `part`, a part of `text`, or the array in it, begins with; `None` if there is no object.
    pub(crate) fn new(text: &'a [u8], part: &'a [u8]) -> Option<Self> {
        let mut rest = trim_start(part);
        if let [b'[', inside @ ..] = rest {
            rest = trim_start(inside);
        }
        let [b'{', rest @ ..] = rest else { return None };
        Some(Self { text, rest, is_whole: matches!(trim_start(rest), [b'}', ..]) })
    }

    /// Whether the object has no fault; known after the last member.
    pub(crate) const fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The valid value at the front of the rest, and the byte behind it, which becomes the last of the dropped ones.
    fn value(&mut self) -> Option<(&'a [u8], u8)> {
        let error = RawValue::parse(self.rest).err().filter(|error| error.kind() == ErrorKind::TrailingData)?;
        let (value, behind) = self.rest.split_at_checked(error.offset())?;
        let (end, rest) = behind.split_first()?;
        self.rest = rest;
        Some((trim_end(trim_start(value)), *end))
    }

    fn member(&mut self) -> Option<RawValue<'a>> {
        let (value, end) = self.value()?;
        if end != b',' {
            self.rest = &[];
            self.is_whole = end == b'}';
        }
        matches!(end, b',' | b'}').then(|| RawValue::validated(self.text, value))
    }
}

impl<'a> Iterator for ReadableMembers<'a> {
    type Item = (RawStr<'a>, Option<RawValue<'a>>);

    fn next(&mut self) -> Option<Self::Item> {
        let ([b'"', name @ .., b'"'], b':') = self.value()? else {
            self.rest = &[];
            return None;
        };
        let value = self.member();
        if value.is_none() {
            self.rest = &[];
        }
        Some((RawStr::validated(name), value))
    }
}

impl FusedIterator for ReadableMembers<'_> {}
