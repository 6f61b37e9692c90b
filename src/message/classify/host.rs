//! The entries of 64-bit hosts. They return the kind in a register, and the error of a refused text through memory.

use super::{MemberError, Members, array, at_fault, members, validate};
use crate::error::{Error, ErrorKind};
use crate::json::{Captured, Elements, capture_object, offset_in, trim_start};
use crate::message::{Dialect, EnvelopeKind};

/// Validates and classifies `text`. `captured` then holds its parts; for a refused text, the id for the answer.
#[inline(always)]
pub(in crate::message) fn text<'a>(
    text: &'a [u8],
    dialect: Dialect,
    captured: &mut Captured<'a>,
) -> Result<EnvelopeKind, Error> {
    let mut error = Error::new(ErrorKind::UnexpectedEnd, 0);
    kind_of_text(text, dialect, captured, &mut error).ok_or(error)
}

/// Classifies the next of the `elements` of the validated batch `text`; `None` after the last one.
#[inline(always)]
fn element<'a>(
    text: &'a [u8],
    elements: &mut Elements<'a>,
    dialect: Dialect,
    captured: &mut Captured<'a>,
) -> Option<Result<EnvelopeKind, Error>> {
    let mut error = Error::new(ErrorKind::UnexpectedEnd, 0);
    Some(kind_of_element(text, elements, dialect, captured, &mut error)?.ok_or(error))
}

/// Classifies `text`, or the next of its `elements` if `is_element`. `elements` becomes those of a batch.
#[inline(always)]
pub(in crate::message) fn next<'a>(
    text: &'a [u8],
    is_element: bool,
    elements: &mut Elements<'a>,
    dialect: Dialect,
    captured: &mut Captured<'a>,
) -> Option<Result<EnvelopeKind, Error>> {
    if is_element {
        return element(text, elements, dialect, captured);
    }
    let classified = self::text(text, dialect, captured);
    if classified == Ok(EnvelopeKind::Batch) {
        *elements = Elements::within(trim_start(text).get(1..).unwrap_or_default(), text.len());
    }
    Some(classified)
}

#[inline(never)]
fn kind_of_text<'a>(
    text: &'a [u8],
    dialect: Dialect,
    captured: &mut Captured<'a>,
    error: &mut Error,
) -> Option<EnvelopeKind> {
    if let Err(found) = validate(text, dialect, captured) {
        *error = found;
        return None;
    }
    match members(dialect, captured) {
        Ok(kind) => Some(kind),
        // a batch comes here, too, because only an object has members
        Err(fault) => other(text, trim_start(text), false, fault, dialect, captured, error),
    }
}

#[inline(never)]
fn kind_of_element<'a>(
    text: &'a [u8],
    elements: &mut Elements<'a>,
    dialect: Dialect,
    captured: &mut Captured<'a>,
    error: &mut Error,
) -> Option<Option<EnvelopeKind>> {
    let element = elements.next_captured(|rest| capture_object::<Members>(rest, captured))?;
    Some(match members(dialect, captured) {
        Ok(kind) => Some(kind),
        Err(fault) => other(text, element.as_bytes(), true, fault, dialect, captured, error),
    })
}

/// Classifies `value`, a part of `text` whose members have a `fault`.
#[inline(never)]
fn other<'a>(
    text: &'a [u8],
    value: &'a [u8],
    is_element: bool,
    fault: MemberError,
    dialect: Dialect,
    captured: &mut Captured<'a>,
    error: &mut Error,
) -> Option<EnvelopeKind> {
    // the position of the fault
    let mut at = value;
    let classified = match value {
        [b'{', ..] => Err(at_fault(fault, dialect, captured, &mut at)),
        // an element that is an array is refused
        [b'[', ..] if !is_element => {
            // the rules of a lenient dialect have filled slots, which an element is captured in
            *captured = Captured::new(text);
            array(value, dialect, &mut at)
        }
        _ => Err(ErrorKind::NotAMessage),
    };
    classified.map_err(|kind| *error = Error::new(kind, offset_in(text, at))).ok()
}
