//! Makes valid JSON texts from a fuzzer's bytes, in all spellings of a value.
//!
//! Blind mutation rarely gives JSON. Here each byte is a decision of a writer instead: the kind of the next value, the escape of a
//! character, the place of white space.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};

/// Names and strings that some type or protocol waits for, and characters at the edges of their encodings.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "", "a", "b", "c", "d", "t", "id", "\u{0}", "\"", "\\", "\"\n", "/", "~", "~1", "m/n", "é", "é😀", "\u{7f}\u{80}\u{7ff}",
    "\u{800}\u{d7ff}\u{e000}\u{ffff}", "\u{10000}\u{10ffff}", "0", "1", "01", "-0", "1.5", "true", "null", " 1", "red",
    "dark-green", "Unit", "Newtype", "Optional", "Nothing", "Tuple", "Struct", "Inner", "Known", "Name", "Id", "Ok",
    "Err", "type", "color", "sensor", "values", "unit", "pair", "text", "firstField", "2nd", "value", "old", "older",
    "count", "name", "kept", "shown", "hidden", "maybe", "hex", "one", "many", "children", "items", "next", "any", "rest",
    "secs", "nanos", "start", "end", "Included", "Unbounded", "127.0.0.1", "127.0.0.1:80", "::1", "2.0", "jsonrpc",
    "method", "params", "result", "error", "code", "message", "data", "1}", ",1", "42", "$nanojsonrpc::RawValue",
    "$serde_json::private::RawValue",
    "a text that is longer than a word of eight bytes, and than a window of sixty-four of them",
];

/// Numbers at the edges of types.
#[rustfmt::skip]
const NUMBERS: &[&str] = &[
    "0", "-0", "1", "-1", "7", "127", "128", "-128", "-129", "255", "256", "32767", "32768", "65535", "65536", "2147483647",
    "2147483648", "-2147483649", "4294967296", "9007199254740993", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
    "170141183460469231731687303715884105728", "-170141183460469231731687303715884105729",
    "340282366920938463463374607431768211456", "0.0", "-0.0", "1.50", "0.1", "1e2", "1E+2", "10e-1", "5e-324", "1e-400",
    "1.7976931348623157e308", "3.4028235677973366e38", "1.00000017881393432617187499", "0e9", "1e400",
];

/// A text: `input` itself, or a text that `input` spells. The first byte decides.
pub fn text(input: &[u8]) -> Option<Cow<'_, [u8]>> {
    let (way, rest) = input.split_first()?;
    if way & 1 == 0 {
        return Some(rest.into());
    }
    let mut out = String::new();
    value(&mut Unstructured::new(rest), 6, &mut out).ok()?;
    Some(out.into_bytes().into())
}

/// Any value, at most `depth` brackets deep.
pub fn value(bytes: &mut Unstructured<'_>, depth: usize, out: &mut String) -> Result<()> {
    space(bytes, out)?;
    match bytes.int_in_range(0..=if depth == 0 { 4 } else { 8_u8 })? {
        0 => out.push_str("null"),
        1 => out.push_str(if bytes.arbitrary()? { "true" } else { "false" }),
        2 => number(bytes, out)?,
        3 | 4 => string(bytes, out)?,
        5 | 6 => {
            out.push('[');
            for index in 0..bytes.int_in_range(0..=5_u8)? {
                out.push_str(if index > 0 { "," } else { "" });
                value(bytes, depth - 1, out)?;
            }
            space(bytes, out)?;
            out.push(']');
        }
        _ => object(bytes, depth, out)?,
    }
    space(bytes, out)
}

/// An object whose members are likely those of a type.
pub fn object(bytes: &mut Unstructured<'_>, depth: usize, out: &mut String) -> Result<()> {
    out.push('{');
    for index in 0..bytes.int_in_range(0..=5_u8)? {
        out.push_str(if index > 0 { "," } else { "" });
        space(bytes, out)?;
        string(bytes, out)?;
        space(bytes, out)?;
        out.push(':');
        value(bytes, depth - 1, out)?;
    }
    space(bytes, out)?;
    out.push('}');
    Ok(())
}

pub fn number(bytes: &mut Unstructured<'_>, out: &mut String) -> Result<()> {
    match bytes.int_in_range(0..=5_u8)? {
        0..=2 => out.push_str(bytes.choose(NUMBERS)?),
        3 => out.push_str(&bytes.arbitrary::<i64>()?.to_string()),
        4 => out.push_str(&bytes.arbitrary::<u8>()?.to_string()),
        _ => {
            out.push_str(if bytes.arbitrary()? { "-" } else { "" });
            out.push_str(&bytes.arbitrary::<u64>()?.to_string());
            if bytes.arbitrary()? {
                out.push_str(&format!(".{}", bytes.arbitrary::<u32>()?));
            }
            if bytes.arbitrary()? {
                out.push_str(bytes.choose(&["e", "E", "e+", "E-", "e-0"])?);
                out.push_str(&bytes.arbitrary::<u8>()?.to_string());
            }
        }
    }
    Ok(())
}

/// A string, with each character spelled in one of its ways.
pub fn string(bytes: &mut Unstructured<'_>, out: &mut String) -> Result<()> {
    let text = word(bytes)?;
    spelled(&text, bytes.arbitrary()?, out);
    Ok(())
}

/// `text` as a string, each character spelled in one of its `ways`.
pub fn spelled(text: &str, ways: u8, out: &mut String) {
    out.push('"');
    for (index, c) in text.chars().enumerate() {
        // two bits for each of the first four characters, and again
        spell(c, ways.rotate_right(2 * (index as u32 & 3)) & 3, out);
    }
    out.push('"');
}

/// The text of a string.
pub fn word(bytes: &mut Unstructured<'_>) -> Result<String> {
    Ok(match bytes.int_in_range(0..=7_u8)? {
        0..=5 => bytes.choose(WORDS)?.to_string(),
        6 => bytes.choose(WORDS)?.repeat(bytes.int_in_range(1..=9)?),
        _ => bytes.arbitrary()?,
    })
}

fn spell(c: char, way: u8, out: &mut String) {
    let short = match c {
        '"' => "\\\"",
        '\\' => "\\\\",
        '/' => "\\/",
        '\u{8}' => "\\b",
        '\u{c}' => "\\f",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        _ => "",
    };
    match way {
        1 if !short.is_empty() => out.push_str(short),
        2 => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
        3 => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04X}"))),
        _ if c < ' ' || c == '"' || c == '\\' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
        _ => out.push(c),
    }
}

pub fn space(bytes: &mut Unstructured<'_>, out: &mut String) -> Result<()> {
    // mostly none
    out.push_str(bytes.choose(&["", "", "", "", "", " ", "\n  ", "\t\r\n", "                  "])?);
    Ok(())
}
