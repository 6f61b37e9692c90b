//! Values of header fields: white space, repetition, lengths, media types.

use crate::ascii::is_token;

/// Replaces the value of a header that is repeated or contains a forbidden byte. No rule accepts it.
pub(crate) const INVALID: &[u8] = b"\0";

/// Removes the spaces and tabs around `value` (RFC 9110 §5.5).
pub(crate) fn trimmed(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', inside @ ..] | [inside @ .., b' ' | b'\t'] = value {
        value = inside;
    }
    value
}

/// Stores `value` in `field`; [`INVALID`] if the field has a value, or for "CR, LF, or NUL within the value" (RFC 9110 §5.5).
pub(crate) fn store<'h>(field: &mut Option<&'h [u8]>, value: &'h [u8]) {
    let is_valid = field.is_none() && !value.iter().any(|byte| matches!(byte, 0 | b'\r' | b'\n'));
    *field = Some(if is_valid { trimmed(value) } else { INVALID });
}

/// Reads decimal digits as a number; `None` if `digits` has other bytes, is empty, or exceeds `u64`.
pub(super) fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |number, byte| {
        let digit = byte.is_ascii_digit().then_some(u64::from(byte & 0xF))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// Whether `value` of `Content-Type` is a media type for JSON-RPC: `application/json`, `application/json-rpc` or
/// `application/jsonrequest`, in upper or lower case, with any parameters. A `charset` must be `utf-8`.
///
/// ```
/// use nanojsonrpc::http::is_json;
///
/// assert!(is_json(b"application/json"));
/// assert!(is_json(b"Application/JSON ; charset=\"UTF-8\""));
/// assert!(!is_json(b"application/json; charset=utf-16"));
/// assert!(!is_json(b"text/plain"));
/// ```
///
/// Source: RFC 9110 §8.3; RFC 8259 §8.1 and §11.
pub fn is_json(value: &[u8]) -> bool {
    let len = value.iter().take_while(|byte| **byte != b';').count();
    let (essence, mut rest) = value.split_at_checked(len).unwrap_or_default();
    let essence = trimmed(essence);
    let known: [&[u8]; 3] = [b"application/json", b"application/json-rpc", b"application/jsonrequest"];
    if !known.iter().any(|known| essence.eq_ignore_ascii_case(known)) {
        return false;
    }
    while let [b';', behind @ ..] = rest {
        let Some((name, value, behind)) = parameter(trimmed(behind)) else { return false };
        if name.eq_ignore_ascii_case(b"charset") && !value.eq_ignore_ascii_case(b"utf-8") {
            return false;
        }
        rest = behind;
    }
    rest.is_empty()
}

/// Returns the name and value of the parameter at the front of `text`, and the rest from the next semicolon on. Between two semicolons
/// without a parameter, the name is empty. Quoted pairs in a value are not decoded.
fn parameter(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (name, rest) = text.split_at_checked(text.iter().take_while(|byte| is_token(**byte)).count())?;
    if name.is_empty() {
        return (rest.is_empty() || rest.starts_with(b";")).then_some((name, name, rest));
    }
    let value = rest.strip_prefix(b"=")?;
    let (value, rest) = match value {
        [b'"', quoted @ ..] => {
            let mut is_escaped = false;
            let len = quoted.iter().position(|byte| {
                let is_end = *byte == b'"' && !is_escaped;
                is_escaped = *byte == b'\\' && !is_escaped;
                is_end
            })?;
            (quoted.get(..len)?, quoted.get(len.wrapping_add(1)..)?)
        }
        _ => {
            let len = value.iter().take_while(|byte| is_token(**byte)).count();
            value.split_at_checked(len).filter(|_| len != 0)?
        }
    };
    let rest = trimmed(rest);
    (rest.is_empty() || rest.starts_with(b";")).then_some((name, value, rest))
}
