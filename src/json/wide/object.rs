//! The outermost object, of which members are noted: of a text that is to be validated, or that has been.

use super::super::noted::{Names, Noted, Place};
use super::cursor::{Ahead, Cursor, byte, word};
use super::value::{self, Open};
use super::word::{begins_with, behind, first};
use super::{space, string, trusted};

/// How values and strings are read: with or without doubt. Each goes on to where the token ends, and returns the word that
/// follows.
pub(super) trait Read {
    /// The value here, around which `open` are open.
    fn value(cursor: &mut Cursor<'_>, ahead: &Ahead, open: Open) -> Option<u64>;

    /// The string here.
    fn string(cursor: &mut Cursor<'_>, ahead: &Ahead) -> Option<u64>;
}

/// Refuses what is not valid.
pub(super) struct Validate;

impl Read for Validate {
    #[inline(always)]
    fn value(cursor: &mut Cursor<'_>, ahead: &Ahead, open: Open) -> Option<u64> {
        value::value(cursor, ahead, open)
    }

    #[inline(always)]
    fn string(cursor: &mut Cursor<'_>, ahead: &Ahead) -> Option<u64> {
        string::string(cursor, ahead)
    }
}

/// Looks only for ends, in what has been validated.
pub(super) struct Trust;

impl Read for Trust {
    #[inline(always)]
    fn value(cursor: &mut Cursor<'_>, ahead: &Ahead, _: Open) -> Option<u64> {
        trusted::next_value(cursor, ahead)
    }

    #[inline(always)]
    fn string(cursor: &mut Cursor<'_>, ahead: &Ahead) -> Option<u64> {
        trusted::next_string(cursor, ahead)
    }
}

/// The outermost object, which begins here. Notes the members that are in `names`.
///
/// `cursor` is in `text`.
#[inline(always)]
pub(super) fn object<'a, R: Read>(
    text: &'a [u8],
    cursor: &mut Cursor<'_>,
    names: &'static Names,
    noted: &mut Noted<'a>,
) -> Option<()> {
    let other = Place::OUTERMOST.inside(true);
    members::<R>(text, cursor, other, names, noted, |cursor, noted, place| {
        let ahead = cursor.ahead();
        if place == Place::NESTED && byte(ahead, 0) == b'{' {
            let start = cursor.at();
            let end = nested::<R>(text, *cursor, names, noted)?;
            cursor.skip(end.wrapping_sub(start))?;
            return Some(cursor.word());
        }
        R::value(cursor, ahead, OUTER)
    })
}

/// The object under [`Place::NESTED`]. Returns where it ends.
#[inline(never)]
fn nested<'a, R: Read>(
    text: &'a [u8],
    mut cursor: Cursor<'_>,
    names: &'static Names,
    noted: &mut Noted<'a>,
) -> Option<usize> {
    let other = Place::NESTED.inside(true);
    members::<R>(text, &mut cursor, other, names, noted, |cursor, _, _| {
        let ahead = cursor.ahead();
        R::value(cursor, ahead, INNER)
    })?;
    Some(cursor.at())
}

// what is open around the value of a member
const OUTER: Open = 0b11;
const INNER: Open = 0b111;

/// object = begin-object [ member *( value-separator member ) ] end-object
///
/// `other` is the place of members that are not in `names`. `value` reads the value of a member, of which it is given the
/// place.
#[inline(always)]
fn members<'a, R: Read>(
    text: &'a [u8],
    cursor: &mut Cursor<'_>,
    other: Place,
    names: &'static Names,
    noted: &mut Noted<'a>,
    value: impl Fn(&mut Cursor<'_>, &mut Noted<'a>, Place) -> Option<u64>,
) -> Option<()> {
    let mut next = 0;
    let ahead = cursor.ahead();
    if let (Place::OTHER, Some((place, value))) = (other, names.beginning_of(sixteen(ahead))) {
        let start = cursor.at();
        noted.put(place, text.get(start.wrapping_add(value)..start.wrapping_add(16))?);
        cursor.skip(16)?;
        next = word(ahead, 16);
    } else {
        cursor.skip(1)?;
        if byte(ahead, 1) != b'"' {
            space::skip(cursor)?;
            match cursor.byte() {
                b'"' => {}
                b'}' => return cursor.skip(1),
                _ => return None,
            }
        }
    }
    loop {
        // behind a value
        if next != 0 {
            if first(next) <= b' ' {
                space::skip(cursor)?;
                next = cursor.word();
            }
            cursor.skip(1)?;
            match first(next) {
                b',' => {}
                b'}' => return Some(()),
                _ => return None,
            }
            if first(behind(next, 1)) != b'"' {
                space::skip(cursor)?;
                if cursor.byte() != b'"' {
                    return None;
                }
            }
        }
        // member = string name-separator value
        let place = name::<R>(text, cursor, other, names, noted)?;
        let start = cursor.at();
        next = value(cursor, noted, place)?;
        if place != other {
            noted.put(place, text.get(start..cursor.at())?);
        }
        if next == 0 {
            // the text ends, or there is only no more in the word
            next = cursor.word();
            if next == 0 {
                return None;
            }
        }
    }
}

/// The sixteen bytes at the front.
#[inline(always)]
fn sixteen(ahead: &Ahead) -> [u8; 16] {
    ahead.first_chunk().copied().unwrap_or_default()
}

/// string name-separator
///
/// From the quotation mark here that opens the name to the value. Returns the place of the member.
#[inline(always)]
fn name<'a, R: Read>(
    text: &'a [u8],
    cursor: &mut Cursor<'_>,
    other: Place,
    names: &'static Names,
    noted: &mut Noted<'a>,
) -> Option<Place> {
    let ahead = cursor.ahead();
    // mostly it is one of the names, without escapes and with the colon right behind it
    if let Some((place, len)) = names.find_word(other, word(ahead, 1)) {
        let next = word(ahead, len.wrapping_add(1));
        if first(next) == b':' && !noted.has(place.slot()) {
            if first(behind(next, 1)) > b' ' {
                cursor.skip(len.wrapping_add(2))?;
                return Some(place);
            }
            if begins_with(next, b": ") && first(behind(next, 2)) > b' ' {
                cursor.skip(len.wrapping_add(3))?;
                return Some(place);
            }
        }
    }
    let start = cursor.at();
    let (place, end) = unusual_name::<R>(text, *cursor, other, names, noted)?;
    cursor.skip(end.wrapping_sub(start))?;
    Some(place)
}

/// The same for a name that is not in `names`, or is escaped or repeated, or stands before more white space. Returns the
/// place of the member and where its value begins.
#[inline(never)]
fn unusual_name<'a, R: Read>(
    text: &'a [u8],
    mut cursor: Cursor<'_>,
    other: Place,
    names: &'static Names,
    noted: &mut Noted<'a>,
) -> Option<(Place, usize)> {
    let inside = text.get(cursor.at().wrapping_add(1)..)?;
    let ahead = cursor.ahead();
    let next = R::string(&mut cursor, ahead)?;
    value::colon(&mut cursor, next)?;
    Some((noted.begin(names, other, inside), cursor.at()))
}
