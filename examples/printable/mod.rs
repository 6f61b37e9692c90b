//! Text of a peer for a terminal: a peer can neither forge a line nor send commands.
#![allow(dead_code, reason = "each example uses a part")]

use core::fmt::{Display, Write};

use nanojsonrpc::RawValue;

/// A text in one line, with JSON's escapes for the characters that a terminal does not print.
pub(crate) fn line(text: impl Display) -> String {
    let mut line = String::new();
    for c in text.to_string().chars() {
        if is_hidden(c) {
            // writing into a string does not fail
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| _ = write!(line, "\\u{unit:04x}"));
        } else {
            line.push(c);
        }
    }
    line
}

/// The same for JSON, which stays JSON with the same value.
pub(crate) fn json(value: RawValue<'_>) -> String {
    // outside of strings, these are white space; inside, they are escaped already
    line(value.as_json().replace(['\n', '\r', '\t'], " "))
}

/// Whether `c` is a control character, ends a line, or changes the direction or the form of its neighbours.
fn is_hidden(c: char) -> bool {
    let changes = ['\u{AD}', '\u{61C}', '\u{180E}', '\u{FEFF}'];
    let ranges = ['\u{200B}'..='\u{200F}', '\u{2028}'..='\u{202E}', '\u{2060}'..='\u{206F}', '\u{FFF9}'..='\u{FFFB}'];
    c.is_control()
        || changes.contains(&c)
        || ranges.iter().any(|range| range.contains(&c))
        || ('\u{E0000}'..='\u{E0FFF}').contains(&c)
}
