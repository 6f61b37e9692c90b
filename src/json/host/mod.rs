//! All that only 64-bit hosts compile. `device` has a counterpart of each item that is used outside of this folder.
//!
//! The verdicts and captured members of the validating pass equal those of the byte-wise pass. It can accept a text, but not refuse it. If
//! it does not accept, the byte-wise pass continues from the checkpoint and gives the verdict. So a valid text that this pass does not
//! accept costs time, but gets the right verdict.

mod captured;
mod digits;
#[cfg(feature = "serde")]
mod fields;
mod grammar;
#[cfg(feature = "serde")]
mod leading_number;
pub(in crate::json) mod lex;
mod name_table;
mod number;
mod object;
mod put;
mod string;
pub(in crate::json) mod word;

use super::grammar::{AFTER_VALUE, END, NONE_OPEN, Open, VALUE};
use super::name_table::{Keep, Known, NameTable, Position};
use super::scan::{Checkpoint, pass, scan_at};
use super::trim_start;
use crate::error::Error;
use grammar::{long, refuse, value};
use lex::{Short, space, validated};
use object::{Discard, nested, object};
use word::{ascii_str, byte};

pub(crate) use captured::Captured;
#[cfg(feature = "serde")]
pub(super) use fields::{Candidates, Fields};
#[cfg(feature = "serde")]
pub(super) use leading_number::{float_at_front, integer_at_front, signed_at_front};
pub(super) use number::{Decimal, float};
pub(super) use put::plain_text_len;
#[cfg(feature = "serde")]
pub(super) use string::plain_len;
pub(super) use string::unescaped;
pub(super) use word::has_backslash;

/// Validates `text` as one JSON text and captures the members of its outermost object that `N` names.
///
/// # Limits
/// Nesting: [`MAX_DEPTH`](crate::MAX_DEPTH). Stack: constant. Time: each byte once; in a refused text, the bytes after the checkpoint
/// twice.
///
/// Source: RFC 8259 §2 to §8; RFC 3629 §4.
#[inline(always)]
pub(crate) fn scan<'a, N: Known>(
    text: &'a [u8],
    captured: &mut Captured<'a>,
    keep: impl Keep<'a>,
) -> Result<(), Error> {
    let mut checkpoint = Checkpoint::FRONT;
    if json_text::<N>(text, captured, keep, &mut checkpoint).is_some() {
        return Ok(());
    }
    verdict(text, N::NAMES, captured, checkpoint)
}

/// The verdict of the byte-wise pass on `text`, which is valid up to `checkpoint`.
#[cold]
#[inline(never)]
fn verdict<'a>(
    text: &'a [u8],
    names: &NameTable,
    captured: &mut Captured<'a>,
    checkpoint: Checkpoint,
) -> Result<(), Error> {
    // from the front on, one pass gives the verdict and captures the members
    if checkpoint != Checkpoint::FRONT {
        resume(text, checkpoint)?;
    }
    // no member after the checkpoint has been captured
    *captured = Captured::new(text);
    scan_at(Position::OUTERMOST, text, names, captured)
}

/// The byte-wise pass from `checkpoint` on; captures nothing.
fn resume(text: &[u8], checkpoint: Checkpoint) -> Result<(), Error> {
    let position =
        Position::OUTERMOST.within(NONE_OPEN.leading_zeros().wrapping_sub(checkpoint.state.open.leading_zeros()));
    pass(text, &NameTable::NONE, &mut Captured::new(text), checkpoint, position)
}

/// The byte-wise pass reads texts shorter than this. So this pass needs one test instead of two for a read of up to sixteen bytes: the
/// offset is at most the length of the text less these bytes.
pub(super) const SHORTEST: usize = 16;

/// JSON-text = ws value ws
#[inline(always)]
fn json_text<'a, N: Known>(
    text: &'a [u8],
    captured: &mut Captured<'a>,
    keep: impl Keep<'a>,
    checkpoint: &mut Checkpoint,
) -> Option<()> {
    if text.len() < SHORTEST {
        return None;
    }
    let (start, first) = space(text, &mut Short, 0);
    let end = match first {
        b'{' if const { N::NAMES.are_any() } => {
            object::<false, false, N, _>(text, start, NONE_OPEN, captured, checkpoint)?
        }
        b'[' if const { N::NAMES.are_any() } => array::<N>(text, start, keep, checkpoint)?,
        _ => value(text, start, first, NONE_OPEN, false, checkpoint)?,
    };
    let behind = if end == text.len() { end } else { space(text, &mut Short, end).0 };
    if behind == text.len() { Some(()) } else { refuse(checkpoint, behind, NONE_OPEN, END, false) }
}

/// Reads an array of objects, each like an outermost object. The general pass reads the rest of the array, from the first element on that
/// is no object.
#[inline(never)]
fn array<'a, N: Known>(
    text: &'a [u8],
    start: usize,
    mut keep: impl Keep<'a>,
    checkpoint: &mut Checkpoint,
) -> Option<usize> {
    const OPEN: Open = NONE_OPEN << 1;
    // never true; the compiler then knows the length
    if text.len() < SHORTEST {
        return None;
    }
    let (mut at, mut first) = space(text, &mut Short, start.wrapping_add(1));
    if first == b']' {
        return Some(at.wrapping_add(1));
    }
    let mut from = start.wrapping_add(1);
    while first == b'{' {
        let separator;
        if keep.has_room() {
            let mut members = Captured::new(text);
            at = object::<false, false, N, _>(text, at, OPEN, &mut members, checkpoint)?;
            keep.keep(from, at, &mut members);
            from = at;
        } else {
            at = object::<false, false, N, _>(text, at, OPEN, &mut Discard(0), checkpoint)?;
        }
        (at, separator) = space(text, &mut Short, at);
        match separator {
            b',' => (at, first) = space(text, &mut Short, at.wrapping_add(1)),
            b']' => return Some(at.wrapping_add(1)),
            _ => return refuse(checkpoint, at, OPEN, AFTER_VALUE, false),
        }
    }
    if first == b']' {
        return refuse(checkpoint, at, OPEN, VALUE, false);
    }
    long(text, at, OPEN, NONE_OPEN, checkpoint)
}

/// Returns the length of the validated value at the front of `text`; captures its members if it is an object.
#[inline(always)]
pub(crate) fn capture_object<'a, N: Known>(text: &'a [u8], captured: &mut Captured<'a>) -> usize {
    if !matches!(text, [b'{', ..]) {
        return value_len(text);
    }
    if text.len() < SHORTEST {
        return short_object(text, N::NAMES, captured);
    }
    let mut unused = Checkpoint::FRONT;
    object::<true, false, N, _>(text, 0, NONE_OPEN, captured, &mut unused).unwrap_or(text.len())
}

/// [`capture_object`] by the byte-wise pass, which stops after the object.
#[cold]
#[inline(never)]
fn short_object<'a>(text: &'a [u8], names: &NameTable, captured: &mut Captured<'a>) -> usize {
    scan_at(Position::OUTERMOST, text, names, captured).map_or_else(|end| end.offset(), |()| text.len())
}

/// Captures the members of the validated `object`, which is the one under [`Position::NESTED`].
#[inline(never)]
pub(crate) fn capture_nested<'a, N: Known>(object: &'a [u8], captured: &mut Captured<'a>) {
    let mut unused = Checkpoint::FRONT;
    _ = nested::<true, N>(object, 0, NONE_OPEN, captured, &mut unused);
}

/// The length of the validated value at the front of `text`.
#[inline(never)]
pub(super) fn value_len(text: &[u8]) -> usize {
    validated::value(text, 0, byte(text, 0))
}

/// [`trim_start`] for the most frequent texts: at most one separator, without white space. The loop for other texts is a separate function,
/// because it would take registers from the caller.
#[inline(always)]
pub(super) fn next_value(rest: &[u8]) -> &[u8] {
    #[inline(never)]
    fn trimmed(rest: &[u8]) -> &[u8] {
        trim_start(rest)
    }
    let rest = if let [b',' | b':', behind @ ..] = rest { behind } else { rest };
    if let [0..=b' ', ..] = rest { trimmed(rest) } else { rest }
}

/// Whether two slices have the same bytes.
#[inline(always)]
pub(crate) fn same(one: &[u8], other: &[u8]) -> bool {
    one == other
}

/// `text` if it is UTF-8. Most texts are ASCII, which `core` checks byte by byte if they are short.
#[inline(always)]
pub(super) fn utf8_str(text: &[u8]) -> Option<&str> {
    ascii_str(text).or_else(|| core::str::from_utf8(text).ok())
}

/// A length at the front of `bytes` that holds whole characters. The caller checks the remaining bytes one by one.
#[cfg(feature = "websocket")]
pub(crate) fn whole_characters(bytes: &[u8]) -> usize {
    match core::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        Err(error) => error.valid_up_to(),
    }
}

/// Whether servers write the path of a value that does not fit.
#[cfg(feature = "serde")]
pub(crate) const SHOWS_PATHS: bool = true;

/// The result of [`RawValue::location_of`](super::RawValue): words for a message.
#[cfg(all(feature = "mcp", feature = "serde"))]
pub(crate) type Location<'a> = (super::Path<'a>, Option<(&'static str, super::RawValue<'a>)>);

#[cfg(all(feature = "mcp", feature = "serde"))]
impl<'a> super::RawValue<'a> {
    /// The path to the value in this object that does not fit, if it is an inner one, and the value if it violates a limit.
    pub(crate) fn location_of(self, problem: super::PayloadError) -> Option<Location<'a>> {
        let path = Some(self.path_to(problem.offset())).filter(|path| !path.is_empty())?;
        Some((path, problem.found_in(self)))
    }
}

#[cfg(test)]
#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::panic,
    reason = "a test stops"
)]
mod tests;
