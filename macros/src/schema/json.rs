//! Parses the JSON text of `#[schema(value = "…")]` into nodes, which the compiler writes.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, LitStr, Result};

/// A complete schema from an attribute.
pub(crate) struct Given {
    pub(crate) node: TokenStream,
    /// Whether its `type` is `object`.
    pub(crate) is_object: bool,
}

/// The maximum number of open brackets, that of a schema (`nanojsonrpc::MAX_DEPTH`). Deeper texts are refused, because the parser is
/// recursive.
const MAX_DEPTH: usize = 63;

/// Reads a JSON Schema, which is an object or a boolean. A boolean becomes the equivalent object.
pub(super) fn given(literal: &LitStr) -> Result<Given> {
    let text = literal.value();
    let mut parser = Parser { rest: &text, depth: 0 };
    let value = parser.value().filter(|_| parser.after_space().is_empty());
    let refused = |message| Err(Error::new(literal.span(), message));
    match value {
        Some(Value::Object(members)) => {
            let is_object = members
                .iter()
                .any(|(name, value)| name == "type" && matches!(value, Value::Text(text) if text == "object"));
            Ok(Given { node: Value::Object(members).node(), is_object })
        }
        Some(Value::Literal("true")) => Ok(Given { node: Value::Object(Vec::new()).node(), is_object: false }),
        Some(Value::Literal("false")) => {
            let node = Value::Object(vec![("not".to_owned(), Value::Object(Vec::new()))]).node();
            Ok(Given { node, is_object: false })
        }
        Some(_) => refused("write the schema as an object: `r#\"{\"type\":\"string\"}\"#`"),
        None => refused(
            "this is not JSON: write an object with at most 63 open brackets, such as `r#\"{\"type\":\"string\"}\"#`",
        ),
    }
}

enum Value<'t> {
    /// A number, `true`, `false` or `null`.
    Literal(&'t str),
    Text(String),
    Array(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl Value<'_> {
    fn node(&self) -> TokenStream {
        match self {
            Self::Literal(text) => quote!(__json_schema::Node::Json { text: #text }),
            Self::Text(text) => quote!(__json_schema::Node::Text { text: #text }),
            Self::Array(elements) => {
                let elements = elements.iter().map(Self::node);
                quote!(__json_schema::Node::Array { elements: &[#(#elements),*] })
            }
            Self::Object(members) => {
                let members = members.iter().map(|(name, value)| {
                    let value = value.node();
                    quote!((#name, #value))
                });
                quote!(__json_schema::Node::Object { members: &[#(#members),*] })
            }
        }
    }
}

/// A parser for RFC 8259 that refuses repeated member names.
struct Parser<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn after_space(&mut self) -> &'t str {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
        self.rest
    }

    /// Consumes `token` and the white space before it.
    fn take(&mut self, token: char) -> Option<()> {
        self.rest = self.after_space().strip_prefix(token)?;
        Some(())
    }

    fn value(&mut self) -> Option<Value<'t>> {
        match self.after_space().chars().next()? {
            '{' => self.nested(Self::object),
            '[' => self.nested(Self::array),
            '"' => self.text().map(Value::Text),
            _ => self.literal().map(Value::Literal),
        }
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Option<Value<'t>>) -> Option<Value<'t>> {
        self.depth = self.depth.checked_add(1).filter(|depth| *depth <= MAX_DEPTH)?;
        let value = read(self);
        self.depth = self.depth.saturating_sub(1);
        value
    }

    fn object(&mut self) -> Option<Value<'t>> {
        self.take('{')?;
        let mut members: Vec<(String, Value<'t>)> = Vec::new();
        while self.take('}').is_none() {
            if !members.is_empty() {
                self.take(',')?;
            }
            self.after_space();
            let name = self.text()?;
            self.take(':')?;
            if members.iter().any(|(earlier, _)| *earlier == name) {
                return None;
            }
            members.push((name, self.value()?));
        }
        Some(Value::Object(members))
    }

    fn array(&mut self) -> Option<Value<'t>> {
        self.take('[')?;
        let mut elements = Vec::new();
        while self.take(']').is_none() {
            if !elements.is_empty() {
                self.take(',')?;
            }
            elements.push(self.value()?);
        }
        Some(Value::Array(elements))
    }

    fn text(&mut self) -> Option<String> {
        let mut text = String::new();
        let mut letters = self.rest.strip_prefix('"')?.chars();
        loop {
            match letters.next()? {
                '"' => break,
                '\\' => text.push(match letters.next()? {
                    kept @ ('"' | '\\' | '/') => kept,
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'u' => escaped(&mut letters)?,
                    _ => return None,
                }),
                '\0'..' ' => return None,
                letter => text.push(letter),
            }
        }
        self.rest = letters.as_str();
        Some(text)
    }

    fn literal(&mut self) -> Option<&'t str> {
        let end = self.rest.find(|letter: char| !letter.is_ascii_alphanumeric() && !"+-.".contains(letter));
        let (literal, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        (matches!(literal, "true" | "false" | "null") || is_number(literal)).then_some(literal)
    }
}

/// The character of a `\u` escape: reads four digits, or a surrogate pair.
fn escaped(letters: &mut core::str::Chars<'_>) -> Option<char> {
    let unit = |letters: &mut core::str::Chars<'_>| {
        let (digits, rest) = letters.as_str().split_at_checked(4)?;
        *letters = rest.chars();
        digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok()).flatten()
    };
    let first = unit(letters)?;
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(first.into());
    }
    *letters = letters.as_str().strip_prefix("\\u")?.chars();
    char::decode_utf16([first, unit(letters)?]).next()?.ok()
}

/// `number = [ minus ] int [ frac ] [ exp ]` (RFC 8259 §6).
fn is_number(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let (text, exponent) = text.split_once(['e', 'E']).map_or((text, None), |(text, exponent)| (text, Some(exponent)));
    let (integer, fraction) = text.split_once('.').map_or((text, None), |(integer, rest)| (integer, Some(rest)));
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    are_digits(integer)
        && (integer == "0" || !integer.starts_with('0'))
        && fraction.is_none_or(are_digits)
        && exponent.is_none_or(|text| are_digits(text.strip_prefix(['+', '-']).unwrap_or(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_read(text: &str) -> bool {
        let mut parser = Parser { rest: text, depth: 0 };
        parser.value().is_some() && parser.after_space().is_empty()
    }

    #[test]
    fn the_grammar_of_rfc_8259_is_read() {
        for text in [
            "{}",
            "[ ]",
            " { \"a\" : [1,-0.5e+3,0, true ,null] } ",
            r#""\u00e9\ud83d\ude00\n\/""#,
            "10",
            &format!("{}{}", "[".repeat(63), "]".repeat(63)),
        ] {
            assert!(is_read(text), "{text}");
        }
        for text in [
            "",
            "{",
            "{,}",
            "{\"a\":1,}",
            "{\"a\":1 \"b\":2}",
            "{\"a\":1,\"a\":2}",
            "{a:1}",
            "[1,]",
            "[1 2]",
            "01",
            "1.",
            ".5",
            "+1",
            "1e",
            "tru",
            "\"\n\"",
            r#""\x""#,
            r#""\ud83d""#,
            r#""\u+123""#,
            "1 2",
            &format!("{}{}", "[".repeat(64), "]".repeat(64)),
        ] {
            assert!(!is_read(text), "{text}");
        }
    }

    #[test]
    fn a_text_is_decoded() {
        let mut parser = Parser { rest: r#""a\u00e9\ud83d\ude00\n\/\"""#, depth: 0 };
        assert_eq!(parser.text().as_deref(), Some("aé😀\n/\""));
    }
}
