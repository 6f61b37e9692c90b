//! The [grammar](crate::json::grammar) for hosts.
//!
//! The position in the code is the state. Most tokens are identified by two bytes at once: a comma and the first byte of the next value, or
//! a quotation mark and a colon.

use super::SHORTEST;
use super::lex::{LEN, Lex, Short, Window, number, numbers, space, string, string_from};
use super::word::{begins_with, byte, chunk, eight, two};
use crate::json::grammar::{AFTER_VALUE, COLON, NAME, Open, State, VALUE, opened};
use crate::json::scan::Checkpoint;

/// The number of numeric array elements before the search for blocks of numbers starts; it doubles after each failed search.
const MANY: u32 = 5;

/// The number of bytes of a container that are read before a window is faster.
const SHORT: usize = 24;

/// value = false / null / true / object / array / number / string
///
/// Returns the end of the value that begins with `first` at `at`; `around` are the open brackets around it. `None` if the value is not
/// valid, or if this pass cannot decide; the text is then valid up to `checkpoint`.
#[inline(always)]
pub(super) fn value(
    text: &[u8],
    at: usize,
    first: u8,
    around: Open,
    is_element: bool,
    checkpoint: &mut Checkpoint,
) -> Option<usize> {
    let end = match first {
        b'"' => match string(text, &mut Short, at.wrapping_add(1)) {
            Ok(end) => return Some(end.wrapping_add(1)),
            Err(valid) => return refuse(checkpoint, valid, around, VALUE, true),
        },
        b'{' | b'[' => {
            return if is_element {
                // not a call, because elements are many and short
                values(text, &mut Short, at, around, around, checkpoint)
            } else if text.len().wrapping_sub(at) > LEN {
                long(text, at, around, around, checkpoint)
            } else {
                short(text, at, around, checkpoint)
            };
        }
        // refuses the bytes up to 9 that begin no number
        ..=b'9' => number(text, at, first, !is_element),
        _ => literal(text, at),
    };
    if end.is_some() { end } else { refuse(checkpoint, at, around, VALUE, false) }
}

/// Sets the `checkpoint`: the text is valid up to `at`. Always returns `None`.
#[cold]
#[inline(never)]
pub(super) fn refuse<T>(checkpoint: &mut Checkpoint, at: usize, open: Open, expect: u32, in_string: bool) -> Option<T> {
    *checkpoint = Checkpoint { at, state: State { open, expect }, in_string };
    None
}

#[inline(never)]
fn short(text: &[u8], at: usize, around: Open, checkpoint: &mut Checkpoint) -> Option<usize> {
    values(text, &mut Short, at, around, around, checkpoint)
}

/// The bracket that closes the innermost open one; ] and } differ in one bit.
#[inline(always)]
const fn closing(open: Open) -> u8 {
    let [lowest, ..] = open.to_le_bytes();
    b']' | lowest << 5 & 0x20
}

/// Reads from the value at `at`, inside the `open` brackets, to the bracket after which only `around` is open. Returns the offset after it.
///
/// The innermost bracket of `around` must not be an array, because [`numbers::skip`] closes arrays without comparing with `around`.
#[inline(never)]
pub(super) fn long(text: &[u8], at: usize, open: Open, around: Open, checkpoint: &mut Checkpoint) -> Option<usize> {
    values(text, &mut Window::new(), at, open, around, checkpoint)
}

const QUOTE_COLON: u32 = u32::from_le_bytes(*b"\":\0\0");

/// false / null / true
#[inline(always)]
fn literal(text: &[u8], at: usize) -> Option<usize> {
    let word = eight(text, at);
    let len = if begins_with(word, b"true") || begins_with(word, b"null") {
        4
    } else if begins_with(word, b"false") {
        5
    } else {
        return None;
    };
    Some(at.wrapping_add(len))
}

/// [`long`] with any lexer.
#[inline(always)]
fn values<L: Lex>(
    text: &[u8],
    lex: &mut L,
    mut at: usize,
    mut open: Open,
    around: Open,
    checkpoint: &mut Checkpoint,
) -> Option<usize> {
    debug_assert!(around & 1 != 0, "not in an array");
    // never true; the compiler then knows the length
    if text.len() < SHORTEST {
        return refuse(checkpoint, at, open, VALUE, false);
    }
    // the offset at which a container that was read as short is long enough for a window
    let enough_left = text.len().wrapping_sub(at) > SHORT + LEN;
    let limit = if enough_left { at.wrapping_add(SHORT) } else { usize::MAX };
    let (mut many, mut enough) = (0u32, MANY);
    let mut first = byte(text, at);
    let expect = 'refused: {
        'value: loop {
            if !L::IS_LONG && at >= limit {
                return long(text, at, open, around, checkpoint);
            }
            // string = quotation-mark *char quotation-mark
            if first == b'"' {
                match string(text, lex, at.wrapping_add(1)) {
                    Ok(end) => at = end.wrapping_add(1),
                    Err(valid) => {
                        at = valid;
                        break 'refused VALUE | IN_STRING;
                    }
                }
            } else {
                match first {
                    // refuses the bytes up to 9 that begin no number
                    ..=b'9' => {
                        let Some(end) = number(text, at, first, false) else { break 'refused VALUE };
                        at = end;
                        if L::IS_LONG && open & 1 == 0 {
                            many = many.wrapping_add(1);
                            if many >= enough {
                                let (comma, separator) = space(text, lex, at);
                                if separator == b',' {
                                    many = 0;
                                    let start = comma.wrapping_add(1);
                                    (at, open) = numbers::skip(text, start, open);
                                    if at == start {
                                        enough = enough.saturating_mul(2);
                                    }
                                    (at, first) = space(text, lex, at);
                                    continue 'value;
                                }
                            }
                        }
                    }
                    // begin-object = ws %x7B ws ; begin-array = ws %x5B ws
                    b'{' | b'[' => {
                        let is_object = first == b'{';
                        let Some(inside) = opened(open, is_object.into()) else { break 'refused VALUE };
                        open = inside;
                        (at, first) = space(text, lex, at.wrapping_add(1));
                        if is_object {
                            if first == b'"' {
                                let reached;
                                (reached, first) = name(text, lex, at.wrapping_add(1));
                                at = reached.at;
                                if reached.refused != ACCEPTED {
                                    break 'refused reached.refused;
                                }
                                continue 'value;
                            }
                            if first != b'}' {
                                break 'refused NAME;
                            }
                        } else if first != b']' {
                            continue 'value;
                        }
                    }
                    _ => {
                        let Some(end) = literal(text, at) else { break 'refused VALUE };
                        at = end;
                    }
                }
            }
            // at the end of a value, or between an opening bracket and its closing one
            loop {
                let pair = two(text, at);
                let [mut this, mut next] = pair.to_le_bytes();
                if this <= b' ' {
                    at = lex.white_space(text, at, || pair);
                    [this, next] = two(text, at).to_le_bytes();
                }
                // value-separator = ws %x2C ws
                if this == b',' {
                    at = at.wrapping_add(1);
                    if open & 1 == 0 {
                        first = next;
                        if first <= b' ' {
                            at = lex.white_space(text, at, || two(text, at));
                            first = byte(text, at);
                        }
                    } else {
                        if next != b'"' {
                            if next <= b' ' {
                                at = lex.white_space(text, at, || two(text, at));
                            }
                            if byte(text, at) != b'"' {
                                break 'refused NAME;
                            }
                        }
                        let reached;
                        (reached, first) = name(text, lex, at.wrapping_add(1));
                        at = reached.at;
                        if reached.refused != ACCEPTED {
                            break 'refused reached.refused;
                        }
                    }
                    continue 'value;
                }
                // end-object = ws %x7D ws ; end-array = ws %x5D ws
                if this != closing(open) {
                    break 'refused AFTER_VALUE;
                }
                open >>= 1;
                at = at.wrapping_add(1);
                if open == around {
                    return Some(at);
                }
            }
        }
    };
    refuse(checkpoint, at, open, expect & !IN_STRING, expect & IN_STRING != 0)
}

/// The offset that the pass has reached, and `refused`: [`ACCEPTED`], or the grammar state there, plus [`IN_STRING`] inside a string.
///
/// Two numbers, because an enum of three cases would be returned through memory.
#[derive(Clone, Copy)]
struct Reached {
    at: usize,
    refused: u32,
}

/// Nothing is refused.
const ACCEPTED: u32 = 0;
const IN_STRING: u32 = 1 << 31;
const _: () = assert!((NAME | COLON | VALUE | AFTER_VALUE) & IN_STRING == 0 && NAME != ACCEPTED && COLON != ACCEPTED);

/// string name-separator: from the first character of the name, at `inside`, to the value. Also returns the first byte of the value.
#[inline(always)]
fn name<L: Lex>(text: &[u8], lex: &mut L, inside: usize) -> (Reached, u8) {
    let end = lex.special(text, inside);
    // compare as a word, because LLVM compares array patterns byte by byte
    let next = chunk(text, end).map_or(0, |next| u32::from_le_bytes(*next));
    if next & 0xFFFF == QUOTE_COLON {
        let [_, _, first, second] = next.to_le_bytes();
        if first > b' ' {
            return (Reached { at: end.wrapping_add(2), refused: ACCEPTED }, first);
        }
        if first == b' ' && second > b' ' {
            return (Reached { at: end.wrapping_add(3), refused: ACCEPTED }, second);
        }
    }
    let reached = other_name(text, lex, end);
    (reached, byte(text, reached.at))
}

/// [`name`] for a name that is escaped or not ASCII, has white space around its colon, or ends less than four bytes before the text does.
/// `special` is the offset of its first special byte.
#[inline(never)]
fn other_name<L: Lex>(text: &[u8], lex: &mut L, special: usize) -> Reached {
    match string_from(text, lex, special) {
        Ok(end) => {
            let (at, colon) = space(text, lex, end.wrapping_add(1));
            if colon != b':' {
                return Reached { at, refused: COLON };
            }
            let (at, _) = space(text, lex, at.wrapping_add(1));
            Reached { at, refused: ACCEPTED }
        }
        Err(valid) => Reached { at: valid, refused: NAME | IN_STRING },
    }
}
