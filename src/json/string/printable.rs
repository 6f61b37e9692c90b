//! Text of a peer in a line of a log.

use core::fmt::{self, Write};

/// Writes `chars` in one line, with escapes for backslashes and for characters that a terminal does not print, so a peer can neither forge
/// a line of a log nor send commands to a terminal.
///
/// Not `char::escape_debug`, whose table of characters takes two kilobytes of flash.
pub(crate) fn write_printable(out: &mut impl Write, chars: impl Iterator<Item = char>) -> fmt::Result {
    for c in chars {
        if c == '\\' || is_hidden(c) {
            c.escape_default().try_for_each(|c| out.write_char(c))?;
        } else {
            out.write_char(c)?;
        }
    }
    Ok(())
}

/// Whether `c` is a control character, ends a line, or changes the direction or the form of its neighbours: the categories Cc, Zl, Zp and
/// most of Cf of Unicode.
pub(crate) const fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\x1F' | '\x7F'..='\u{9F}' | '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}'
        | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}'
        | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::is_hidden;

    #[test]
    fn every_control_character_is_hidden_and_no_printed_one() {
        for c in '\0'..=char::MAX {
            assert!(!c.is_control() || is_hidden(c), "{c:?}");
            // the standard library escapes the characters that are not printable by Unicode
            let is_escaped = !matches!(c, '\'' | '"' | '\\') && c.escape_debug().len() != 1;
            assert!(!is_hidden(c) || is_escaped, "{c:?}");
        }
    }
}
