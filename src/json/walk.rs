//! Walking over validated text: it is trusted, so only brackets and quotation marks are looked for.

use core::iter::FusedIterator;

use super::{Kind, RawStr, RawValue};

#[cfg(target_pointer_width = "64")]
use super::Names;
#[cfg(target_pointer_width = "64")]
pub(crate) use super::wide::note_object;
#[cfg(target_pointer_width = "64")]
pub(super) use super::wide::value_len;
#[cfg(target_pointer_width = "64")]
use super::wide::{UsualMembers, usual_members};
#[cfg(not(target_pointer_width = "64"))]
pub(crate) use plain::note_object;
#[cfg(not(target_pointer_width = "64"))]
pub(super) use plain::value_len;

/// Byte by byte. A 64-bit host has something faster, of which this is the twin.
#[cfg(any(not(target_pointer_width = "64"), test))]
pub(super) mod plain {
    use super::super::{Names, Noted, RawValue};

    /// The bytes of the value at the front of `text`.
    pub(in crate::json) fn value_len(text: &[u8]) -> usize {
        let mut rest = text.iter();
        let (mut open, mut is_inside) = (0u32, false);
        while let Some(byte) = rest.next() {
            match byte {
                b'\\' => _ = rest.next(),
                b'"' => is_inside = !is_inside,
                _ if is_inside => continue,
                b'{' | b'[' => open = open.wrapping_add(1),
                b'}' | b']' if open != 0 => open = open.wrapping_sub(1),
                // what comes behind a number or literal
                b'}' | b']' | b',' | 0..=b' ' if open == 0 => {
                    return text.len().wrapping_sub(rest.len()).wrapping_sub(1);
                }
                _ => continue,
            }
            if open == 0 && !is_inside {
                break;
            }
        }
        text.len().wrapping_sub(rest.len())
    }

    /// Notes the members of the object at the front of `text` and returns its bytes. Nothing has been `noted` yet.
    pub(crate) fn note_object<'a>(text: &'a [u8], names: &Names, noted: &mut Noted<'a>) -> usize {
        let object = text.get(..value_len(text)).unwrap_or_default();
        noted.fill(RawValue::trusted(text, object), names);
        object.len()
    }
}

/// The values in an object or array, with what stands between them skipped.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
struct Walk<'a> {
    whole: RawValue<'a>,
    rest: &'a [u8],
}

impl<'a> Walk<'a> {
    fn new(whole: RawValue<'a>, kind: Kind) -> Self {
        let rest = if whole.kind() == kind { whole.as_bytes() } else { &[] };
        // the opening bracket
        Self { whole, rest: rest.get(1..).unwrap_or_default() }
    }

    fn next(&mut self) -> Option<RawValue<'a>> {
        self.next_of(value_len)
    }

    /// The next value, of which `len` finds the end.
    #[inline]
    fn next_of(&mut self, len: impl FnOnce(&'a [u8]) -> usize) -> Option<RawValue<'a>> {
        while let Some((b' ' | b'\t' | b'\n' | b'\r' | b',' | b':', tail)) = self.rest.split_first() {
            self.rest = tail;
        }
        if let [b'}' | b']', ..] | [] = self.rest {
            self.rest = &[];
            return None;
        }
        let (value, rest) = self.rest.split_at_checked(len(self.rest))?;
        self.rest = rest;
        Some(self.whole.inner(value))
    }
}

/// The elements of an array; see [`RawValue::elements`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Elements<'a>(Walk<'a>);

impl<'a> Elements<'a> {
    pub(super) fn new(array: RawValue<'a>) -> Self {
        Self(Walk::new(array, Kind::Array))
    }

    /// The next element. Of an object `note` notes the members, from the front of what is left, and says where it ends.
    pub(crate) fn next_noted(&mut self, note: impl FnOnce(&'a [u8]) -> usize) -> Option<RawValue<'a>> {
        self.0.next_of(|rest| match rest {
            [b'{', ..] => note(rest),
            _ => value_len(rest),
        })
    }

    /// The next element, if it is none that has members: no object, or an empty one without white space.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    pub(crate) fn next_without_members(&mut self) -> Option<RawValue<'a>> {
        let rest = self.next_begins();
        let len = match rest {
            [b'{', b'}', ..] => 2,
            [b'"' | b'[' | b'-' | b'0'..=b'9' | b'a'..=b'z', ..] => value_len(rest),
            _ => return None,
        };
        let (element, rest) = rest.split_at_checked(len)?;
        self.0.rest = rest;
        Some(self.0.whole.inner(element))
    }

    /// The members of the next element, and what is behind it; `None` if it is not an object as most programs write them.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    pub(crate) fn usual(&self, names: &'static Names) -> Option<(UsualMembers<'a>, &'a [u8])> {
        usual_members(self.next_begins(), names)
    }

    /// What is left of the text from the next element on, if no white space stands before it.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    const fn next_begins(&self) -> &'a [u8] {
        match self.0.rest {
            [b',', element @ ..] => element,
            first => first,
        }
    }

    /// What is left of the text, to go on behind an element.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    pub(crate) const fn rest_mut(&mut self) -> &mut &'a [u8] {
        &mut self.0.rest
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
        Self(Walk::new(object, Kind::Object))
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

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::RawValue;

    #[test]
    fn elements_without_members_are_taken_at_once() {
        let text = br#"["a",[{"b":1}],{},-1,23,true,null,{"c":2},{ }]"#;
        let mut elements = RawValue::trusted(text, text).elements();
        for expected in ["\"a\"", "[{\"b\":1}]", "{}", "-1", "23", "true", "null"] {
            assert_eq!(elements.next_without_members().map(RawValue::as_json), Some(expected));
        }
        for expected in ["{\"c\":2}", "{ }"] {
            assert_eq!(elements.next_without_members(), None);
            assert_eq!(elements.next().map(RawValue::as_json), Some(expected));
        }
        assert_eq!(elements.next_without_members(), None);
    }
}
