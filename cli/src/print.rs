//! What people read: values in colour, texts of peers without control characters, and the byte of a fault.

use std::fmt::{self, Write as _};
use std::io::{IsTerminal as _, Write as _};

use nanojsonrpc::RawValue;
use nanojsonrpc::json::Kind;

use crate::fault::Fault;

/// Whether a character could control a terminal, or hide or reorder text.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Received bytes for one line of a terminal: control characters, and bytes that are no UTF-8, as escapes.
pub(crate) struct Escaped<'t>(pub(crate) &'t [u8]);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            for c in chunk.valid().chars() {
                if is_unsafe(c) && !matches!(c, '\n' | '\t') {
                    write!(f, "{}", c.escape_default())?
                } else {
                    f.write_char(c)?
                }
            }
            chunk.invalid().iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
        }
        Ok(())
    }
}

/// A text with a mark below one of its bytes.
pub(crate) struct Marked<'t> {
    pub(crate) text: &'t [u8],
    pub(crate) offset: usize,
}

/// The bytes that are shown on each side of the mark.
const AROUND: usize = 36;

impl fmt::Display for Marked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = self.offset.saturating_sub(AROUND).min(self.text.len());
        let end = self.offset.saturating_add(AROUND).min(self.text.len());
        let middle = self.offset.clamp(start, end);
        let shown = |from, to| line(self.text.get(from..to).unwrap_or_default());
        let (before, behind) = (shown(start, middle), shown(middle, end));
        let (cut, more) = (if start == 0 { "" } else { "…" }, if end == self.text.len() { "" } else { "…" });
        writeln!(f, "  {cut}{before}{behind}{more}")?;
        let width = before.chars().count() + cut.chars().count();
        write!(f, "  {:width$}^ byte {} of {}", "", self.offset, self.text.len())
    }
}

/// [`Escaped`], with line feeds, too.
pub(crate) fn line(text: &[u8]) -> String {
    Escaped(text).to_string().replace('\n', "\\n")
}

/// How a value is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// In one line, for programs.
    Line,
    /// In one line, and coloured.
    Colour,
    /// Indented and coloured, for people.
    Pretty,
}

impl Style {
    /// The style for standard output.
    pub(crate) fn of_output() -> Self {
        if std::io::stdout().is_terminal() { Self::Pretty } else { Self::Line }
    }
}

const NAME: &str = "\x1b[34m";
const STRING: &str = "\x1b[32m";
const OTHER: &str = "\x1b[33m";
const END: &str = "\x1b[0m";

/// A value as JSON with the same meaning: numbers and escapes as they came, unsafe characters as escapes.
pub(crate) struct Shown<'v>(pub(crate) RawValue<'v>, pub(crate) Style);

impl Shown<'_> {
    fn put(&self, f: &mut fmt::Formatter<'_>, value: RawValue<'_>, depth: usize) -> fmt::Result {
        match value.kind() {
            Kind::Object => {
                let members = value.members().map(|(name, value)| (Some(name.as_bytes()), value));
                self.list(f, ('{', '}'), members, depth)
            }
            Kind::Array => self.list(f, ('[', ']'), value.elements().map(|value| (None, value)), depth),
            Kind::String => {
                let inside = value.as_str_raw().map_or(&b""[..], |text| text.as_bytes());
                self.token(f, STRING, |f| string(f, inside))
            }
            _ => self.token(f, OTHER, |f| f.write_str(value.as_json())),
        }
    }

    fn token(
        &self,
        f: &mut fmt::Formatter<'_>,
        colour: &str,
        put: impl FnOnce(&mut fmt::Formatter<'_>) -> fmt::Result,
    ) -> fmt::Result {
        if self.1 == Style::Line {
            return put(f);
        }
        f.write_str(colour)?;
        put(f)?;
        f.write_str(END)
    }

    fn list<'v>(
        &self,
        f: &mut fmt::Formatter<'_>,
        (open, close): (char, char),
        items: impl Iterator<Item = (Option<&'v [u8]>, RawValue<'v>)>,
        depth: usize,
    ) -> fmt::Result {
        let is_pretty = self.1 == Style::Pretty;
        let new_line = |f: &mut fmt::Formatter<'_>, depth: usize| {
            if is_pretty { write!(f, "\n{:width$}", "", width = depth * 2) } else { Ok(()) }
        };
        f.write_char(open)?;
        let mut is_empty = true;
        for (name, value) in items {
            if !std::mem::replace(&mut is_empty, false) {
                f.write_char(',')?;
            }
            new_line(f, depth + 1)?;
            if let Some(name) = name {
                self.token(f, NAME, |f| string(f, name))?;
                f.write_str(if is_pretty { ": " } else { ":" })?;
            }
            self.put(f, value, depth + 1)?;
        }
        if !is_empty {
            new_line(f, depth)?;
        }
        f.write_char(close)
    }
}

/// A string whose undecoded inside is `raw`.
fn string(f: &mut fmt::Formatter<'_>, raw: &[u8]) -> fmt::Result {
    f.write_char('"')?;
    for c in String::from_utf8_lossy(raw).chars() {
        if is_unsafe(c) { write!(f, "\\u{:04x}", u32::from(c))? } else { f.write_char(c)? }
    }
    f.write_char('"')
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.put(f, self.0, 0)
    }
}

/// Prints a line on standard output, without colours unless it is a terminal.
pub(crate) fn out(line: impl fmt::Display) -> Result<(), Fault> {
    let mut out = anstream::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| match error.kind() {
        std::io::ErrorKind::BrokenPipe => Fault::Unread,
        _ => Fault::file("standard output", &error),
    })
}

/// Prints a line for people on standard error.
pub(crate) fn say(line: impl fmt::Display) {
    // a closed output has no reader to tell
    _ = writeln!(anstream::stderr().lock(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_controls_a_terminal_is_escaped() {
        assert_eq!(Escaped(b"a\x1b[31m\xff\x7f\tb").to_string(), "a\\u{1b}[31m\\xff\\u{7f}\tb");
        let value = RawValue::parse("{\"\u{9b}31m\":\"\u{202e}\u{7f}\\n\"}".as_bytes()).expect("valid");
        assert_eq!(Shown(value, Style::Line).to_string(), r#"{"\u009b31m":"\u202e\u007f\n"}"#);
    }

    #[test]
    fn pretty_values_are_indented() {
        let value = RawValue::parse(br#"{"a":[1.50,{}],"b":null}"#).expect("valid");
        let pretty = Shown(value, Style::Pretty).to_string();
        let plain = [NAME, STRING, OTHER, END].iter().fold(pretty, |text, code| text.replace(code, ""));
        assert_eq!(plain, "{\n  \"a\": [\n    1.50,\n    {}\n  ],\n  \"b\": null\n}");
    }

    #[test]
    fn the_mark_stands_below_its_byte() {
        let marked = Marked { text: b"{\"a\":x}", offset: 5 }.to_string();
        assert_eq!(marked, "  {\"a\":x}\n       ^ byte 5 of 7");
        let long = [b' '; 200];
        assert_eq!(Marked { text: &long, offset: 100 }.to_string().matches('…').count(), 2);
        assert!(Marked { text: b"", offset: 9 }.to_string().ends_with("^ byte 9 of 0"));
    }
}
