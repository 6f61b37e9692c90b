//! Values: the grammar, over whatever finds the ends of strings and numbers.

use super::super::scan::MAX_DEPTH;
use super::window::Window;
use super::word::{byte, two};
use super::{scalar, string, word};

/// The brackets that are open, the innermost in the lowest bit: 1 an object, 0 an array. The topmost set bit is a
/// sentinel.
pub(super) type Open = u64;

/// No bracket is open.
pub(super) const NONE: Open = 1;

const fn opened(open: Open, bit: Open) -> Option<Open> {
    if open >> MAX_DEPTH != 0 { None } else { Some(open << 1 | bit) }
}

/// What finds the end of a token. Each function is given where to look, and says where the token ends.
pub(super) trait Find {
    /// Whether lines are indented, so that a comma is followed by white space.
    const INDENTED: bool;

    /// The rest of a string, from behind its opening quotation mark to behind the closing one.
    fn string(&mut self, text: &[u8], at: usize) -> Option<usize>;

    /// The first special byte of the string: mostly its closing quotation mark.
    fn special(&mut self, text: &[u8], at: usize) -> usize;

    /// The number that begins at `at` with `first`.
    fn number(&mut self, text: &[u8], at: usize, first: u8) -> Option<usize>;

    /// White space, if there is any.
    fn white_space(&mut self, text: &[u8], at: usize) -> usize;

    /// Many numbers of the array that is open around `at`: where the first value stands that is not one of them.
    fn numbers(&mut self, text: &[u8], at: usize) -> usize;
}

/// Finds in words of eight bytes: for what is too short to be worth a [`Window`].
pub(super) struct Words;

impl Find for Words {
    const INDENTED: bool = false;

    #[inline(always)]
    fn string(&mut self, text: &[u8], at: usize) -> Option<usize> {
        let end = word::find_special(text, at);
        if byte(text, end) == b'"' { Some(end.wrapping_add(1)) } else { string::rest(text, end) }
    }

    #[inline(always)]
    fn special(&mut self, text: &[u8], at: usize) -> usize {
        word::find_special(text, at)
    }

    #[inline(always)]
    fn number(&mut self, text: &[u8], at: usize, _: u8) -> Option<usize> {
        scalar::number(text, at)
    }

    #[inline(always)]
    fn white_space(&mut self, text: &[u8], at: usize) -> usize {
        word::white_space(text, at)
    }

    #[inline(always)]
    fn numbers(&mut self, _: &[u8], at: usize) -> usize {
        at
    }
}

/// value = false / null / true / object / array / number / string
///
/// Says where the value at `at` ends, around which `open` are open; `None` if there is no valid one.
#[inline(always)]
pub(super) fn value(text: &[u8], at: usize, open: Open) -> Option<usize> {
    match byte(text, at) {
        b'"' => Words.string(text, at.wrapping_add(1)),
        b'{' | b'[' => container(text, at, open),
        b'-' | b'0'..=b'9' => scalar::number(text, at),
        _ => scalar::literal(text, at),
    }
}

/// From here on a window pays.
const WORTH_A_WINDOW: usize = 72;

/// The object or array at `at`.
#[inline(always)]
fn container(text: &[u8], at: usize, open: Open) -> Option<usize> {
    if text.len().wrapping_sub(at) < WORTH_A_WINDOW {
        in_words(text, at, open)
    } else if matches!(byte(text, at.wrapping_add(1)), b'\n' | b'\r') {
        in_indented_windows(text, at, open)
    } else {
        in_windows(text, at, open)
    }
}

#[inline(never)]
fn in_words(text: &[u8], at: usize, open: Open) -> Option<usize> {
    skip(text, at, open, &mut Words)
}

#[inline(never)]
fn in_windows(text: &[u8], at: usize, open: Open) -> Option<usize> {
    skip(text, at, open, &mut Window::<false>::new(text, at))
}

#[inline(never)]
fn in_indented_windows(text: &[u8], at: usize, open: Open) -> Option<usize> {
    skip(text, at, open, &mut Window::<true>::new(text, at))
}

/// After so many numbers in a row more are expected.
const MANY_NUMBERS: u32 = 5;

/// object = begin-object [ member *( value-separator member ) ] end-object
/// array = begin-array [ value *( value-separator value ) ] end-array
#[inline(always)]
fn skip<F: Find>(text: &[u8], mut at: usize, around: Open, find: &mut F) -> Option<usize> {
    const OBJECT: Open = 1;
    let mut open = around;
    // numbers in a row
    let mut numbers = 0u32;
    'value: loop {
        let first = byte(text, at);
        match first {
            b'"' => {
                numbers = 0;
                at = find.string(text, at.wrapping_add(1))?;
            }
            b'-' | b'0'..=b'9' => {
                at = find.number(text, at, first)?;
                numbers = numbers.wrapping_add(1);
                if numbers >= MANY_NUMBERS && open & OBJECT == 0 && byte(text, at) == b',' {
                    numbers = 0;
                    at = find.numbers(text, at.wrapping_add(1));
                    at = find.white_space(text, at);
                    continue 'value;
                }
            }
            b'{' => {
                open = opened(open, OBJECT)?;
                at = find.white_space(text, at.wrapping_add(1));
                if byte(text, at) != b'}' {
                    at = name(text, at, find)?;
                    continue 'value;
                }
                at = at.wrapping_add(1);
                open >>= 1;
                if open == around {
                    return Some(at);
                }
            }
            b'[' => {
                open = opened(open, 0)?;
                at = find.white_space(text, at.wrapping_add(1));
                if byte(text, at) != b']' {
                    continue 'value;
                }
                at = at.wrapping_add(1);
                open >>= 1;
                if open == around {
                    return Some(at);
                }
            }
            _ => at = scalar::literal(text, at)?,
        }
        // a value has ended
        loop {
            let is_object = open & OBJECT != 0;
            // the most frequent in one look: another member, or another string
            if !F::INDENTED && two(text, at) == *b",\"" {
                at = at.wrapping_add(2);
                if is_object {
                    at = name_inside(text, at, find)?;
                    continue 'value;
                }
                numbers = 0;
                at = find.string(text, at)?;
                continue;
            }
            at = find.white_space(text, at);
            let next = byte(text, at);
            if next == b',' {
                at = find.white_space(text, at.wrapping_add(1));
                if is_object {
                    at = name(text, at, find)?;
                }
                continue 'value;
            }
            if next != if is_object { b'}' } else { b']' } {
                return None;
            }
            at = at.wrapping_add(1);
            open >>= 1;
            if open == around {
                return Some(at);
            }
        }
    }
}

/// string name-separator: from the name at `at` to the value behind it.
#[inline(always)]
fn name(text: &[u8], at: usize, find: &mut impl Find) -> Option<usize> {
    if byte(text, at) == b'"' { name_inside(text, at.wrapping_add(1), find) } else { None }
}

/// The same from behind the quotation mark that opens the name.
#[inline(always)]
fn name_inside(text: &[u8], at: usize, find: &mut impl Find) -> Option<usize> {
    let end = find.special(text, at);
    if two(text, end) == *b"\":" {
        return Some(find.white_space(text, end.wrapping_add(2)));
    }
    unusual_name(text, end)
}

/// The same from a special byte of the name, or from the quotation mark that closes it.
#[inline(never)]
fn unusual_name(text: &[u8], special: usize) -> Option<usize> {
    let end = if byte(text, special) == b'"' { special.wrapping_add(1) } else { string::rest(text, special)? };
    colon(text, end)
}

/// name-separator = ws %x3A ws
#[inline(always)]
pub(super) fn colon(text: &[u8], at: usize) -> Option<usize> {
    let at = word::white_space(text, at);
    if byte(text, at) == b':' { Some(word::white_space(text, at.wrapping_add(1))) } else { None }
}
