//! Values of header fields: white space, repetition, lengths, media types.

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
pub(crate) fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |number, byte| {
        let digit = byte.is_ascii_digit().then_some(u64::from(byte & 0xF))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// The media types of JSON-RPC over HTTP, and the one of the Language Server Protocol.
const TYPES: [&[u8]; 4] =
    [b"application/json", b"application/json-rpc", b"application/jsonrequest", b"application/vscode-jsonrpc"];

/// Whether `value` of `Content-Type` is a media type for JSON-RPC: `application/json`, `application/json-rpc`, `application/jsonrequest` or
/// `application/vscode-jsonrpc`, in upper or lower case. Parameters have no effect, except a `charset` that names an encoding which no
/// text of UTF-8 can have: UTF-16 or UTF-32.
///
/// ```
/// use nanojsonrpc::http::is_json;
///
/// assert!(is_json(b"application/json"));
/// assert!(is_json(b"Application/JSON ;charset=utf8"));
/// assert!(!is_json(b"application/json; charset=utf-16"));
/// assert!(!is_json(b"text/plain"));
/// ```
///
/// Source: RFC 9110 §8.3; RFC 8259 §8.1 and §11.
pub fn is_json(value: &[u8]) -> bool {
    let mut parts = value.split(|byte| *byte == b';').map(trimmed);
    let essence = parts.next().unwrap_or_default();
    // "No "charset" parameter is defined for this registration. Adding one really has no effect on compliant recipients." (RFC 8259 §11)
    TYPES.iter().any(|known| essence.eq_ignore_ascii_case(known)) && !parts.any(is_wide)
}

/// Whether `parameter` is `charset=utf-16` or another encoding of two or four bytes for a character.
fn is_wide(parameter: &[u8]) -> bool {
    let Some((name, value)) = parameter.split_at_checked(b"charset=".len()) else { return false };
    let value = value.strip_prefix(b"\"").unwrap_or(value);
    let begins =
        |encoding: &[u8]| value.get(..encoding.len()).is_some_and(|front| front.eq_ignore_ascii_case(encoding));
    name.eq_ignore_ascii_case(b"charset=") && [&b"utf-16"[..], b"utf16", b"utf-32", b"utf32"].into_iter().any(begins)
}
