//! Splits text at an ASCII byte. `str::split_once` indexes; at some opt-levels the optimiser does not prove that this cannot panic.

/// The text before the first `separator`, an ASCII character, and the text after it.
pub(crate) fn split_once(text: &str, separator: u8) -> Option<(&str, &str)> {
    let at = text.bytes().position(|byte| byte == separator)?;
    Some((text.get(..at)?, text.get(at.checked_add(1)?..)?))
}
