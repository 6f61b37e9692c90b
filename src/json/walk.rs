//! Walks over validated text; looks only for brackets and quotation marks.

use core::iter::FusedIterator;

use super::{RawStr, RawValue, trim_start};

#[cfg(target_pointer_width = "64")]
pub(crate) use super::host::capture_object;
#[cfg(target_pointer_width = "64")]
pub(super) use super::host::value_len;
#[cfg(not(target_pointer_width = "64"))]
pub(super) use plain::value_len;

/// The byte-by-byte walk. 64-bit hosts have a faster version; tests compare the two.
#[cfg(any(not(target_pointer_width = "64"), test))]
pub(super) mod plain {
    #[cfg(all(test, target_pointer_width = "64"))]
    use super::super::{Captured, Known, RawValue, offset_in};

    /// The length of the value at the front of `text`.
    pub(in crate::json) fn value_len(text: &[u8]) -> usize {
        let (mut rest, mut open) = (text.iter(), 0u32);
        while let Some(byte) = rest.next() {
            match byte {
                b'"' => loop {
                    match rest.next() {
                        Some(b'\\') => _ = rest.next(),
                        Some(b'"') | None => break,
                        Some(_) => {}
                    }
                },
                b'{' | b'[' => open = open.wrapping_add(1),
                b'}' | b']' if open != 0 => open = open.wrapping_sub(1),
                // a byte that follows a number or literal
                b'}' | b']' | b',' | 0..=b' ' if open == 0 => {
                    return text.len().wrapping_sub(rest.len()).wrapping_sub(1);
                }
                _ => continue,
            }
            if open == 0 {
                break;
            }
        }
        text.len().wrapping_sub(rest.len())
    }

    /// Captures the members of the object at the front of `text` in the empty `captured` and returns the length of the object.
    #[cfg(all(test, target_pointer_width = "64"))]
    pub(crate) fn capture_object<'a, N: Known>(text: &'a [u8], captured: &mut Captured<'a>) -> usize {
        // the walk over the members stops at the closing bracket
        let object = RawValue::validated(text, text);
        let mut members = object.members();
        captured.fill(object, &mut members, N::NAMES);
        offset_in(text, members.0.rest).wrapping_add(1)
    }
}

/// Returns the length of the validated value at the front of `text`, with the white space after it; if it is an object, captures its
/// members. The validating pass reads the value again and stops at the first byte after it: less flash and fewer instructions than a walk.
#[cfg(not(target_pointer_width = "64"))]
pub(crate) fn capture_object<'a, N: super::Known>(text: &'a [u8], captured: &mut super::Captured<'a>) -> usize {
    super::scan::<N>(text, captured).map_or_else(|end| end.offset(), |()| text.len())
}

/// The values in an object or array; separators and white space are skipped.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
struct Walk<'a> {
    rest: &'a [u8],
    /// The offset of the end of `rest` in the message.
    end: usize,
}

/// [`trim_start`] for the most frequent texts: at most one separator, without white space. The loop for other texts is a separate function,
/// because it would take registers from the caller.
#[cfg(target_pointer_width = "64")]
#[inline(always)]
fn next_value(rest: &[u8]) -> &[u8] {
    #[inline(never)]
    fn trimmed(rest: &[u8]) -> &[u8] {
        trim_start(rest)
    }
    let rest = if let [b',' | b':', behind @ ..] = rest { behind } else { rest };
    if let [0..=b' ', ..] = rest { trimmed(rest) } else { rest }
}

#[cfg(not(target_pointer_width = "64"))]
use trim_start as next_value;

/// The `len` of `rest`, or `None` if the closing bracket is at the front of `rest`.
#[inline(always)]
fn before_closing<'a>(rest: &'a [u8], len: impl FnOnce(&'a [u8]) -> usize) -> Option<usize> {
    if matches!(rest, [b'}' | b']', ..] | []) { None } else { Some(len(rest)) }
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
        self.next_of(|rest| before_closing(rest, value_len))
    }

    /// The next value; `len` returns its length, or `None` at the closing bracket.
    #[inline]
    fn next_of(&mut self, len: impl FnOnce(&'a [u8]) -> Option<usize>) -> Option<RawValue<'a>> {
        self.rest = next_value(self.rest);
        let offset = self.end.wrapping_sub(self.rest.len());
        // at the closing bracket `rest` stays, so later calls also return `None`
        let (value, rest) = self.rest.split_at_checked(len(self.rest)?)?;
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

    /// The next element. `capture` returns the length of an object and captures its members; on a device, it reads any value, and captures
    /// nothing of one that is no object.
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    pub(crate) fn next_captured(&mut self, capture: impl FnOnce(&'a [u8]) -> usize) -> Option<RawValue<'a>> {
        self.0.next_of(|rest| {
            if cfg!(target_pointer_width = "64") && !matches!(rest, [b'{', ..]) {
                before_closing(rest, value_len)
            } else {
                before_closing(rest, capture)
            }
        })
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
