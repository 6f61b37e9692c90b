//! ASCII bytes in text.

/// Whether `byte` may be part of a token (RFC 9110 §5.6.2):
///
/// tchar = "!" / "#" / "$" / "%" / "&" / "'" / "*" / "+" / "-" / "." / "^" / "_" / "`" / "|" / "~" / DIGIT / ALPHA
pub(crate) const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#' | b'$' | b'%' | b'&' | b'\'' | b'*' | b'+' | b'-' | b'.' | b'^' | b'_' | b'`' | b'|' | b'~'
        )
}

/// The text before the first `separator`, an ASCII character, and the text after it. `str::split_once` indexes; at some opt-levels the
/// optimiser does not prove that this cannot panic.
#[cfg(any(feature = "broker", feature = "http"))]
pub(crate) fn split_once(text: &str, separator: u8) -> Option<(&str, &str)> {
    let at = text.bytes().position(|byte| byte == separator)?;
    Some((text.get(..at)?, text.get(at.checked_add(1)?..)?))
}
