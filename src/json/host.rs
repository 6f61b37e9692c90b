//! The validating pass of 64-bit hosts. Its verdicts and captured members equal those of the byte-wise pass.
//!
//! This pass can accept a text, but not refuse it. If it does not accept, the byte-wise pass continues from the checkpoint and gives the
//! verdict. So a valid text that this pass does not accept costs time, but gets the right verdict.

use super::captured::Captured;
use super::grammar::{AFTER_VALUE, END, NONE_OPEN, Open, VALUE, long, refuse, value};
use super::lex::{Short, space, validated};
use super::names::{Known, Names, Place};
use super::object::{Discard, nested, object};
use super::scan::{self, Checkpoint};
use super::word::byte;
use crate::error::Error;

/// Validates `text` as one JSON text and captures the members of its outermost object that `N` names.
///
/// # Limits
/// Nesting: [`MAX_DEPTH`](super::MAX_DEPTH). Stack: constant. Time: each byte once; in a refused text, the bytes after the checkpoint
/// twice.
///
/// Source: RFC 8259 §2 to §8; RFC 3629 §4.
#[inline(always)]
pub(crate) fn scan<'a, N: Known>(text: &'a [u8], captured: &mut Captured<'a>) -> Result<(), Error> {
    let mut checkpoint = Checkpoint::FRONT;
    if json_text::<N>(text, captured, &mut checkpoint).is_some() {
        return Ok(());
    }
    verdict(text, N::NAMES, captured, checkpoint)
}

/// The verdict of the byte-wise pass on `text`, which is valid up to `checkpoint`.
#[cold]
#[inline(never)]
fn verdict<'a>(
    text: &'a [u8],
    names: &Names,
    captured: &mut Captured<'a>,
    checkpoint: Checkpoint,
) -> Result<(), Error> {
    // from the front on, one pass gives the verdict and captures the members
    if checkpoint != Checkpoint::FRONT {
        scan::resume(text, checkpoint)?;
    }
    // no member after the checkpoint has been captured
    *captured = Captured::new(text);
    scan::scan_at(Place::OUTERMOST, text, names, captured)
}

/// The byte-wise pass reads texts shorter than this. So this pass needs one test instead of two for a read of up to sixteen bytes: the
/// offset is at most the length of the text less these bytes.
pub(super) const SHORTEST: usize = 16;

/// JSON-text = ws value ws
#[inline(always)]
fn json_text<'a, N: Known>(text: &'a [u8], captured: &mut Captured<'a>, checkpoint: &mut Checkpoint) -> Option<()> {
    if text.len() < SHORTEST {
        return None;
    }
    let (start, first) = space(text, &mut Short, 0);
    let end = match first {
        b'{' if const { N::NAMES.are_any() } => {
            object::<false, false, N, _>(text, start, NONE_OPEN, captured, checkpoint)?
        }
        b'[' if const { N::NAMES.are_any() } => array::<N>(text, start, checkpoint)?,
        _ => value(text, start, first, NONE_OPEN, false, checkpoint)?,
    };
    let behind = if end == text.len() { end } else { space(text, &mut Short, end).0 };
    if behind == text.len() { Some(()) } else { refuse(checkpoint, behind, NONE_OPEN, END, false) }
}

/// Reads an array of objects, each like an outermost object. The general pass reads the rest of the array, from the first element on that
/// is no object.
#[inline(never)]
fn array<N: Known>(text: &[u8], start: usize, checkpoint: &mut Checkpoint) -> Option<usize> {
    const OPEN: Open = NONE_OPEN << 1;
    // never true; the compiler then knows the length
    if text.len() < SHORTEST {
        return None;
    }
    let (mut at, mut first) = space(text, &mut Short, start.wrapping_add(1));
    if first == b']' {
        return Some(at.wrapping_add(1));
    }
    while first == b'{' {
        let separator;
        at = object::<false, false, N, _>(text, at, OPEN, &mut Discard(0), checkpoint)?;
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

/// Captures the members of the validated object at the front of `text` and returns its end.
#[inline(always)]
pub(crate) fn capture_object<'a, N: Known>(text: &'a [u8], captured: &mut Captured<'a>) -> usize {
    if text.len() < SHORTEST {
        return short_object(text, N::NAMES, captured);
    }
    let mut unused = Checkpoint::FRONT;
    object::<true, false, N, _>(text, 0, NONE_OPEN, captured, &mut unused).unwrap_or(text.len())
}

/// [`capture_object`] by the byte-wise pass, which stops after the object.
#[cold]
#[inline(never)]
fn short_object<'a>(text: &'a [u8], names: &Names, captured: &mut Captured<'a>) -> usize {
    scan::scan_at(Place::OUTERMOST, text, names, captured).map_or_else(|end| end.offset(), |()| text.len())
}

/// Captures the members of the validated `object`, which is the one under [`Place::NESTED`].
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

#[cfg(test)]
#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::panic,
    reason = "a test stops"
)]
mod tests;
