//! Classifies a message by its captured members.

use super::{Dialect, EnvelopeKind};
use crate::error::{Error, ErrorKind};
use crate::json::{
    Captured, Elements, Kind, Known, Names, Place, RawStr, RawValue, capture_object, number, offset_in, scan,
    trim_start,
};

// the slots of the members, by the first bytes of their names
pub(super) const VERSION: usize = Place::outer_slot(b'j');
pub(super) const ID: usize = Place::outer_slot(b'i');
pub(super) const METHOD: usize = Place::outer_slot(b'm');
pub(super) const PARAMS: usize = Place::outer_slot(b'p');
pub(super) const RESULT: usize = Place::outer_slot(b'r');
pub(super) const ERROR: usize = Place::outer_slot(b'e');
pub(super) const CODE: usize = Place::inner_slot(b'c');
pub(super) const MESSAGE: usize = Place::inner_slot(b'm');
pub(super) const DATA: usize = Place::inner_slot(b'd');
const REPEAT: usize = Captured::REPEAT;
/// The [bit](Kind::bit) of an absent member.
const ABSENT: u32 = Kind::bit(&[]);

/// The captured names of a message and of its error object.
pub(super) struct Members;

impl Known for Members {
    const NAMES: &'static Names = &Names::new(
        const {
            &Names::table(
                &[*b"jsonrpc\"", *b"id\"\0\0\0\0\0", *b"method\"\0", *b"result\"\0", *b"params\"\0", *b"error\"\0\0"],
                &[*b"code\"\0\0\0", *b"message\"", *b"data\"\0\0\0"],
            )
        },
    );

    #[cfg(target_pointer_width = "64")]
    const BEGINNING: [u8; 16] = *b"{\"jsonrpc\":\"2.0\"";
}

/// The slot of the payload of a message; for a batch, a slot that is empty.
pub(super) const fn payload(kind: EnvelopeKind) -> usize {
    match kind {
        EnvelopeKind::Success => RESULT,
        EnvelopeKind::Error => ERROR,
        EnvelopeKind::Request | EnvelopeKind::Notification | EnvelopeKind::Batch => PARAMS,
    }
}

/// Whether an object has `result` or `error` and no `method`, even if it is otherwise invalid. Such an object is never answered.
pub(super) fn is_response(captured: &Captured<'_>) -> bool {
    (captured.has(RESULT) || captured.has(ERROR)) && !captured.has(METHOD)
}

/// The error for the member in `slot`.
pub(super) fn fault(kind: ErrorKind, text: &[u8], captured: &Captured<'_>, slot: usize) -> Error {
    Error::new(kind, offset_in(text, captured.get(slot)))
}

/// Validates and classifies `text`. `captured` then holds its parts; for a refused text, the id for the answer.
#[cfg(not(target_pointer_width = "64"))]
pub(super) fn text<'a>(text: &'a [u8], dialect: Dialect, captured: &mut Captured<'a>) -> Result<EnvelopeKind, Error> {
    any_text(text, dialect, captured)
}

/// Validates and classifies `text`. `captured` then holds its parts; for a refused text, the id for the answer.
///
/// Returns the kind in a register, and the error of a refused text through memory.
#[cfg(target_pointer_width = "64")]
#[inline(always)]
pub(super) fn text<'a>(text: &'a [u8], dialect: Dialect, captured: &mut Captured<'a>) -> Result<EnvelopeKind, Error> {
    let mut error = Error::new(ErrorKind::UnexpectedEnd, 0);
    kind_of_text(text, dialect, captured, &mut error).ok_or(error)
}

#[cfg(target_pointer_width = "64")]
#[inline(never)]
fn kind_of_text<'a>(
    text: &'a [u8],
    dialect: Dialect,
    captured: &mut Captured<'a>,
    error: &mut Error,
) -> Option<EnvelopeKind> {
    any_text(text, dialect, captured).map_err(|found| *error = found).ok()
}

#[cfg_attr(target_pointer_width = "64", inline(always))]
fn any_text<'a>(text: &'a [u8], dialect: Dialect, captured: &mut Captured<'a>) -> Result<EnvelopeKind, Error> {
    validate(text, dialect, captured)?;
    #[cfg(target_pointer_width = "64")]
    if let Some(kind) = allowed(dialect, captured) {
        debug_assert_eq!(full_check(dialect, &mut { *captured }).ok(), Some(kind), "the same verdict");
        return Ok(kind);
    }
    value(text, trim_start(text), dialect, captured)
}

/// Checks the length and the grammar of `text`, and captures its members.
#[cfg_attr(target_pointer_width = "64", inline(always))]
fn validate<'a>(text: &'a [u8], dialect: Dialect, captured: &mut Captured<'a>) -> Result<(), Error> {
    if text.len() > dialect.max_len() {
        return Err(Error::new(ErrorKind::MessageTooLong, dialect.max_len()));
    }
    if let Err(error) = scan::<Members>(text, captured) {
        // a text that is not JSON has no members
        captured.forget(ID);
        captured.forget(RESULT);
        captured.forget(ERROR);
        return Err(error);
    }
    Ok(())
}

/// Classifies the next of the `elements` of the validated batch `text`.
#[cfg(not(target_pointer_width = "64"))]
pub(super) fn element<'a>(
    text: &'a [u8],
    elements: &mut Elements<'a>,
    dialect: Dialect,
    captured: &mut Captured<'a>,
) -> Option<Result<EnvelopeKind, Error>> {
    any_element(text, elements, dialect, captured)
}

/// Classifies the next of the `elements` of the validated batch `text`. Returns the kind like [`text`].
#[cfg(target_pointer_width = "64")]
#[inline(always)]
pub(super) fn element<'a>(
    text: &'a [u8],
    elements: &mut Elements<'a>,
    dialect: Dialect,
    captured: &mut Captured<'a>,
) -> Option<Result<EnvelopeKind, Error>> {
    let mut error = Error::new(ErrorKind::UnexpectedEnd, 0);
    Some(kind_of_element(text, elements, dialect, captured, &mut error)?.ok_or(error))
}

#[cfg(target_pointer_width = "64")]
#[inline(never)]
fn kind_of_element<'a>(
    text: &'a [u8],
    elements: &mut Elements<'a>,
    dialect: Dialect,
    captured: &mut Captured<'a>,
    error: &mut Error,
) -> Option<Option<EnvelopeKind>> {
    Some(any_element(text, elements, dialect, captured)?.map_err(|found| *error = found).ok())
}

#[cfg_attr(target_pointer_width = "64", inline(always))]
fn any_element<'a>(
    text: &'a [u8],
    elements: &mut Elements<'a>,
    dialect: Dialect,
    captured: &mut Captured<'a>,
) -> Option<Result<EnvelopeKind, Error>> {
    let element = elements.next_captured(|rest| capture_object::<Members>(rest, captured))?;
    #[cfg(target_pointer_width = "64")]
    if let Some(kind) = allowed(dialect, captured) {
        debug_assert_eq!(full_check(dialect, &mut { *captured }).ok(), Some(kind), "the same verdict");
        return Some(Ok(kind));
    }
    let mut at = element.as_bytes();
    let classified = match at {
        [b'{', ..] => object(dialect, captured, &mut at),
        // an element that is no object; arrays are refused, too
        _ => Err(ErrorKind::NotAMessage),
    };
    Some(classified.map_err(|kind| Error::new(kind, offset_in(text, at))))
}

/// Classifies `text`, or the next of its `elements` if `is_element`. `elements` becomes those of a batch.
#[inline(always)]
pub(super) fn next<'a>(
    text: &'a [u8],
    is_element: bool,
    elements: &mut Elements<'a>,
    dialect: Dialect,
    captured: &mut Captured<'a>,
) -> Option<Result<EnvelopeKind, Error>> {
    #[cfg(target_pointer_width = "64")]
    {
        if is_element {
            return element(text, elements, dialect, captured);
        }
        let classified = self::text(text, dialect, captured);
        if classified == Ok(EnvelopeKind::Batch) {
            *elements = Elements::within(trim_start(text).get(1..).unwrap_or_default(), text.len());
        }
        Some(classified)
    }
    // devices link one copy of the rules for both
    #[cfg(not(target_pointer_width = "64"))]
    {
        let value = if is_element {
            elements.next_captured(|rest| capture_object::<Members>(rest, captured))?.as_bytes()
        } else {
            if let Err(error) = validate(text, dialect, captured) {
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
}

/// Classifies the value at the front of `value`, a validated part of `text`, from its captured members.
#[cfg_attr(target_pointer_width = "64", inline(always))]
fn value<'a>(
    text: &[u8],
    value: &'a [u8],
    dialect: Dialect,
    captured: &mut Captured<'a>,
) -> Result<EnvelopeKind, Error> {
    // the position of the fault
    let mut at = value;
    let classified = match value {
        [b'{', ..] => object(dialect, captured, &mut at),
        [b'[', ..] => array(value, dialect, &mut at),
        _ => Err(ErrorKind::NotAMessage),
    };
    classified.map_err(|kind| Error::new(kind, offset_in(text, at)))
}

/// "an Array filled with Request objects" (JSON-RPC 2.0 §6). Each element is classified later.
fn array<'a>(array: &'a [u8], dialect: Dialect, at: &mut &'a [u8]) -> Result<EnvelopeKind, ErrorKind> {
    if dialect.max_batch() == 0 {
        return Err(ErrorKind::BatchNotAllowed);
    }
    if Kind::is_empty_array(array) {
        return Err(ErrorKind::EmptyBatch);
    }
    if dialect.has_max_batch() {
        if let Some(element) = RawValue::validated(array, array).element(dialect.max_batch()) {
            *at = element.as_bytes();
            return Err(ErrorKind::BatchTooLong);
        }
    }
    Ok(EnvelopeKind::Batch)
}

/// Classifies an object by its captured members. `at` is the object; after a fault, it is the value at fault.
#[cfg_attr(target_pointer_width = "64", inline(always))]
fn object<'a>(dialect: Dialect, captured: &mut Captured<'a>, at: &mut &'a [u8]) -> Result<EnvelopeKind, ErrorKind> {
    match full_check(dialect, captured) {
        Ok(kind) => Ok(kind),
        Err((kind, slot)) => {
            if captured.has(slot) {
                *at = captured.get(slot);
            }
            // the answer has the id only if that is valid and not repeated
            if !has_valid_id(dialect, captured) {
                captured.forget(ID);
            }
            Err(kind)
        }
    }
}

/// Fast path: classifies well-formed messages. `None`, also for an error response, falls back to [`full_check`].
#[cfg(target_pointer_width = "64")]
#[inline(always)]
fn allowed(dialect: Dialect, captured: &Captured<'_>) -> Option<EnvelopeKind> {
    if captured.has_any(1 << REPEAT | 1 << ERROR) {
        return None;
    }
    // a text with `Members::BEGINNING` has the right version
    if !(captured.is_plain(VERSION) && captured.is_number(VERSION)) && captured.get(VERSION) != b"\"2.0\"" {
        return None;
    }
    let is_success = captured.has(RESULT);
    if is_success {
        if captured.has(METHOD) {
            return None;
        }
    } else {
        if !captured.is_plain(METHOD) || captured.get(METHOD).len() <= 2 {
            return None;
        }
        if captured.has(PARAMS) && !(captured.is_container(PARAMS) && dialect.allows_params(captured.get(PARAMS))) {
            return None;
        }
    }
    if !captured.has(ID) {
        return if is_success { None } else { Some(EnvelopeKind::Notification) };
    }
    if !(captured.is_plain(ID) || captured.is_number(ID) && dialect.allows_number_id(captured.get(ID))) {
        return None;
    }
    Some(if is_success { EnvelopeKind::Success } else { EnvelopeKind::Request })
}

/// The kind of a fault and the slot of the member at fault. If that member is missing, the object is at fault.
type Fault = (ErrorKind, usize);

/// Whether an error response may have the id, if there is one.
#[cfg_attr(not(target_pointer_width = "64"), inline(never))]
fn has_valid_id(dialect: Dialect, captured: &Captured<'_>) -> bool {
    dialect.allows_id(captured.bit(ID), captured.get(ID))
}

#[cfg_attr(target_pointer_width = "64", inline(always))]
fn full_check(dialect: Dialect, captured: &mut Captured<'_>) -> Result<EnvelopeKind, Fault> {
    if captured.has(REPEAT) {
        return Err((ErrorKind::RepeatedMember, REPEAT));
    }
    // "jsonrpc [...] MUST be exactly "2.0"" (JSON-RPC 2.0 §4)
    let version = captured.get(VERSION);
    if version.is_empty() {
        return Err((ErrorKind::MissingVersion, VERSION));
    }
    // Only a string has a quotation mark at its end, so the first byte need not be compared. Devices use only the slower comparison: less
    // flash.
    let is_version = cfg!(target_pointer_width = "64") && version == b"\"2.0\""
        || RawStr::behind(version.get(1..).unwrap_or_default(), b"2.0\"\0\0\0\0").is_some();
    if !is_version {
        return Err((ErrorKind::InvalidVersion, VERSION));
    }
    // "both members MUST NOT be included" (JSON-RPC 2.0 §5)
    let kind = if captured.has(ERROR) {
        if captured.has(METHOD) || captured.has(RESULT) {
            return Err((ErrorKind::ConflictingMembers, ERROR));
        }
        EnvelopeKind::Error
    } else if captured.has(RESULT) {
        if captured.has(METHOD) {
            return Err((ErrorKind::ConflictingMembers, RESULT));
        }
        EnvelopeKind::Success
    } else if !captured.has(METHOD) {
        return Err((ErrorKind::MissingMember, METHOD));
    } else if captured.has(ID) {
        EnvelopeKind::Request
    } else {
        EnvelopeKind::Notification
    };
    let is_call = matches!(kind, EnvelopeKind::Request | EnvelopeKind::Notification);
    let is_error = matches!(kind, EnvelopeKind::Error);
    // a string that is not empty
    if is_call && !matches!(captured.get(METHOD), [b'"', _, _, ..]) {
        return Err((ErrorKind::InvalidMethod, METHOD));
    }
    if captured.has(ID) {
        let is_null = captured.bit(ID) == Kind::Null.bits();
        if !has_valid_id(dialect, captured) || !dialect.allows_null_id() && is_null && !is_error {
            return Err((ErrorKind::InvalidId, ID));
        }
    } else if !(is_call || is_error && dialect.allows_error_without_id()) {
        return Err((ErrorKind::MissingId, ID));
    }
    if is_call {
        let params = captured.bit(PARAMS);
        if params & (dialect.params_bits() | ABSENT) == 0 {
            return Err((ErrorKind::InvalidParams, PARAMS));
        }
        // null params mean no params
        if params == Kind::Null.bits() {
            captured.forget(PARAMS);
        }
    }
    // "code [...] MUST be an integer. message [...] SHOULD be [...] a concise single sentence" (JSON-RPC 2.0 §5.1)
    if is_error && (!number::is_signed(captured.get(CODE)) || captured.bit(MESSAGE) != Kind::String.bits()) {
        return Err((ErrorKind::InvalidErrorObject, ERROR));
    }
    Ok(kind)
}
