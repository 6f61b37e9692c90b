//! An object that has been validated, as most programs write it: the first member as foreseen, no white space, no name
//! that is not asked for, none twice.

use super::super::noted::{Names, Noted, Place};
use super::cursor::{Ahead, byte, sixteen, word};
use super::trusted;
use super::word::{bytes_below, not_digit};

/// Notes the members of the object at the front of `text`, of which nothing has been `noted` yet, and says where it ends;
/// `None` if it is not usual, or near the end of the text.
#[inline(always)]
pub(super) fn note<'a>(text: &'a [u8], names: &'static Names, noted: &mut Noted<'a>) -> Option<usize> {
    let (place, value) = names.beginning_of(*text.first_chunk()?)?;
    noted.put(place, text.get(value..16)?);
    let mut rest = text.get(16..)?;
    loop {
        let ahead: &Ahead = rest.first_chunk()?;
        match ahead {
            [b',', b'"', ..] => {}
            [b'}', ..] => return Some(text.len().wrapping_sub(rest.len()).wrapping_add(1)),
            _ => return None,
        }
        let (place, len) = names.find_word(Place::OTHER, word(ahead, 2))?;
        if byte(ahead, len.wrapping_add(2)) != b':' || place == Place::NESTED || noted.has(place.slot()) {
            return None;
        }
        let start = len.wrapping_add(3);
        let end = match byte(ahead, start) {
            b'"' => start.wrapping_add(trusted::short_string(sixteen(ahead, start.wrapping_add(1)))?),
            b'0'..=b'9' => start.wrapping_add(bytes_below(not_digit(word(ahead, start)))),
            b'[' | b'{' => match trusted::short_container(sixteen(ahead, start.wrapping_add(1))) {
                Some(len) => start.wrapping_add(len),
                None => trusted::container(rest, start),
            },
            _ => return None,
        };
        let (before, behind) = rest.split_at_checked(end)?;
        noted.put(place, before.get(start..)?);
        rest = behind;
    }
}
