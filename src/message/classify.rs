//! Classifies a message by its captured members.

#[cfg_attr(target_pointer_width = "64", path = "classify/host.rs")]
#[cfg_attr(not(target_pointer_width = "64"), path = "classify/device.rs")]
mod entries;

use super::{Dialect, EnvelopeKind};
use crate::error::{Class, Error, ErrorKind};
use crate::json::{Captured, Keep, Kind, Known, NameTable, Position, RawStr, RawValue, number, scan};

pub(super) use entries::{Kept, next, text};

// the slots of the members, by the first bytes of their names
pub(super) const VERSION: usize = Position::outer_slot(b'j');
pub(super) const ID: usize = Position::outer_slot(b'i');
pub(super) const METHOD: usize = Position::outer_slot(b'm');
pub(super) const PARAMS: usize = Position::outer_slot(b'p');
pub(super) const RESULT: usize = Position::outer_slot(b'r');
pub(super) const ERROR: usize = Position::outer_slot(b'e');
pub(super) const CODE: usize = Position::inner_slot(b'c');
pub(super) const MESSAGE: usize = Position::inner_slot(b'm');
pub(super) const DATA: usize = Position::inner_slot(b'd');
const REPEAT: usize = Captured::REPEAT;
/// The [bit](Kind::bit) of an absent member.
const ABSENT: u32 = Kind::bit(&[]);

/// The captured names of a message and of its error object.
pub(super) struct Members;

impl Known for Members {
    const NAMES: &'static NameTable = &NameTable::new(
        const {
            &NameTable::table(
                &[*b"jsonrpc\"", *b"id\"\0\0\0\0\0", *b"method\"\0", *b"result\"\0", *b"params\"\0", *b"error\"\0\0"],
                &[*b"code\"\0\0\0", *b"message\"", *b"data\"\0\0\0"],
            )
        },
    );

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

/// Whether the text refused for `error` is an object that is a response or a notification, even if it is otherwise invalid. Such an object is
/// never answered.
#[inline(never)]
pub(super) fn is_unanswered(error: Error, captured: &Captured<'_>) -> bool {
    let has_method = || matches!(captured.get(METHOD), [b'"', _, _, ..]);
    error.kind().class() != Class::Syntax
        && (captured.has(RESULT) || captured.has(ERROR) || !captured.has(ID) && has_method())
}

/// Checks the length and the grammar of `text`, and captures its members.
#[inline(always)]
fn validate<'a>(
    text: &'a [u8],
    dialect: Dialect,
    captured: &mut Captured<'a>,
    keep: impl Keep<'a>,
) -> Result<(), Error> {
    if text.len() > dialect.max_len() {
        return Err(Error::new(ErrorKind::MessageTooLong, dialect.max_len()));
    }
    if let Err(error) = scan::<Members>(text, captured, keep) {
        // a text that is not JSON has no members
        captured.forget(ID);
        return Err(error);
    }
    Ok(())
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

/// The kind of a fault and the slot of the member at fault. If that member is missing, the object is at fault.
type MemberError = (ErrorKind, usize);

/// The kind of the fault of an object. `at` is the object, and then the value at fault. Forgets an id that the answer cannot have.
#[inline(always)]
fn at_fault<'a>(
    (kind, slot): MemberError,
    dialect: Dialect,
    captured: &mut Captured<'a>,
    at: &mut &'a [u8],
) -> ErrorKind {
    if captured.has(slot) {
        *at = captured.get(slot);
    }
    // the answer has the id only if that is valid and not repeated; an object with another id is no notification
    if captured.has(ID) && !has_valid_id(dialect, captured) {
        captured.forget(ID);
        captured.forget(METHOD);
    }
    kind
}

/// Whether an error response may have the id, if there is one.
#[inline(never)]
fn has_valid_id(dialect: Dialect, captured: &Captured<'_>) -> bool {
    dialect.allows_id(captured.bit(ID), captured.get(ID))
}

/// `"2.0"` in place of the version that a lenient dialect allows; the second one in place of none. A prefix is compared, so both are valid.
const VERSIONS: [&[u8]; 2] = [b"\"2.0\"", b"\"2.0\" "];

/// Whether [`relax`] has found no version.
pub(super) fn lacks_version(captured: &Captured<'_>) -> bool {
    captured.get(VERSION).len() == VERSIONS[1].len()
}

/// Replaces what a lenient dialect allows by what the strict rules expect, so that only this function knows the lenient ones.
#[inline(never)]
fn relax(dialect: Dialect, captured: &mut Captured<'_>) {
    let is_null = |captured: &Captured<'_>, slot| captured.bit(slot) == Kind::Null.bits();
    if dialect.allows_any_version() {
        let [version, none] = VERSIONS;
        captured.replace(VERSION, if captured.has(VERSION) { version } else { none });
    }
    if dialect.allows_any_outcome() && (captured.has(RESULT) || captured.has(ERROR)) {
        // a response may repeat the method of its request
        captured.forget(METHOD);
        if is_null(captured, ERROR) {
            if !captured.has(RESULT) {
                captured.replace(RESULT, captured.get(ERROR));
            }
            captured.forget(ERROR);
        } else if captured.has(ERROR) && is_null(captured, RESULT) {
            captured.forget(RESULT);
        }
    }
    if dialect.reads_null_id_as_notification() && captured.has(METHOD) && is_null(captured, ID) {
        captured.forget(ID);
    }
}

/// Checks the captured members of an object, and returns its kind. Only an object has members, so every other value is refused.
///
/// On hosts, the pass has already learned most kinds of values, so each rule first asks for the usual kind. On devices these questions compile
/// to nothing.
#[inline(always)]
fn members(dialect: Dialect, captured: &mut Captured<'_>) -> Result<EnvelopeKind, MemberError> {
    if captured.has(REPEAT) {
        return Err((ErrorKind::RepeatedMember, REPEAT));
    }
    if dialect.is_lenient() {
        relax(dialect, captured);
    }
    // "jsonrpc [...] MUST be exactly "2.0"" (JSON-RPC 2.0 §4)
    let version = captured.get(VERSION);
    if version.is_empty() {
        return Err((ErrorKind::MissingVersion, VERSION));
    }
    // only a string has a quotation mark at its end, so the first byte need not be compared
    let is_version = captured.is_beginning(VERSION)
        || captured.is_plain(VERSION) && version == b"\"2.0\""
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
    if is_call
        && !(captured.is_plain(METHOD) && captured.get(METHOD).len() > 2)
        && !matches!(captured.get(METHOD), [b'"', _, _, ..])
    {
        return Err((ErrorKind::InvalidMethod, METHOD));
    }
    let is_usual = captured.is_plain(ID) || captured.is_number(ID) && dialect.allows_number_id(captured.get(ID));
    if is_usual {
        // each message may have it
    } else if captured.has(ID) {
        let is_null = captured.bit(ID) == Kind::Null.bits();
        if !has_valid_id(dialect, captured) || !dialect.allows_null_id() && is_null && !is_error {
            return Err((ErrorKind::InvalidId, ID));
        }
    } else if !(is_call || dialect.allows_response_without_id(is_error)) {
        return Err((ErrorKind::MissingId, ID));
    }
    let is_usual =
        captured.lacks(PARAMS) || captured.is_container(PARAMS) && dialect.allows_params(captured.get(PARAMS));
    if is_call && !is_usual {
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
    if is_error
        && !dialect.allows_any_outcome()
        && (!number::is_signed(captured.get(CODE)) || captured.bit(MESSAGE) != Kind::String.bits())
    {
        return Err((ErrorKind::InvalidErrorObject, ERROR));
    }
    Ok(kind)
}
