//! The verdict: what the members that a pass has noticed make together.

use super::{Dialect, EnvelopeKind};
use crate::error::{Error, ErrorKind};
use crate::json::{Elements, Kind, Names, Noted, RawStr, RawValue, note_object, number, offset_in, scan, trim_start};

pub(super) const ERROR: usize = 0;
const REPEAT: usize = Noted::REPEAT;
pub(super) const PARAMS: usize = 2;
pub(super) const RESULT: usize = 3;
pub(super) const METHOD: usize = 4;
pub(super) const ID: usize = 6;
pub(super) const VERSION: usize = 7;
// of the error object
pub(super) const DATA: usize = 8;
pub(super) const CODE: usize = 11;
pub(super) const MESSAGE: usize = 12;
/// The [bit](Kind::bit) of a member that is not there.
pub(super) const ABSENT: u32 = Kind::bit(&[]);

static NAMES: Names = KNOWN;

/// Where it is to be known when the program is compiled.
pub(super) const KNOWN: Names = Names::new(
    const {
        &Names::table(
            &[*b"jsonrpc\"", *b"id\"\0\0\0\0\0", *b"method\"\0", *b"result\"\0", *b"params\"\0", *b"error\"\0\0"],
            &[*b"code\"\0\0\0", *b"message\"", *b"data\"\0\0\0"],
        )
    },
    *b"{\"jsonrpc\":\"2.0\"",
);

/// The slot of what a message carries; that of a batch is empty.
pub(super) const fn payload(kind: EnvelopeKind) -> usize {
    match kind {
        EnvelopeKind::Success => RESULT,
        EnvelopeKind::Error => ERROR,
        EnvelopeKind::Request | EnvelopeKind::Notification | EnvelopeKind::Batch => PARAMS,
    }
}

/// Reads `text` and says what it is. `noted` then holds its parts; of a text that is refused, the id to answer with.
pub(super) fn text<'a>(text: &'a [u8], dialect: Dialect, noted: &mut Noted<'a>) -> Result<EnvelopeKind, Error> {
    if text.len() > dialect.max_len() {
        return Err(Error::new(ErrorKind::MessageTooLong, dialect.max_len()));
    }
    if let Err(error) = scan(text, &NAMES, noted) {
        noted.forget(ID);
        return Err(error);
    }
    #[cfg(target_pointer_width = "64")]
    if let Some(kind) = usual(dialect, noted) {
        return Ok(kind);
    }
    value(text, trim_start(text), dialect, noted)
}

/// Says what the next of the `elements` of the batch `text` is, which has been validated whole.
pub(super) fn element<'a>(
    text: &'a [u8],
    elements: &mut Elements<'a>,
    dialect: Dialect,
    noted: &mut Noted<'a>,
) -> Option<Result<EnvelopeKind, Error>> {
    let element = elements.next_noted(|rest| note_object(rest, &NAMES, noted))?;
    Some(match element.kind() {
        // "a nested array is such an element" that is no object
        Kind::Array => Err(Error::new(ErrorKind::NotAMessage, element.offset())),
        _ => value(text, element.as_bytes(), dialect, noted),
    })
}

/// Says what the value at the front of `value` is, a part of `text` that has been validated and noted.
fn value<'a>(text: &[u8], value: &'a [u8], dialect: Dialect, noted: &mut Noted<'a>) -> Result<EnvelopeKind, Error> {
    // where a fault shows
    let mut at = value;
    let examined = match value {
        [b'{', ..] => object(dialect, noted, &mut at),
        [b'[', ..] => array(value, dialect, &mut at),
        _ => Err(ErrorKind::NotAMessage),
    };
    examined.map_err(|kind| Error::new(kind, offset_in(text, at)))
}

/// "an Array filled with Request objects" (JSON-RPC 2.0 §6), each to be judged when its turn comes.
fn array<'a>(array: &'a [u8], dialect: Dialect, at: &mut &'a [u8]) -> Result<EnvelopeKind, ErrorKind> {
    if dialect.max_batch() == 0 {
        return Err(ErrorKind::BatchNotAllowed);
    }
    if Kind::is_empty_array(array) {
        return Err(ErrorKind::EmptyBatch);
    }
    if dialect.max_batch() != usize::MAX {
        if let Some(element) = RawValue::trusted(array, array).element(dialect.max_batch()) {
            *at = element.as_bytes();
            return Err(ErrorKind::BatchTooLong);
        }
    }
    Ok(EnvelopeKind::Batch)
}

/// What most messages are, told by a few looks; `None` if it takes more of them.
#[cfg(target_pointer_width = "64")]
#[inline(always)]
fn usual(dialect: Dialect, noted: &Noted<'_>) -> Option<EnvelopeKind> {
    if noted.get(VERSION) != b"\"2.0\"" || noted.has(REPEAT) || noted.has(ERROR) {
        return None;
    }
    super::usual::kind(dialect, |slot| noted.get(slot))
}

/// Whether the noted members of an object make a message, and which. `at` is the object, and then where a fault shows.
fn object<'a>(dialect: Dialect, noted: &mut Noted<'a>, at: &mut &'a [u8]) -> Result<EnvelopeKind, ErrorKind> {
    let is_id = dialect.allows_id(noted.bit(ID), noted.get(ID));
    match judge(dialect, noted, is_id) {
        Ok(kind) => Ok(kind),
        Err((kind, fault)) => {
            if !fault.is_empty() {
                *at = fault;
            }
            // "the object's own id where that was read whole, valid and not repeated"
            if !is_id {
                noted.forget(ID);
            }
            Err(kind)
        }
    }
}

/// What is wrong, and the value that is. For a missing member that is nothing, and the object is at fault.
type Fault<'a> = (ErrorKind, &'a [u8]);

/// `is_id` says whether the id may stand on an error response.
fn judge<'a>(dialect: Dialect, noted: &mut Noted<'a>, is_id: bool) -> Result<EnvelopeKind, Fault<'a>> {
    if noted.has(REPEAT) {
        return Err((ErrorKind::RepeatedMember, noted.get(REPEAT)));
    }
    // "jsonrpc [...] MUST be exactly "2.0"" (JSON-RPC 2.0 §4)
    match noted.get(VERSION) {
        [] => return Err((ErrorKind::MissingVersion, noted.get(VERSION))),
        // on a device the slower comparison alone is less flash
        version if cfg!(target_pointer_width = "64") && version == b"\"2.0\"" => {}
        [b'"', inside @ ..] if RawStr::behind(inside, b"2.0\"\0\0\0\0").is_some() => {}
        _ => return Err((ErrorKind::InvalidVersion, noted.get(VERSION))),
    }
    // "both members MUST NOT be included" (JSON-RPC 2.0 §5)
    let kind = if noted.has(ERROR) {
        if noted.has(METHOD) || noted.has(RESULT) {
            return Err((ErrorKind::ConflictingMembers, noted.get(ERROR)));
        }
        EnvelopeKind::Error
    } else if noted.has(RESULT) {
        if noted.has(METHOD) {
            return Err((ErrorKind::ConflictingMembers, noted.get(RESULT)));
        }
        EnvelopeKind::Success
    } else if !noted.has(METHOD) {
        return Err((ErrorKind::MissingMember, noted.get(METHOD)));
    } else if noted.has(ID) {
        EnvelopeKind::Request
    } else {
        EnvelopeKind::Notification
    };
    let is_call = matches!(kind, EnvelopeKind::Request | EnvelopeKind::Notification);
    let is_error = matches!(kind, EnvelopeKind::Error);
    // a string with something between its quotation marks
    if is_call && !matches!(noted.get(METHOD), [b'"', _, _, ..]) {
        return Err((ErrorKind::InvalidMethod, noted.get(METHOD)));
    }
    if noted.has(ID) {
        let is_null = noted.bit(ID) == Kind::Null.bits();
        if !is_id || !dialect.allows_null_id() && is_null && !is_error {
            return Err((ErrorKind::InvalidId, noted.get(ID)));
        }
    } else if !(is_call || is_error && dialect.allows_error_without_id()) {
        return Err((ErrorKind::MissingId, noted.get(ID)));
    }
    let params = noted.bit(PARAMS);
    if is_call && params & (dialect.params_bits() | ABSENT) == 0 {
        return Err((ErrorKind::InvalidParams, noted.get(PARAMS)));
    }
    // "params null or absent": both mean no params
    if params == Kind::Null.bits() {
        noted.forget(PARAMS);
    }
    // "code [...] MUST be an integer. message [...] SHOULD be [...] a concise single sentence" (JSON-RPC 2.0 §5.1)
    if is_error && (number::signed(noted.get(CODE)).is_none() || noted.bit(MESSAGE) != Kind::String.bits()) {
        return Err((ErrorKind::InvalidErrorObject, noted.get(ERROR)));
    }
    Ok(kind)
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::{Dialect, EnvelopeKind, NAMES, Noted, scan, usual};

    /// What a few looks tell of a valid text.
    fn told(text: &str, dialect: Dialect) -> Option<EnvelopeKind> {
        let mut noted = Noted::new(text.as_bytes());
        assert_eq!(scan(text.as_bytes(), &NAMES, &mut noted), Ok(()), "{text}");
        usual(dialect, &noted)
    }

    #[test]
    fn a_few_looks_tell_what_most_messages_are() {
        use EnvelopeKind::{Notification, Request, Success};
        const ALL: [Dialect; 3] = [Dialect::JSON_RPC, Dialect::CAUCE, Dialect::MCP];
        for (text, kind) in [
            (r#"{"jsonrpc":"2.0","method":"m","id":"a"}"#, Request),
            (r#"{"jsonrpc":"2.0","method":"m","params":{},"id":"a"}"#, Request),
            (r#"{"jsonrpc":"2.0","method":"m"}"#, Notification),
            (r#"{"jsonrpc":"2.0","method":"m","params":{"a":1}}"#, Notification),
            (r#"{"jsonrpc":"2.0","result":null,"id":"a"}"#, Success),
        ] {
            for dialect in ALL {
                assert_eq!(told(text, dialect), Some(kind), "{text}");
            }
        }
        let array = r#"{"jsonrpc":"2.0","method":"m","params":[1],"id":1}"#;
        assert_eq!(ALL.map(|dialect| told(array, dialect)), [Some(Request), None, None]);
    }
}
