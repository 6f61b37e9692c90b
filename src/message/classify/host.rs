//! The entries of 64-bit hosts. They return the kind in a register, and the error of a refused text through memory.

use heapless::Vec;

use super::{ID, METHOD, MemberError, Members, array, at_fault, lacks_version, members, payload, validate};
use crate::error::{Error, ErrorKind};
use crate::json::{Captured, Elements, Keep, capture_object, offset_in, trim_start};
use crate::message::{Dialect, Envelope, EnvelopeKind};

/// The first elements of a batch, classified by the pass that validates the batch, so that they are read only once. Ends before
/// the first one that is refused. Each is handed out only where it begins, so none is without the elements of a valid batch: those of any other
/// text are [none](Elements::none), at the offset 0.
///
/// Read again, a batch of 64 short calls takes 1.3 times as many instructions, a served one 1.1 times (x86-64, 2026-11).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(in crate::message) struct Kept {
    /// `None` before the first element, so that a single message does not initialise this memory: 1.5 KB.
    messages: Option<Vec<Spans, 64>>,
    /// The index of the next one to hand out.
    next: usize,
}

/// A message: its kind, and the spans of its parts from `from` on, each an offset and a length.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
struct Spans {
    /// The offset in the text of what separates the message from the one before.
    from: u32,
    rules: u32,
    /// The length from `from` to the end of the message.
    len: u16,
    id: [u16; 2],
    method: [u16; 2],
    payload: [u16; 2],
    kind: EnvelopeKind,
}

impl Kept {
    pub(in crate::message) const fn none() -> Self {
        Self { messages: None, next: 0 }
    }

    /// Begins again with the first one.
    pub(in crate::message) const fn rewind(&mut self) {
        self.next = 0;
    }

    /// The next of the `elements` of the batch `text`, if it is kept.
    #[inline(always)]
    pub(in crate::message) fn next<'a>(&mut self, text: &'a [u8], elements: &mut Elements<'a>) -> Option<Envelope<'a>> {
        let spans = self.messages.as_ref()?.get(self.next)?;
        let start = spans.from as usize;
        if start != elements.offset() {
            return None;
        }
        self.next = self.next.wrapping_add(1);
        let message = elements.skip(usize::from(spans.len))?;
        let part = |[at, len]: [u16; 2]| {
            let at = usize::from(at);
            message.get(at..at.wrapping_add(usize::from(len))).unwrap_or_default()
        };
        let parts = [part(spans.id), part(spans.method), part(spans.payload)];
        Some(Envelope::with_parts(spans.kind, spans.rules, text, start, parts))
    }
}

/// Classifies the elements of `text` for `kept`, if there is one.
struct Keeping<'a, 'k> {
    kept: Option<&'k mut Kept>,
    text: &'a [u8],
    dialect: Dialect,
}

impl<'a> Keep<'a> for Keeping<'a, '_> {
    #[inline(always)]
    fn has_room(&self) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.messages.as_ref().is_none_or(|messages| !messages.is_full()))
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a part is not longer than the element")]
    fn keep(&mut self, from: usize, end: usize, captured: &mut Captured<'a>) {
        let (Ok(from), Ok(len)) = (u32::try_from(from), u16::try_from(end.wrapping_sub(from))) else { return };
        // most batches are all right, or all wrong
        let Ok(kind) = members(self.dialect, captured) else { return self.kept = None };
        let Some(kept) = &mut self.kept else { return };
        let span = |slot| match captured.get(slot) {
            [] => [0, 0],
            part => [offset_in(self.text, part).wrapping_sub(from as usize) as u16, part.len() as u16],
        };
        let spans = Spans {
            from,
            rules: self.dialect.rules_of_message(|| lacks_version(captured)),
            len,
            id: span(ID),
            method: span(METHOD),
            payload: span(payload(kind)),
            kind,
        };
        // never full, see `has_room`
        _ = kept.messages.get_or_insert_default().push(spans);
    }
}

/// Validates and classifies `text`. `captured` then holds its parts; for a refused text, the id for the answer.
#[inline(always)]
pub(in crate::message) fn text<'a>(
    text: &'a [u8],
    dialect: Dialect,
    captured: &mut Captured<'a>,
) -> Result<EnvelopeKind, Error> {
    let mut error = Error::new(ErrorKind::UnexpectedEnd, 0);
    kind_of_text(text, dialect, captured, None, &mut error).ok_or(error)
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
    kept: &mut Kept,
    dialect: Dialect,
    captured: &mut Captured<'a>,
) -> Option<Result<EnvelopeKind, Error>> {
    if is_element {
        return element(text, elements, dialect, captured);
    }
    let mut error = Error::new(ErrorKind::UnexpectedEnd, 0);
    let kind = kind_of_text(text, dialect, captured, Some(kept), &mut error);
    if kind == Some(EnvelopeKind::Batch) {
        *elements = Elements::within(trim_start(text).get(1..).unwrap_or_default(), text.len());
    }
    Some(kind.ok_or(error))
}

#[inline(never)]
fn kind_of_text<'a>(
    text: &'a [u8],
    dialect: Dialect,
    captured: &mut Captured<'a>,
    kept: Option<&mut Kept>,
    error: &mut Error,
) -> Option<EnvelopeKind> {
    if let Err(found) = validate(text, dialect, captured, Keeping { kept, text, dialect }) {
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
