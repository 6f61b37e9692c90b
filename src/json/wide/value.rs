//! Values: the grammar.
//!
//! Each function for a token is given the place where it begins and what is seen from there. It goes on to where the token
//! ends, and returns the eight bytes that follow: mostly they tell what comes next.

use super::super::scan::{AFTER_VALUE, COLON, MAX_DEPTH, NAME, VALUE};
use super::cursor::{Ahead, Cursor, End, byte, sixteen, word};
use super::reached::Reached;
use super::trusted::short_container;
use super::word::{begins_with, behind, first};
use super::{numbers, scalar, space, string, structure};

/// The brackets that are open, the innermost in the lowest bit: 1 an object, 0 an array. The topmost set bit is a
/// sentinel.
pub(super) type Open = u64;

/// No bracket is open.
pub(super) const NONE: Open = 1;

pub(super) const OBJECT: Open = 1;

pub(super) const fn opened(open: Open, bit: Open) -> Option<Open> {
    if open >> MAX_DEPTH != 0 { None } else { Some(open << 1 | bit) }
}

/// value = false / null / true / object / array / number / string
///
/// The value at `start` of what is ahead, around which `open` are open; `None` if it is not valid.
#[inline(always)]
pub(super) fn value(
    cursor: &mut Cursor<'_>,
    ahead: &Ahead,
    start: usize,
    open: Open,
    reached: &mut Reached,
) -> Option<u64> {
    match byte(ahead, start) {
        b'"' => string::string(cursor, ahead, start, reached),
        opening @ (b'{' | b'[') => {
            // what closes is two above what opens
            if byte(ahead, start.wrapping_add(1)).wrapping_sub(opening) == 2 {
                cursor.skip(start.wrapping_add(2))?;
                return Some(word(ahead, start.wrapping_add(2)));
            }
            cursor.skip(start)?;
            // of few bytes no block is made, however many follow
            let is_long = cursor.rest().len() >= MANY_BYTES && short_container(sixteen(cursor.ahead(), 1)).is_none();
            values(cursor, is_long, open, open, reached)?;
            Some(cursor.word())
        }
        b'-' => scalar::number(cursor, ahead, start, 1, open, reached),
        b'0'..=b'9' => scalar::number(cursor, ahead, start, 0, open, reached),
        _ => scalar::next_literal(cursor, ahead, start, open, reached),
    }
}

/// ws value *( value-separator value ) end-array
///
/// What is left of an array, around which `around` are open, from an element on.
#[inline(always)]
pub(super) fn elements(cursor: &mut Cursor<'_>, around: Open, reached: &mut Reached) -> Option<()> {
    space::skip(cursor)?;
    values(cursor, cursor.rest().len() >= MANY_BYTES, around << 1, around, reached)
}

/// From a value, which is in what is `open`, to behind the bracket that leaves only `around` open.
#[inline(always)]
fn values(cursor: &mut Cursor<'_>, is_long: bool, open: Open, around: Open, reached: &mut Reached) -> Option<()> {
    let len = if is_long {
        structure::container(cursor.rest(), open, around, cursor.at(), reached)?
    } else {
        let (rest, limit, end) = cursor.parts();
        container(rest, limit, end, open, around, reached)?
    };
    cursor.skip(len)
}

/// Where so many bytes are left, [blocks](structure) are faster than tokens.
const MANY_BYTES: usize = 512;

/// After so many elements of arrays that may be numbers it may pay to look whether there are many.
const MANY_NUMBERS: u32 = 5;

/// object = begin-object [ member *( value-separator member ) ] end-object
/// array = begin-array [ value *( value-separator value ) ] end-array
///
/// As [`values`]. Returns the length.
#[inline(never)]
fn container(
    rest: &[u8],
    limit: usize,
    end: Option<&End>,
    mut open: Open,
    around: Open,
    reached: &mut Reached,
) -> Option<usize> {
    let mut cursor = Cursor::of_parts(rest, limit, end);
    let start = cursor.at();
    let (mut numbers, mut many) = (0u32, MANY_NUMBERS);
    // a value stands so many bytes from here: the first one at once, all others behind a separator
    let mut ahead_of = 0;
    'value: loop {
        let ahead = cursor.ahead();
        let at = ahead_of;
        ahead_of = 1;
        let mut next;
        match byte(ahead, at) {
            b'"' => next = string::string(&mut cursor, ahead, at, reached)?,
            b'{' => {
                cursor.skip(at)?;
                let Some(inside) = opened(open, OBJECT) else { return reached.token(cursor.at(), open, VALUE) };
                open = inside;
                if byte(ahead, at.wrapping_add(1)) != b'"' {
                    space::skip_behind(&mut cursor)?;
                }
                match byte(cursor.ahead(), 1) {
                    b'"' => match member(&mut cursor, open, reached)? {
                        Some(word) => next = word,
                        None => continue 'value,
                    },
                    b'}' => {
                        cursor.skip(1)?;
                        next = u64::from(b'}');
                    }
                    _ => return reached.token(cursor.at().wrapping_add(1), open, NAME),
                }
            }
            b'[' => {
                cursor.skip(at)?;
                let Some(inside) = opened(open, 0) else { return reached.token(cursor.at(), open, VALUE) };
                open = inside;
                if byte(ahead, at.wrapping_add(1)) <= b' ' {
                    space::skip_behind(&mut cursor)?;
                }
                if byte(cursor.ahead(), 1) != b']' {
                    continue 'value;
                }
                cursor.skip(1)?;
                next = u64::from(b']');
            }
            b'-' => next = scalar::number(&mut cursor, ahead, at, 1, open, reached)?,
            b'0'..=b'9' => next = scalar::number(&mut cursor, ahead, at, 0, open, reached)?,
            _ => next = scalar::next_literal(&mut cursor, ahead, at, open, reached)?,
        }
        // a value has ended, or an opening bracket stands before its closing one
        loop {
            if first(next) <= b' ' {
                // perhaps there is only no more in the word
                space::skip(&mut cursor)?;
                next = cursor.word();
            }
            if first(next) == b',' {
                let begins = first(behind(next, 1));
                if open & OBJECT != 0 {
                    if begins != b'"' {
                        space::skip_behind(&mut cursor)?;
                        if byte(cursor.ahead(), 1) != b'"' {
                            return reached.token(cursor.at().wrapping_add(1), open, NAME);
                        }
                    }
                    match member(&mut cursor, open, reached)? {
                        Some(word) => {
                            next = word;
                            continue;
                        }
                        None => continue 'value,
                    }
                }
                if begins <= b' ' {
                    space::skip_behind(&mut cursor)?;
                }
                numbers = numbers.wrapping_add(u32::from(begins <= b'9'));
                if numbers >= many {
                    numbers = 0;
                    let len = numbers::skip(cursor.rest().get(1..)?);
                    // who is disappointed asks more seldom
                    many = if len == 0 { many.saturating_mul(2) } else { MANY_NUMBERS };
                    cursor.skip(len)?;
                    space::skip_behind(&mut cursor)?;
                }
                continue 'value;
            }
            if first(next) != closing(open) {
                return reached.token(cursor.at(), open, AFTER_VALUE);
            }
            cursor.skip(1)?;
            next = behind(next, 1);
            open >>= 1;
            if open == around {
                return Some(cursor.at().wrapping_sub(start));
            }
        }
    }
}

/// What closes the innermost bracket.
#[inline(always)]
pub(super) const fn closing(open: Open) -> u8 {
    if open & OBJECT != 0 { b'}' } else { b']' }
}

/// member = name name-separator value
///
/// The member whose name is opened behind the byte here. Of a short name the value is read, too, unless it is an object or
/// array: then the word that follows is returned. Otherwise goes up to the byte before the value, and returns `Some(None)`.
///
/// One look at 32 bytes tells where the name ends and, mostly, where a string behind it does: so that the second need not
/// wait for the first.
#[inline(always)]
#[expect(clippy::option_option, reason = "the outer one refuses")]
pub(super) fn member(cursor: &mut Cursor<'_>, open: Open, reached: &mut Reached) -> Option<Option<u64>> {
    let ahead = cursor.ahead();
    let near = string::special(sixteen(ahead, 2));
    if near == 0 {
        return unusual_name(cursor, open, reached).map(|()| None);
    }
    let len = near.trailing_zeros() as usize;
    let next = word(ahead, len.wrapping_add(2));
    if !begins_with(next, b"\":") {
        return unusual_name(cursor, open, reached).map(|()| None);
    }
    let mut start = len.wrapping_add(4);
    let mut begins = first(behind(next, 2));
    if begins == b' ' {
        start = start.wrapping_add(1);
        begins = first(behind(next, 3));
    }
    match begins {
        b'"' => {
            // without the quotation marks that close the name and open the value
            let special = near | string::special(sixteen(ahead, 18)) << 16;
            let special = special & special.wrapping_sub(1);
            let special = special & special.wrapping_sub(1);
            if special != 0 {
                let len = special.trailing_zeros() as usize;
                let next = word(ahead, len.wrapping_add(2));
                if first(next) == b'"' {
                    cursor.skip(len.wrapping_add(3))?;
                    return Some(Some(behind(next, 1)));
                }
            }
        }
        b'-' => return scalar::number(cursor, ahead, start, 1, open, reached).map(Some),
        b'0'..=b'9' => return scalar::number(cursor, ahead, start, 0, open, reached).map(Some),
        b'a'..=b'z' => return scalar::next_literal(cursor, ahead, start, open, reached).map(Some),
        0..=b' ' => return unusual_name(cursor, open, reached).map(|()| None),
        _ => {}
    }
    cursor.skip(start.wrapping_sub(1))?;
    Some(None)
}

/// string name-separator: from the byte before the quotation mark to the one before the value behind the colon.
#[inline(always)]
fn unusual_name(cursor: &mut Cursor<'_>, open: Open, reached: &mut Reached) -> Option<()> {
    let start = cursor.at();
    let end = long_name(*cursor, open, reached)?;
    cursor.skip(end.wrapping_sub(start).wrapping_sub(1))?;
    Some(())
}

#[inline(never)]
fn long_name(mut cursor: Cursor<'_>, open: Open, reached: &mut Reached) -> Option<usize> {
    let ahead = cursor.ahead();
    let next = string::string(&mut cursor, ahead, 1, reached)?;
    colon(&mut cursor, next, open, reached)?;
    Some(cursor.at())
}

/// name-separator = ws %x3A ws
///
/// `next` is the word here.
#[inline(always)]
pub(super) fn colon(cursor: &mut Cursor<'_>, next: u64, open: Open, reached: &mut Reached) -> Option<()> {
    if first(next) == b':' && first(behind(next, 1)) > b' ' {
        cursor.skip(1)?;
        return Some(());
    }
    space::skip(cursor)?;
    if cursor.byte() != b':' {
        return reached.token(cursor.at(), open, COLON);
    }
    cursor.skip(1)?;
    space::skip(cursor)?;
    Some(())
}
