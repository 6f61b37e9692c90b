//! The counterparts of `host` on all other machines: less flash. The byte-wise pass validates and captures.

mod captured;
#[cfg(feature = "serde")]
mod fields;
#[cfg(feature = "serde")]
mod leading_number;
mod number;
mod put;
mod string;
mod value_len;

use super::name_table::{Keep, Known, Position};
use super::scan::scan_at;
use crate::error::Error;

pub(super) use super::trim_start as next_value;
pub(crate) use captured::Captured;
#[cfg(feature = "serde")]
pub(super) use fields::{Candidates, Fields};
#[cfg(feature = "serde")]
pub(super) use leading_number::{float_at_front, integer_at_front, signed_at_front};
pub(super) use number::{Decimal, float};
pub(super) use put::plain_text_len;
#[cfg(feature = "serde")]
pub(super) use string::plain_len;
pub(super) use string::{has_backslash, unescaped};
pub(super) use value_len::value_len;

/// Validates `text` as one JSON text and captures the members of its outermost object that `N` names.
///
/// # Limits
/// Nesting: [`MAX_DEPTH`](crate::MAX_DEPTH). Stack: constant. Time: each byte once.
///
/// Source: RFC 8259 §2 to §8; RFC 3629 §4.
#[inline(always)]
pub(crate) fn scan<'a, N: Known>(text: &'a [u8], captured: &mut Captured<'a>, _: impl Keep<'a>) -> Result<(), Error> {
    scan_at(Position::OUTERMOST, text, N::NAMES, captured)
}

/// Returns the length of the validated value at the front of `text`, with the white space after it; captures its members if it is an object.
/// The validating pass reads the value again and stops at the first byte after it: less flash and fewer instructions than a walk.
pub(crate) fn capture_object<'a, N: Known>(text: &'a [u8], captured: &mut Captured<'a>) -> usize {
    scan::<N>(text, captured, ()).map_or_else(|end| end.offset(), |()| text.len())
}

/// Captures the members of the validated `object`, which is the one under [`Position::NESTED`].
pub(crate) fn capture_nested<'a, N: Known>(object: &'a [u8], captured: &mut Captured<'a>) {
    // always an error, because the text ends before the outermost object does
    _ = scan_at(Position::NESTED, object, N::NAMES, captured);
}

/// Whether two slices have the same bytes. A loop: `memcmp` is 116 bytes of flash.
#[inline(never)]
pub(crate) fn same(one: &[u8], other: &[u8]) -> bool {
    one.iter().eq(other)
}

/// `text` if it is UTF-8.
#[inline(always)]
pub(super) fn utf8_str(text: &[u8]) -> Option<&str> {
    core::str::from_utf8(text).ok()
}

/// A length at the front of `bytes` that holds whole characters: four bytes of ASCII, or none. `from_utf8` would take 556 bytes of flash.
#[cfg(feature = "websocket")]
pub(crate) fn whole_characters(bytes: &[u8]) -> usize {
    let is_ascii = |word: &[u8; 4]| u32::from_ne_bytes(*word) & 0x8080_8080 == 0;
    if bytes.first_chunk().is_some_and(is_ascii) { 4 } else { 0 }
}

/// Whether servers write the path of a value that does not fit.
#[cfg(feature = "serde")]
pub(crate) const SHOWS_PATHS: bool = false;

/// The result of [`RawValue::location_of`](super::RawValue): words for a message.
#[cfg(all(feature = "mcp", feature = "serde"))]
pub(crate) type Location<'a> = (&'static str, super::RawStr<'a>);

#[cfg(all(feature = "mcp", feature = "serde"))]
impl<'a> super::RawValue<'a> {
    /// The name of the member of this object whose value does not fit: less flash than the path.
    pub(crate) fn location_of(self, problem: super::PayloadError) -> Option<Location<'a>> {
        let offset = problem.offset();
        let holds = |value: super::RawValue<'_>| offset.wrapping_sub(value.offset()) < value.as_bytes().len();
        self.members().find(|(_, value)| holds(*value)).map(|(name, _)| (".", name))
    }
}
