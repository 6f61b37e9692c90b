//! On well-formed messages, and on those with a byte or two changed: verdict, contents, kind and offset are those of a
//! reference.
//!
//! Fast paths read texts of hundreds of bytes and fall back at an unusual part, so nearly all bytes must be valid. Blind
//! mutation rarely gives such texts.
#![no_main]

#[path = "../../tests/common/entry_points.rs"]
mod entry_points;
// a part of each is for the other targets
#[allow(dead_code)]
mod grammar;
mod judged;
#[allow(dead_code)]
mod reference;

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use nanojsonrpc::MAX_DEPTH;

/// The places of white space in a message.
#[derive(Clone, Copy)]
enum Layout {
    Compact,
    /// Behind each comma and colon.
    Blanks,
    /// Each member in a line of its own.
    Lines,
    /// Anywhere.
    Any,
}

/// Bytes to put where another one was.
#[rustfmt::skip]
const BYTES: &[u8] = b"\"\\{}[]:,-+.0123456789eEtfnu/ \n\t\r\x00\x1F\x7F\x80\x90\xA0\xBF\xC0\xC3\xE0\xED\xEF\xF0\xF4\xFFadD8jimpr";

fuzz_target!(|input: &[u8]| {
    if let Ok(text) = edited(&mut Unstructured::new(input)) {
        judged::is_judged_as_by_the_reference(&text);
    }
});

/// A text, most of it right.
fn edited(bytes: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    // first, so that the same edit can be tried in other texts, and another one in the same
    let edits: [(u8, u16, u8); 2] = bytes.arbitrary()?;
    let mut out = String::new();
    text(bytes, &mut out)?;
    let mut text = out.into_bytes();
    for (way, place, byte) in edits {
        edit(&mut text, way, place, BYTES[usize::from(byte) % BYTES.len()]);
    }
    Ok(text)
}

/// One byte instead of another, more, or less; the front alone; or a piece twice.
fn edit(text: &mut Vec<u8>, way: u8, place: u16, byte: u8) {
    let at = usize::from(place) % text.len().max(1);
    match way & 7 {
        0 | 1 if !text.is_empty() => text[at] = byte,
        2 => text.insert(at, byte),
        3 if !text.is_empty() => _ = text.remove(at),
        4 => text.truncate(at),
        5 => {
            let piece = text[at..].iter().take(usize::from(byte)).copied().collect::<Vec<_>>();
            _ = text.splice(at..at, piece);
        }
        _ => {}
    }
}

fn text(bytes: &mut Unstructured<'_>, out: &mut String) -> Result<()> {
    let layout = *bytes.choose(&[Layout::Compact, Layout::Blanks, Layout::Lines, Layout::Any])?;
    match bytes.int_in_range(0..=7_u8)? {
        0 => value(bytes, 0, out),
        1 | 2 => {
            for index in 0..bytes.int_in_range(1..=6_u8)? {
                out.push(if index == 0 { '[' } else { ',' });
                space(bytes, layout, "\n", out)?;
                message(bytes, layout, 1, out)?;
            }
            out.push(']');
            Ok(())
        }
        _ => message(bytes, layout, 0, out),
    }
}

/// A call or its answer: usually in the common order, and without other members.
fn message(bytes: &mut Unstructured<'_>, layout: Layout, depth: usize, out: &mut String) -> Result<()> {
    let mut members = match bytes.int_in_range(0..=3_u8)? {
        0 => vec!["jsonrpc", "id", "method", "params"],
        1 => vec!["jsonrpc", "method", "params"],
        2 => vec!["jsonrpc", "id", "result"],
        _ => vec!["jsonrpc", "id", "error"],
    };
    // both of a byte that is mostly zero where nothing more was decided
    let swap: u8 = bytes.arbitrary()?;
    let (one, other) = (usize::from(swap & 3), usize::from(swap >> 2 & 3));
    if one.max(other) < members.len() {
        members.swap(one, other);
    }
    if swap & 0xC0 == 0xC0 {
        members.insert(
            one.min(members.len()),
            *bytes.choose(&["_meta", "meta", "i", "iD", "method", "id", "", "é", "resultx"])?,
        );
    }
    object(bytes, layout, depth, &members, out)
}

fn object(
    bytes: &mut Unstructured<'_>,
    layout: Layout,
    depth: usize,
    members: &[&str],
    out: &mut String,
) -> Result<()> {
    out.push('{');
    for (index, name) in members.iter().enumerate() {
        out.push_str(if index > 0 { "," } else { "" });
        space(bytes, layout, "\n  ", out)?;
        if bytes.ratio(1, 8)? {
            grammar::spelled(name, bytes.arbitrary()?, out);
        } else {
            out.push_str(&format!("\"{name}\""));
        }
        if let Layout::Any = layout {
            space(bytes, layout, "", out)?;
        }
        out.push(':');
        space(bytes, layout, " ", out)?;
        member(bytes, layout, depth + 1, name, out)?;
    }
    space(bytes, layout, "\n", out)?;
    out.push('}');
    Ok(())
}

/// The value of a member, mostly of the kind that belongs there.
fn member(bytes: &mut Unstructured<'_>, layout: Layout, depth: usize, name: &str, out: &mut String) -> Result<()> {
    match name {
        _ if bytes.ratio(1, 16)? => value(bytes, depth, out),
        "jsonrpc" => {
            out.push_str("\"2.0\"");
            Ok(())
        }
        "id" | "code" if bytes.ratio(3, 4)? => grammar::number(bytes, out),
        "method" | "id" | "message" => grammar::string(bytes, out),
        "error" => {
            let all = &["code", "message", "data"];
            let some = if bytes.arbitrary()? { &all[..] } else { &all[..2] };
            object(bytes, layout, depth, some, out)
        }
        _ => value(bytes, depth, out),
    }
}

/// A value inside of `depth` brackets: any, one that nests up to the limit or one bracket further, or a long one.
fn value(bytes: &mut Unstructured<'_>, depth: usize, out: &mut String) -> Result<()> {
    match bytes.int_in_range(0..=7_u8)? {
        0 => {
            let shape: u8 = bytes.arbitrary()?;
            let brackets = (MAX_DEPTH + 1).saturating_sub(depth + usize::from(shape & 3));
            let is_object = |nth: usize| shape >> (2 + nth % 6) & 1 != 0;
            (0..brackets).for_each(|nth| out.push_str(if is_object(nth) { "{\"a\":" } else { "[" }));
            out.push('1');
            (0..brackets).rev().for_each(|nth| out.push(if is_object(nth) { '}' } else { ']' }));
            Ok(())
        }
        1 => {
            let (piece, times): (u8, u8) = bytes.arbitrary()?;
            let pieces = ["é", "😀", "abcdefg", "\\n", "\\\\", "\\u00e9", "\\ud83d\\udE00", "\\\""];
            out.push('"');
            out.push_str(&pieces[usize::from(piece & 7)].repeat(usize::from(times) + 1));
            out.push('"');
            Ok(())
        }
        2 => {
            let mut piece = String::new();
            grammar::value(bytes, 1, &mut piece)?;
            let pieces = vec![piece; bytes.int_in_range(1..=80)?];
            out.push_str(&format!("[{}]", pieces.join(",")));
            Ok(())
        }
        _ => grammar::value(bytes, 4, out),
    }
}

/// White space, if this layout has it at `between`.
fn space(bytes: &mut Unstructured<'_>, layout: Layout, between: &str, out: &mut String) -> Result<()> {
    match layout {
        Layout::Compact => {}
        Layout::Blanks => out.push_str(if between.is_empty() { "" } else { " " }),
        Layout::Lines => out.push_str(between),
        Layout::Any => grammar::space(bytes, out)?,
    }
    Ok(())
}
