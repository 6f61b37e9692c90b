//! Text in two parts, by a byte: the searchers of `str` index, which the optimiser does not prove at each level.

/// The text before the first `separator`, an ASCII character, and the text behind it.
pub(crate) fn split_once(text: &str, separator: u8) -> Option<(&str, &str)> {
    let at = text.bytes().position(|byte| byte == separator)?;
    Some((text.get(..at)?, text.get(at.checked_add(1)?..)?))
}
