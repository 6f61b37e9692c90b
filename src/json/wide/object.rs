//! The outermost object, of which members are noted: of a text that is to be validated, or that has been.

use super::super::noted::{Names, Noted, Place};
use super::trusted;
use super::value::{self, Find, Open, Words};
use super::word::{self, byte, two};

/// How values and strings are read: with or without doubt.
pub(super) trait Read {
    /// Where the value at `at` ends, around which `open` are open.
    fn value(text: &[u8], at: usize, open: Open) -> Option<usize>;

    /// Where the string ends whose first char, behind the quotation mark, is at `at`.
    fn string(text: &[u8], at: usize) -> Option<usize>;
}

/// Refuses what is not valid.
pub(super) struct Validate;

impl Read for Validate {
    #[inline(always)]
    fn value(text: &[u8], at: usize, open: Open) -> Option<usize> {
        value::value(text, at, open)
    }

    #[inline(always)]
    fn string(text: &[u8], at: usize) -> Option<usize> {
        Words.string(text, at)
    }
}

/// Looks only for ends, in what has been validated.
pub(super) struct Trust;

impl Read for Trust {
    #[inline(always)]
    fn value(text: &[u8], at: usize, _: Open) -> Option<usize> {
        Some(trusted::value(text, at))
    }

    #[inline(always)]
    fn string(text: &[u8], at: usize) -> Option<usize> {
        Some(trusted::string(text, at))
    }
}

/// The outermost object, which begins at `at`. Notes the members that are in `names` and says where it ends.
#[inline(always)]
pub(super) fn object<'a, R: Read>(text: &'a [u8], at: usize, names: &Names, noted: &mut Noted<'a>) -> Option<usize> {
    members::<R>(text, at, Place::OUTERMOST.inside(true), names, noted, |noted, place, at| {
        if place == Place::NESTED && byte(text, at) == b'{' {
            return nested::<R>(text, at, names, noted);
        }
        R::value(text, at, OUTER)
    })
}

/// The object under [`Place::NESTED`].
#[inline(never)]
fn nested<'a, R: Read>(text: &'a [u8], at: usize, names: &Names, noted: &mut Noted<'a>) -> Option<usize> {
    members::<R>(text, at, Place::NESTED.inside(true), names, noted, |_, _, at| R::value(text, at, INNER))
}

// what is open around the value of a member
const OUTER: Open = 0b11;
const INNER: Open = 0b111;

/// object = begin-object [ member *( value-separator member ) ] end-object
///
/// `other` is the place of members that are not in `names`. `value` is given the place of a member and where its value
/// begins, and says where that ends.
#[inline(always)]
fn members<'a, R: Read>(
    text: &'a [u8],
    at: usize,
    other: Place,
    names: &Names,
    noted: &mut Noted<'a>,
    value: impl Fn(&mut Noted<'a>, Place, usize) -> Option<usize>,
) -> Option<usize> {
    let mut at = word::white_space(text, at.wrapping_add(1));
    if byte(text, at) == b'}' {
        return Some(at.wrapping_add(1));
    }
    // member = string name-separator value
    if byte(text, at) != b'"' {
        return None;
    }
    loop {
        let (place, start) = name::<R>(text, at.wrapping_add(1), other, names, noted)?;
        let end = value(noted, place, start)?;
        if place != other {
            noted.end(place, text.len().wrapping_sub(end));
        }
        // mostly another member follows at once
        if two(text, end) == *b",\"" {
            at = end.wrapping_add(1);
            continue;
        }
        at = word::white_space(text, end);
        match byte(text, at) {
            b',' => at = word::white_space(text, at.wrapping_add(1)),
            b'}' => return Some(at.wrapping_add(1)),
            _ => return None,
        }
        if byte(text, at) != b'"' {
            return None;
        }
    }
}

/// string name-separator
///
/// From behind the quotation mark that opens the name: the place of the member, and where its value begins.
#[inline(always)]
fn name<'a, R: Read>(
    text: &'a [u8],
    inside: usize,
    other: Place,
    names: &Names,
    noted: &mut Noted<'a>,
) -> Option<(Place, usize)> {
    // mostly it is one of the names, without escapes and with the colon right behind it
    if let Some((place, len)) = names.find_word(other, word::eight(text, inside)) {
        let end = inside.wrapping_add(len);
        if byte(text, end) == b':' {
            let start = word::white_space(text, end.wrapping_add(1));
            return Some((noted.begin_at(place, text.get(start..).unwrap_or_default()), start));
        }
    }
    unusual_name::<R>(text, inside, other, names, noted)
}

/// The same for a name that is not in `names`, or is escaped, or stands before white space.
#[inline(never)]
fn unusual_name<'a, R: Read>(
    text: &'a [u8],
    inside: usize,
    other: Place,
    names: &Names,
    noted: &mut Noted<'a>,
) -> Option<(Place, usize)> {
    let start = value::colon(text, R::string(text, inside)?)?;
    Some((noted.begin(names, other, text.get(inside..).unwrap_or_default()), start))
}
