//! The outermost object, of which members are noted: of a text that is to be validated, or that has been.

use super::super::names::{Names, Place};
use super::super::noted::Noted;
use super::super::scan::{AFTER_VALUE, NAME};
use super::cursor::{self, Ahead, Cursor, byte, word};
use super::reached::Reached;
use super::value::{self, Open};
use super::word::{begins_with, behind, bits, bytes_below, first, has_backslash, needs_escape, not_ascii, ones};
use super::{escapes, foreseen, space, string, trusted};

/// How values and strings are read: with or without doubt. Each goes on to where the token ends, and returns the word that
/// follows.
pub(super) trait Read {
    /// The value at `start` of what is ahead, around which `open` are open.
    fn value(cursor: &mut Cursor<'_>, ahead: &Ahead, start: usize, open: Open, reached: &mut Reached) -> Option<u64>;

    /// The string here.
    fn string(cursor: &mut Cursor<'_>, ahead: &Ahead, reached: &mut Reached) -> Option<u64>;
}

/// Refuses what is not valid.
pub(super) struct Validate;

impl Read for Validate {
    #[inline(always)]
    fn value(cursor: &mut Cursor<'_>, ahead: &Ahead, start: usize, open: Open, reached: &mut Reached) -> Option<u64> {
        value::value(cursor, ahead, start, open, reached)
    }

    #[inline(always)]
    fn string(cursor: &mut Cursor<'_>, ahead: &Ahead, reached: &mut Reached) -> Option<u64> {
        string::string(cursor, ahead, 0, reached)
    }
}

/// Looks only for ends, in what has been validated.
pub(super) struct Trust;

impl Read for Trust {
    #[inline(always)]
    fn value(cursor: &mut Cursor<'_>, ahead: &Ahead, start: usize, _: Open, _: &mut Reached) -> Option<u64> {
        trusted::next_value(cursor, ahead, start)
    }

    #[inline(always)]
    fn string(cursor: &mut Cursor<'_>, ahead: &Ahead, _: &mut Reached) -> Option<u64> {
        trusted::next_string(cursor, ahead, 0)
    }
}

/// The outermost object, which begins here. Notes the members that are in `names`: those behind the one that ends `from`
/// bytes from here, if that is not 0.
///
/// `cursor` is in `text`.
#[inline(always)]
pub(super) fn object<'a, R: Read>(
    text: &'a [u8],
    cursor: &mut Cursor<'_>,
    from: usize,
    names: &'static Names,
    noted: &mut Noted<'a>,
    reached: &mut Reached,
) -> Option<()> {
    members::<R, true>(text, cursor, from, names, noted, reached)
}

/// The object under [`Place::NESTED`]. Returns where it ends.
#[inline(never)]
fn nested<'a, R: Read>(
    text: &'a [u8],
    mut cursor: Cursor<'_>,
    names: &'static Names,
    noted: &mut Noted<'a>,
    reached: &mut Reached,
) -> Option<usize> {
    members::<R, false>(text, &mut cursor, 0, names, noted, reached)?;
    Some(cursor.at())
}

// what is open around the value of a member
pub(super) const OUTER: Open = 0b11;
const INNER: Open = 0b111;

/// object = begin-object [ member *( value-separator member ) ] end-object
#[inline(always)]
fn members<'a, R: Read, const IS_OUTERMOST: bool>(
    text: &'a [u8],
    cursor: &mut Cursor<'_>,
    mut from: usize,
    names: &'static Names,
    noted: &mut Noted<'a>,
    reached: &mut Reached,
) -> Option<()> {
    let open = if IS_OUTERMOST { OUTER } else { INNER };
    // the place of members that are not in `names`
    let other = if IS_OUTERMOST { Place::OUTERMOST.inside(true) } else { Place::NESTED.inside(true) };
    let mut next = 0;
    let ahead = cursor.ahead();
    if let (true, 0, Some((place, value))) = (IS_OUTERMOST, from, names.beginning_of(sixteen(ahead))) {
        let start = cursor.at();
        noted.put(place, text.get(start.wrapping_add(value)..start.wrapping_add(16))?);
        from = 16;
    }
    if from != 0 {
        cursor.skip(from)?;
        next = foreseen::members::<R>(text, cursor, names, noted, reached)?;
    } else {
        cursor.skip(1)?;
        if byte(ahead, 1) != b'"' {
            space::skip(cursor)?;
            match cursor.byte() {
                b'"' => {}
                b'}' => return cursor.skip(1),
                _ => return reached.token(cursor.at(), open, NAME),
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
            let at = cursor.at();
            cursor.skip(1)?;
            match first(next) {
                b',' => {}
                b'}' => return Some(()),
                _ => return reached.token(at, open, AFTER_VALUE),
            }
            if first(behind(next, 1)) != b'"' {
                space::skip(cursor)?;
                if cursor.byte() != b'"' {
                    return reached.token(cursor.at(), open, NAME);
                }
            }
        }
        // member = string name-separator value
        let (mut ahead, mut start) = (cursor.ahead(), 0);
        let place;
        let found = names.find_word(other, word(ahead, 1));
        if let Some(known) = known_name(ahead, found, noted) {
            (place, start) = known;
        } else {
            let (known, end) = unusual_members::<R>(text, *cursor, other, names, noted, reached, found.is_some())?;
            cursor.skip(end.wrapping_sub(cursor.at()))?;
            let Some(known) = known else {
                next = cursor.word();
                continue;
            };
            place = known;
            ahead = cursor.ahead();
        }
        let begun = cursor.at().wrapping_add(start);
        next = if IS_OUTERMOST && place == Place::NESTED && byte(ahead, start) == b'{' {
            cursor.skip(start)?;
            let end = nested::<R>(text, *cursor, names, noted, reached)?;
            cursor.skip(end.wrapping_sub(begun))?;
            cursor.word()
        } else {
            R::value(cursor, ahead, start, open, reached)?
        };
        if place != other {
            noted.put(place, text.get(begun..cursor.at())?);
        }
        if next == 0 {
            // the text ends, or there is only no more in the word
            next = cursor.word();
            if next == 0 {
                return reached.token(cursor.at(), open, AFTER_VALUE);
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
/// The place of the member whose name is opened at the front of what is ahead, and where its value begins there: if it is
/// one of the names, `found` without escapes, for the first time, and with the colon right behind it, as it mostly is.
#[inline(always)]
pub(super) fn known_name(ahead: &Ahead, found: Option<(Place, usize)>, noted: &Noted<'_>) -> Option<(Place, usize)> {
    let (place, len) = found?;
    let value = behind_colon(ahead, len.wrapping_add(1))?;
    if noted.has(place.slot()) { None } else { Some((place, value)) }
}

/// Where the value begins behind the colon at `at`, if at most one blank is between them.
#[inline(always)]
fn behind_colon(ahead: &Ahead, at: usize) -> Option<usize> {
    let next = word(ahead, at);
    if first(next) != b':' {
        return None;
    }
    if first(behind(next, 1)) > b' ' {
        return Some(at.wrapping_add(1));
    }
    if begins_with(next, b": ") && first(behind(next, 2)) > b' ' { Some(at.wrapping_add(2)) } else { None }
}

/// The same as [`known_name`] for a name that is short and plain, whichever it is. Returns where the value begins.
#[inline(always)]
pub(super) fn plain_name(ahead: &Ahead) -> Option<usize> {
    let len = string::special(cursor::sixteen(ahead, 1)).trailing_zeros() as usize;
    let end = len.wrapping_add(1) & 31;
    if byte(ahead, end) == b'"' { behind_colon(ahead, end.wrapping_add(1)) } else { None }
}

/// The same for any name that spells at most seven ASCII characters, escaped or not: its place, if it is one of the names, be it
/// for the first time or not.
#[inline(always)]
pub(super) fn escaped_name(ahead: &Ahead, other: Place, names: &'static Names) -> Option<(Option<Place>, usize)> {
    // what the name spells up to `at`
    let (mut spelt, mut len, mut at) = (0, 0usize, 1usize);
    loop {
        let next = word(ahead, at);
        let run = bytes_below(needs_escape(next) | not_ascii(next));
        spelt |= (next & ones(run)).wrapping_shl(bits(len));
        len = len.wrapping_add(run);
        at = at.wrapping_add(run);
        // no name is longer, and behind it a colon and a blank must be seen
        if len > 7 || at > 26 {
            return None;
        }
        if byte(ahead, at) == b'"' {
            break;
        }
        let spells = escapes::escaped_ascii(word(ahead, at))?;
        spelt |= u64::from(spells).wrapping_shl(bits(len));
        len = len.wrapping_add(1);
        at = at.wrapping_add(6);
    }
    let spelt = spelt | u64::from(b'"').wrapping_shl(bits(len));
    let value = behind_colon(ahead, at.wrapping_add(1))?;
    Some((names.find_seldom(other, spelt).map(|(place, _)| place), value))
}

/// Goes on from the member that stands at the cursor, which is not one of the names without escapes and for the first time.
/// `is_found` says whether it is one of the names at all.
///
/// Of members that nobody asks for, or asks for no more, there may be many: they are read here. Returns the place of the first
/// one that is asked for, and where its value begins; or none, and where the last one ends.
#[inline(never)]
fn unusual_members<'a, R: Read>(
    text: &'a [u8],
    mut cursor: Cursor<'_>,
    other: Place,
    names: &'static Names,
    noted: &mut Noted<'a>,
    reached: &mut Reached,
    mut is_found: bool,
) -> Option<(Option<Place>, usize)> {
    let open = if other == Place::OUTERMOST.inside(true) { OUTER } else { INNER };
    // at first it is a name, but for what may be behind the beginning that most texts have
    let mut expect = AFTER_VALUE;
    loop {
        let mut ahead = cursor.ahead();
        if byte(ahead, 0) != b'"' {
            return reached.token(cursor.at(), open, expect);
        }
        let (mut place, mut start) = (other, 0);
        if let (false, Some(value)) = (is_found, plain_name(ahead)) {
            start = value;
        } else if let Some((known, value)) = escaped_name(ahead, other, names) {
            cursor.skip(value)?;
            if let Some(known) = known {
                place = noted.value(known, other, text.get(cursor.at()..)?);
            }
            // behind so long a name a number would not be seen to its end
            ahead = cursor.ahead();
        } else {
            let name = cursor.at();
            let next = R::string(&mut cursor, ahead, reached)?;
            let is_escaped = has_backslash(text.get(name..cursor.at())?);
            value::colon(&mut cursor, next, open, reached)?;
            // without escapes it is not one of the names, or it is for the second time
            if is_found || is_escaped {
                place = noted.begin(names, other, text.get(name.wrapping_add(1)..)?);
            }
            ahead = cursor.ahead();
        }
        if place != other {
            return Some((Some(place), cursor.at().wrapping_add(start)));
        }
        let next = R::value(&mut cursor, ahead, start, open, reached)?;
        if first(next) != b',' {
            space::skip(&mut cursor)?;
            if cursor.byte() != b',' {
                return Some((None, cursor.at()));
            }
        }
        cursor.skip(1)?;
        space::skip(&mut cursor)?;
        let ahead = cursor.ahead();
        let found = names.find_seldom(other, word(ahead, 1));
        if let (b'"', Some((place, value))) = (byte(ahead, 0), known_name(ahead, found, noted)) {
            return Some((Some(place), cursor.at().wrapping_add(value)));
        }
        is_found = found.is_some();
        expect = NAME;
    }
}
