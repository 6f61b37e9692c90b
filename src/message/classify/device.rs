//! The entries of devices.

use super::{Members, array, at_fault, members, validate};
use crate::error::{Error, ErrorKind};
use crate::json::{Captured, Elements, capture_object, offset_in, trim_start};
use crate::message::{Dialect, Envelope, EnvelopeKind};

/// No elements are kept.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(in crate::message) struct Kept;

impl Kept {
    pub(in crate::message) const fn none() -> Self {
        Self
    }

    pub(in crate::message) const fn rewind(&mut self) {}

    #[inline(always)]
    pub(in crate::message) const fn next<'a>(&mut self, _: &'a [u8], _: &mut Elements<'a>) -> Option<Envelope<'a>> {
        None
    }
}

/// Validates and classifies `text`. `captured` then holds its parts; for a refused text, the id for the answer.
pub(in crate::message) fn text<'a>(
    text: &'a [u8],
    dialect: Dialect,
    captured: &mut Captured<'a>,
) -> Result<EnvelopeKind, Error> {
    validate(text, dialect, captured, ())?;
    let value = trim_start(text);
    // the position of the fault
    let mut at = value;
    let classified = match value {
        [b'{', ..] => object(dialect, captured, &mut at),
        [b'[', ..] => array(value, dialect, &mut at),
        _ => Err(ErrorKind::NotAMessage),
    };
    classified.map_err(|kind| Error::new(kind, offset_in(text, at)))
}

/// Classifies `text`, or the next of its `elements` if `is_element`. `elements` becomes those of a batch. A program links one copy of the
/// rules for both.
#[inline(always)]
pub(in crate::message) fn next<'a>(
    text: &'a [u8],
    is_element: bool,
    elements: &mut Elements<'a>,
    _: &mut Kept,
    dialect: Dialect,
    captured: &mut Captured<'a>,
) -> Option<Result<EnvelopeKind, Error>> {
    let value = if is_element {
        elements.next_captured(|rest| capture_object::<Members>(rest, captured))?.as_bytes()
    } else {
        if let Err(error) = validate(text, dialect, captured, ()) {
            return Some(Err(error));
        }
        trim_start(text)
    };
    let mut at = value;
    let classified = match value {
        [b'{', ..] => object(dialect, captured, &mut at),
        [b'[', inside @ ..] if !is_element => {
            array(value, dialect, &mut at).inspect(|_| *elements = Elements::within(inside, text.len()))
        }
        _ => Err(ErrorKind::NotAMessage),
    };
    Some(classified.map_err(|kind| Error::new(kind, offset_in(text, at))))
}

/// Classifies an object by its captured members. `at` is the object; after a fault, it is the value at fault.
fn object<'a>(dialect: Dialect, captured: &mut Captured<'a>, at: &mut &'a [u8]) -> Result<EnvelopeKind, ErrorKind> {
    match members(dialect, captured) {
        Ok(kind) => Ok(kind),
        Err(fault) => Err(at_fault(fault, dialect, captured, at)),
    }
}
