//! The outermost object and its captured members. Members are few and their names are short, so names are compared as
//! words.

use super::SHORTEST;
use super::captured::{BEGINNING, CONTAINER, Captured, NUMBER, OTHER, PLAIN, Seen};
use super::grammar::{refuse, value};
use super::lex::{Lex, Short, long_space, rest, space, string_from, validated};
use super::word::{byte, chunk, eight_of_many, two};
use crate::json::grammar::{AFTER_VALUE, COLON, NAME, NONE_OPEN, Open, VALUE, opened};
use crate::json::name_table::{Known, NameTable, Position};
use crate::json::scan::Checkpoint;

/// The destination of the members.
pub(super) trait Capture<'a> {
    /// The bits of the captured values. The caller of [`whole`](Self::whole) keeps them in a register.
    fn seen(&mut self) -> &mut Seen;

    /// Captures the whole value of the member at `position`; `bits` are the bits of the value for slot 0. Returns `seen` with the bits of this
    /// value; `None` if `value` has none. Calls `value` only if it keeps the value.
    fn whole(
        &mut self,
        seen: Seen,
        position: Position,
        bits: Seen,
        value: impl FnOnce() -> Option<&'a [u8]>,
    ) -> Option<Seen>;

    /// Whether to capture the members of an object under [`Position::NESTED`], given the members `seen` so far.
    fn wants_nested(seen: Seen) -> bool;
}

impl<'a> Capture<'a> for Captured<'a> {
    #[inline(always)]
    fn seen(&mut self) -> &mut Seen {
        Captured::seen(self)
    }

    #[inline(always)]
    fn whole(
        &mut self,
        seen: Seen,
        position: Position,
        bits: Seen,
        value: impl FnOnce() -> Option<&'a [u8]>,
    ) -> Option<Seen> {
        Some(Captured::whole(self, seen, position, value()?, bits))
    }

    fn wants_nested(seen: Seen) -> bool {
        seen >> Position::NESTED.slot() & 1 == 0
    }
}

/// Captures nothing.
pub(super) struct Discard(pub(super) Seen);

impl<'a> Capture<'a> for Discard {
    #[inline(always)]
    fn seen(&mut self) -> &mut Seen {
        &mut self.0
    }

    #[inline(always)]
    fn whole(&mut self, seen: Seen, _: Position, _: Seen, _: impl FnOnce() -> Option<&'a [u8]>) -> Option<Seen> {
        Some(seen)
    }

    fn wants_nested(_: Seen) -> bool {
        false
    }
}

/// Reads the object at `at` inside the open brackets `around` and captures the members that `N` names. Returns the end of the object;
/// `None` if it is not valid.
///
/// `VALIDATED`: the text is valid, so the function looks only for the ends of the values. `INNER`: the object is the
/// one under [`Position::NESTED`].
#[inline(always)]
pub(super) fn object<'a, const VALIDATED: bool, const INNER: bool, N: Known, C: Capture<'a>>(
    text: &'a [u8],
    at: usize,
    around: Open,
    capture: &mut C,
    checkpoint: &mut Checkpoint,
) -> Option<usize> {
    let Some(open) = opened(around, 1) else { return refuse(checkpoint, at, around, VALUE, false) };
    // the length of the text then shows nothing about the length of the members
    let is_element = !INNER && around != NONE_OPEN;
    let mut seen = *capture.seen();
    // ws ( %x2C ws string / %x7D ): not a function, because the compiler would compare the constant that it most often returns
    macro_rules! behind_member {
        ($at:expr, $end:lifetime) => {{
            let pair = two(text, $at);
            let [this, _] = pair.to_le_bytes();
            if pair == COMMA_QUOTE {
                $at.wrapping_add(2)
            } else if this == b'}' {
                break $end ($at.wrapping_add(1), OBJECT_END);
            } else if pair == COMMA_SPACE && byte(text, $at.wrapping_add(2)) == b'"' {
                $at.wrapping_add(3)
            } else {
                match name_after_space(text, $at) {
                    (inside, MEMBER) => inside,
                    other => break $end other,
                }
            }
        }};
    }
    let (end, next) = 'end: {
        let beginning = if INNER { None } else { begins::<N, C>(text, at, &mut seen, capture) };
        let mut at = match beginning {
            Some(end) => behind_member!(end, 'end),
            None => match first_name(text, at.wrapping_add(1)) {
                (inside, MEMBER) => inside,
                other => break 'end other,
            },
        };
        loop {
            let (position, start, first) = member::<INNER, N>(text, at, open, checkpoint)?;
            let bits;
            (at, bits) = match first {
                b'"' => string_value::<VALIDATED>(text, start, open, checkpoint)?,
                b'{' if !INNER && position == Position::NESTED && C::wants_nested(seen) => {
                    *capture.seen() = seen;
                    let end = nested::<VALIDATED, N>(text, start, open, capture, checkpoint)?;
                    seen = *capture.seen();
                    (end, CONTAINER)
                }
                _ => {
                    // a branch for each kind, so that the compiler tests the kind only once
                    let end = other_value::<VALIDATED>;
                    match first {
                        b'{' | b'[' => (end(text, start, first, open, is_element, checkpoint)?, CONTAINER),
                        // refuses the bytes up to 9 that begin no number
                        ..=b'9' => (end(text, start, first, open, is_element, checkpoint)?, NUMBER),
                        _ => (end(text, start, first, open, is_element, checkpoint)?, OTHER),
                    }
                }
            };
            seen = capture.whole(seen, position, bits, || text.get(start..at))?;
            at = behind_member!(at, 'end);
        }
    };
    *capture.seen() = seen;
    if next == OBJECT_END { Some(end) } else { refuse(checkpoint, end, open, next, false) }
}

/// The end of the string that begins at `start`, and its bits.
#[inline(always)]
fn string_value<const VALIDATED: bool>(
    text: &[u8],
    start: usize,
    open: Open,
    checkpoint: &mut Checkpoint,
) -> Option<(usize, Seen)> {
    let special = Short.special(text, start.wrapping_add(1));
    if byte(text, special) == b'"' {
        return Some((special.wrapping_add(1), PLAIN));
    }
    let end = if VALIDATED { Ok(validated::string(text, special)) } else { rest(text, &mut Short, special) };
    match end {
        Ok(end) => Some((end.wrapping_add(1), OTHER)),
        Err(valid) => refuse(checkpoint, valid, open, VALUE, true),
    }
}

/// The end of the value, no string, that begins with `first` at `start`.
#[inline(always)]
fn other_value<const VALIDATED: bool>(
    text: &[u8],
    start: usize,
    first: u8,
    open: Open,
    is_element: bool,
    checkpoint: &mut Checkpoint,
) -> Option<usize> {
    if VALIDATED {
        Some(validated::value(text, start, first))
    } else {
        value(text, start, first, open, is_element, checkpoint)
    }
}

/// An offset and its meaning: the first character of a name ([`MEMBER`]), the end of the object ([`OBJECT_END`]), or,
/// for a text that is not valid, the offset of the fault and the expected token. A pair, because an enum with data
/// would be returned through memory.
type Next = (usize, u32);
const MEMBER: u32 = u32::MAX;
const OBJECT_END: u32 = u32::MAX - 1;

/// ws ( string / %x7D )
#[inline(always)]
fn first_name(text: &[u8], at: usize) -> Next {
    let (at, first) = space(text, &mut Short, at);
    match first {
        b'"' => (at.wrapping_add(1), MEMBER),
        b'}' => (at.wrapping_add(1), OBJECT_END),
        _ => (at, NAME),
    }
}

/// ws ( %x2C ws string / %x7D ), with white space or not valid.
#[inline(never)]
fn name_after_space(text: &[u8], at: usize) -> Next {
    // never true; the compiler then knows the length
    if text.len() < SHORTEST {
        return (at, AFTER_VALUE);
    }
    let (at, separator) = long_space(text, at);
    match separator {
        b',' => {
            let (at, first) = long_space(text, at.wrapping_add(1));
            if first == b'"' { (at.wrapping_add(1), MEMBER) } else { (at, NAME) }
        }
        b'}' => (at.wrapping_add(1), OBJECT_END),
        _ => (at, AFTER_VALUE),
    }
}

const QUOTE_COLON: u16 = u16::from_le_bytes(*b"\":");
const COMMA_QUOTE: u16 = u16::from_le_bytes(*b",\"");
const COMMA_SPACE: u16 = u16::from_le_bytes(*b", ");

/// Fast path: if the object at `at` begins with `N::BEGINNING`, the most frequent first member, or with that and a space after the colon,
/// captures that member and returns its end.
#[inline(always)]
fn begins<'a, N: Known, C: Capture<'a>>(text: &'a [u8], at: usize, seen: &mut Seen, capture: &mut C) -> Option<usize> {
    let front = chunk(text, at)?;
    let (position, start) = const { first_member(&N::BEGINNING) };
    if *front == N::BEGINNING {
        *seen = capture.whole(*seen, position, BEGINNING, || front.get(start..))?;
        return Some(at.wrapping_add(16));
    }
    let end = at.wrapping_add(17);
    if *front == const { spaced(&N::BEGINNING) } && byte(text, end.wrapping_sub(1)) == b'"' {
        let value = || text.get(at.wrapping_add(start).wrapping_add(1)..end);
        *seen = capture.whole(*seen, position, BEGINNING, value)?;
        return Some(end);
    }
    None
}

/// The position of the member in a beginning, and the offset of its value, after the colon.
const fn first_member(beginning: &[u8]) -> (Position, usize) {
    let [_, _, first, ..] = beginning else { return (Position::OTHER, 0) };
    let mut rest = beginning;
    while let [byte, tail @ ..] = rest {
        rest = tail;
        if *byte == b':' {
            break;
        }
    }
    (Position::OTHER.member(*first), beginning.len().wrapping_sub(rest.len()))
}

/// A `beginning` with a space after the colon, without its last byte.
const fn spaced(beginning: &[u8; 16]) -> [u8; 16] {
    let mut spaced = *beginning;
    let (_, start) = first_member(beginning);
    let (mut moved, mut rest) = (b' ', spaced.split_at_mut(start).1);
    while let [byte, tail @ ..] = rest {
        (*byte, moved) = (moved, *byte);
        rest = tail;
    }
    spaced
}

/// Reads the object under [`Position::NESTED`].
#[inline(never)]
pub(super) fn nested<'a, const VALIDATED: bool, N: Known>(
    text: &'a [u8],
    at: usize,
    around: Open,
    capture: &mut impl Capture<'a>,
    checkpoint: &mut Checkpoint,
) -> Option<usize> {
    object::<VALIDATED, true, N, _>(text, at, around, capture, checkpoint)
}

/// string name-separator
///
/// Returns the position of the member whose name begins at `inside`, in the outer or the `INNER` object, the offset of its
/// value, and the first byte of that.
///
/// Compares all names in turn: each is a constant, and correctly predicted branches are nearly free. The name that
/// [`begins`] knows comes last.
#[inline(always)]
fn member<const INNER: bool, N: Known>(
    text: &[u8],
    inside: usize,
    open: Open,
    checkpoint: &mut Checkpoint,
) -> Option<(Position, usize, u8)> {
    let word = eight_of_many(text, inside);
    macro_rules! try_names {
        ($($slot:literal)*) => {$({
            let (name, bits, len) = const { N::NAMES.with_colon($slot | if INNER { 8 } else { 0 }) };
            let end = inside.wrapping_add(len);
            // the word has no room for the colon of the longest names
            if name != 0 && word & bits == name && (len <= 8 || byte(text, end.wrapping_sub(1)) == b':') {
                return Some(value_behind(text, Position::of_slot($slot | if INNER { 8 } else { 0 }), end));
            }
        })*};
    }
    try_names!(5 0 3 4 2 1 7 6);
    let position = if INNER { Position::NESTED.inside() } else { Position::OTHER };
    // A name without escapes, directly before its colon, needs no call. No captured name matched above, so this is an unknown one.
    let special = Short.special(text, inside);
    if two(text, special) == QUOTE_COLON {
        return Some(value_behind(text, position, special.wrapping_add(2)));
    }
    let (position, start) = other_member(text, inside, special, position, N::NAMES, open, checkpoint)?;
    Some((if INNER { position } else { position.outer() }, start, byte(text, start)))
}

/// The `position`, the offset of the value after the `colon`, and the first byte of the value.
#[inline(always)]
fn value_behind(text: &[u8], position: Position, colon: usize) -> (Position, usize, u8) {
    let (start, first) = space(text, &mut Short, colon);
    (position, start, first)
}

/// [`member`] for any name: escaped, not ASCII, or apart from its colon. `special` is the offset of its first special byte.
#[inline(never)]
fn other_member(
    text: &[u8],
    inside: usize,
    special: usize,
    position: Position,
    names: &NameTable,
    open: Open,
    checkpoint: &mut Checkpoint,
) -> Option<(Position, usize)> {
    let (position, end) = match names.spelled_at(text, inside, position) {
        Some(found) => found,
        None => match string_from(text, &mut Short, special) {
            Ok(end) => (position, end.wrapping_add(1)),
            Err(valid) => return refuse(checkpoint, valid, open, NAME, true),
        },
    };
    let (colon, found) = space(text, &mut Short, end);
    if found != b':' {
        return refuse(checkpoint, colon, open, COLON, false);
    }
    Some((position, space(text, &mut Short, colon.wrapping_add(1)).0))
}

#[cfg(test)]
mod tests {
    use super::{Position, first_member, spaced};

    #[test]
    fn a_beginning_tells_its_member_and_where_the_value_stands() {
        let found = |beginning: &[u8]| {
            let (position, start) = first_member(beginning);
            (position.slot(), start)
        };
        assert_eq!(found(br#"{"jsonrpc":"2.0""#), (6, 11));
        assert_eq!(found(br#"{"id":"#), (5, 6));
        assert_eq!(found(b"{"), (Position::OTHER.slot(), 0));
    }

    #[test]
    fn a_beginning_may_have_a_space_after_its_colon() {
        assert_eq!(&spaced(br#"{"jsonrpc":"2.0""#), br#"{"jsonrpc": "2.0"#);
    }
}
