//! The parts of a message that headers of HTTP repeat. 2026-07-28, Streamable HTTP, Request Metadata.

use super::annotations::{Annotation, Annotations, invalid};
use super::method;
use crate::ascii::is_token;
use crate::base64;
use crate::error::{Error, ErrorKind};
use crate::json::{Kind, RawStr, RawValue, Writer, number};

/// The methods with a param that `Mcp-Name` repeats, and its name (Standard Request Headers; extension for tasks, Routing Headers).
static NAMED: [(&str, &str); 6] = [
    (method::TOOLS_CALL, "name"),
    (method::PROMPTS_GET, "name"),
    (method::RESOURCES_READ, "uri"),
    (method::TASKS_GET, "taskId"),
    (method::TASKS_UPDATE, "taskId"),
    (method::TASKS_CANCEL, "taskId"),
];

/// The param of `method` that `Mcp-Name` repeats.
pub(super) fn named_param(method: RawStr<'_>) -> Option<&'static str> {
    NAMED.iter().find(|(name, _)| method == **name).map(|(_, param)| *param)
}

/// The marks of a value in base64.
const OPENING: &[u8] = b"=?base64?";
const CLOSING: &[u8] = b"?=";

/// Whether `header` spells `text`, and has no bytes that no header may have: "visible ASCII characters (0x21-0x7E), space
/// (0x20), and horizontal tab (0x09)" (Value Encoding).
#[inline(never)]
pub(super) fn is_same(header: &[u8], text: RawStr<'_>) -> bool {
    let mut bytes = text.bytes();
    let is_next = |byte: &u8| is_visible(*byte) && bytes.next() == Some(*byte);
    header.iter().all(is_next) && bytes.next().is_none()
}

/// Whether `header` has the value `text`: literally, or as base64.
#[inline(never)]
pub(super) fn is_value(header: &[u8], text: RawStr<'_>) -> bool {
    let Some(encoded) = header.strip_prefix(OPENING).and_then(|behind| behind.strip_suffix(CLOSING)) else {
        return is_same(header, text);
    };
    let mut bytes = text.bytes();
    let mut is_padded = false;
    for four in encoded.chunks(4) {
        let decoded = <[u8; 4]>::try_from(four).ok().and_then(base64::decode_four);
        let Some((three, len)) = decoded.filter(|_| !is_padded) else { return false };
        if !three.iter().take(len).all(|byte| bytes.next() == Some(*byte)) {
            return false;
        }
        is_padded = len < three.len();
    }
    bytes.next().is_none()
}

const fn is_visible(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t')
}

/// Appends `text` as the value of a header: as it is, or in base64 if a header cannot have it, or would read it as base64.
#[inline(never)]
pub(super) fn put_value(text: RawStr<'_>, out: &mut Writer<'_>) {
    let start = out.len();
    text.bytes().for_each(|byte| out.put_byte(byte));
    let value = out.written().get(start..).unwrap_or_default();
    let has_space = matches!(value, [b' ' | b'\t', ..] | [.., b' ' | b'\t']);
    if value.iter().all(|byte| is_visible(*byte))
        && !has_space
        && !(value.starts_with(OPENING) && value.ends_with(CLOSING))
    {
        return;
    }
    out.truncate(start);
    out.put(OPENING);
    base64::encode_all(text.bytes()).for_each(|four| out.put(&four));
    out.put(CLOSING);
}

/// The greatest number of annotations in a schema. Each of them is compared with each other one: without a limit, a schema of 1 MB takes
/// a minute.
const MAX_PARAMS: u16 = 64;

/// The greatest integer that a header repeats (Schema Extension).
const MAX_INTEGER: i64 = (1 << 53) - 1;

/// Calls `each` with the name behind `Mcp-Param-` of each annotation in `schema`, the input schema of a tool, and with the param in
/// `arguments`, if that is there and not null.
///
/// # Errors
/// [`InvalidValue`](ErrorKind::InvalidValue) with the offset of an annotation that the specification forbids or that is one too many, or of a
/// param that occurs twice, so that two readers may read different values; the errors of `each`.
pub(super) fn each_param<'a>(
    schema: RawValue<'a>,
    arguments: Option<RawValue<'a>>,
    each: &mut dyn FnMut(RawStr<'a>, Option<RawValue<'a>>) -> Result<(), Error>,
) -> Result<(), Error> {
    let (mut annotations, mut found) = (Annotations::new(schema, arguments), 0_u16);
    while let Some(Annotation { name, schema: property, param }) = annotations.step()? {
        found = found.saturating_add(1);
        let header = header_name(name, property)?;
        if found > MAX_PARAMS || !is_only(schema, header) {
            return Err(invalid(name));
        }
        each(header, param)?;
    }
    Ok(())
}

/// The name in `annotation`, if the schema `property` may have it.
fn header_name<'a>(annotation: RawValue<'a>, property: RawValue<'a>) -> Result<RawStr<'a>, Error> {
    let name = annotation.as_str_raw().filter(|name| name.bytes().next().is_some() && name.bytes().all(is_token));
    let kind = property.get("type").and_then(RawValue::as_str_raw);
    let is_primitive =
        kind.is_some_and(|kind| ["string", "integer", "boolean"].into_iter().any(|known| kind == *known));
    name.filter(|_| is_primitive).ok_or(invalid(annotation))
}

/// Whether one annotation in `schema` has the name `header`, in upper or lower case, and no other one.
fn is_only(schema: RawValue<'_>, header: RawStr<'_>) -> bool {
    let lower = |byte: u8| byte.to_ascii_lowercase();
    let (mut annotations, mut found) = (Annotations::new(schema, None), 0_u16);
    // a later fault is that of the walk that asks
    while let Ok(Some(Annotation { name, .. })) = annotations.step() {
        let is_same = name.as_str_raw().is_some_and(|name| name.bytes().map(lower).eq(header.bytes().map(lower)));
        found = found.saturating_add(is_same.into());
    }
    found == 1
}

/// Appends the value of a param as that of a header.
///
/// # Errors
/// [`UnexpectedType`](ErrorKind::UnexpectedType) for a value that is no string, no boolean and no integer of at most 53 bits.
pub(super) fn put_param(value: RawValue<'_>, out: &mut Writer<'_>) -> Result<(), Error> {
    let unexpected = Error::new(ErrorKind::UnexpectedType, value.offset());
    match value.kind() {
        Kind::String => put_value(value.as_str_raw().unwrap_or_default(), out),
        Kind::Bool => out.put(value.as_bytes()),
        Kind::Number => {
            let integer = value.as_i64().filter(|integer| (-MAX_INTEGER..=MAX_INTEGER).contains(integer));
            out.put_signed(integer.ok_or(unexpected)?);
        }
        _ => return Err(unexpected),
    }
    Ok(())
}

/// Whether `header` has the value of a param: literally, or as base64; integers are compared as numbers, so `42.0` is 42.
///
/// "Servers SHOULD compare the header value and the body value numerically rather than as strings." (Server Validation)
pub(super) fn is_param(header: &[u8], value: RawValue<'_>) -> bool {
    match value.kind() {
        Kind::String => is_value(header, value.as_str_raw().unwrap_or_default()),
        Kind::Bool => is_value(header, RawStr::validated(value.as_bytes())),
        Kind::Number => {
            is_value(header, RawStr::validated(value.as_bytes()))
                || integer(value).is_some_and(|known| RawValue::parse(header).ok().and_then(integer) == Some(known))
        }
        _ => false,
    }
}

/// The integer in `value`, which may have a fraction of zeros.
fn integer(value: RawValue<'_>) -> Option<i64> {
    let mut parts = value.as_bytes().split(|byte| *byte == b'.');
    let (whole, fraction) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    if fraction.iter().all(|digit| *digit == b'0') { number::signed(whole) } else { None }
}
