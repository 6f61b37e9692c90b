//! The members of the outermost object as long as they stand as most programs write them: no white space, no name that is not
//! asked for, none twice, none whose value is noted in turn.

use super::super::names::Names;
use super::super::noted::Noted;
use super::cursor::{Ahead, Cursor, byte, word};
use super::object::{OUTER, Read};
use super::reached::Reached;
use super::string::short_string;
use super::word::{bytes_below, first, not_digit};

/// Notes members behind the first one as long as they are usual. Goes on to where they end, and returns the word there.
#[inline(always)]
pub(super) fn members<'a, R: Read>(
    text: &'a [u8],
    cursor: &mut Cursor<'_>,
    names: &'static Names,
    noted: &mut Noted<'a>,
    reached: &mut Reached,
) -> Option<u64> {
    loop {
        let ahead = cursor.ahead();
        let head = word(ahead, 0);
        let Some((place, start)) = names.find_next([head, word(ahead, 8)]) else { return Some(head) };
        if noted.has(place.slot()) {
            return Some(head);
        }
        let at = cursor.at();
        let end = match byte(ahead, start) {
            b'"' => short_string(ahead, start).inspect(|_| noted.mark_unescaped(place)),
            b'0'..=b'9' => short_number(ahead, start),
            0..=b' ' => return Some(head),
            _ => None,
        };
        match end {
            Some(end) => cursor.skip(end)?,
            None => _ = R::value(cursor, ahead, start, OUTER, reached)?,
        }
        noted.put(place, text.get(at.wrapping_add(start)..cursor.at())?);
    }
}

/// Where the number at `start` of what is ahead ends, if it is an integer of at most eight digits behind which the object
/// goes on or ends.
#[inline(always)]
pub(super) fn short_number(ahead: &Ahead, start: usize) -> Option<usize> {
    let digits = word(ahead, start);
    let len = bytes_below(not_digit(digits));
    let end = start.wrapping_add(len);
    if len > 1 && first(digits) == b'0' || !matches!(byte(ahead, end), b',' | b'}') { None } else { Some(end) }
}
