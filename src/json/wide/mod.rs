//! The validating pass for 64-bit hosts: the same verdicts and the same noted members as the plain one, sooner.
//!
//! The envelope is read in words of eight bytes, what is in it in windows of sixty-four. Nobody here says what is wrong:
//! a text that this pass does not like is read on by the plain one from where it was last known to be valid, and that verdict
//! counts. So the two differ in kind and offset only if a place was said to be reached that was not.

mod block;
mod compact;
mod cursor;
#[cfg(feature = "serde")]
mod decimal;
mod digits;
mod escapes;
mod flat;
mod foreseen;
mod numbers;
mod object;
mod planes;
mod reached;
mod scalar;
mod space;
mod spaced;
mod string;
mod structure;
mod trusted;
mod usual;
mod utf8;
mod value;
pub(super) mod word;

use ascii::{AsAsciiStr, AsciiStr};

#[cfg(feature = "serde")]
pub(super) use self::decimal::Decimal;
pub(super) use self::usual::Members as UsualMembers;
pub(super) use self::usual::members as usual_members;

use self::cursor::{Cursor, End};
use self::object::{Trust, Validate};
use self::reached::Reached;
use super::names::Names;
use super::noted::Noted;
use super::scan::END;
use crate::error::Error;

/// Validates `text` as one JSON text and notes the members of its outermost object that are in `names`.
///
/// # Limits
/// Nesting: [`MAX_DEPTH`](super::MAX_DEPTH). Stack: constant. Time: each byte once; twice what a quick way had seen of the first
/// kilobyte before it declined, and of a text that is refused what is behind the last place that was remembered.
///
/// Source: RFC 8259 §2 to §8; RFC 3629 §4.
#[inline(always)]
pub(crate) fn scan<'a>(text: &'a [u8], names: &'static Names, noted: &mut Noted<'a>) -> Result<(), Error> {
    let mut read = compact::object(text, names, noted);
    if read == Err(0) {
        read = spaced::object(text, names, noted);
    }
    let Err(from) = read else { return Ok(()) };
    let mut reached = Reached::nothing();
    if json_text(text, from, names, noted, &mut reached).is_some() {
        return Ok(());
    }
    verdict(text, names, noted, &reached)
}

/// What is wrong with `text`, which is valid up to where it was `reached`.
#[cold]
#[inline(never)]
fn verdict<'a>(text: &'a [u8], names: &'static Names, noted: &mut Noted<'a>, reached: &Reached) -> Result<(), Error> {
    super::scan::resume(text, reached.start())?;
    // never, because then this pass would have refused what is valid
    *noted = Noted::new(text);
    super::scan::scan(text, names, noted)
}

/// Notes the members of the validated object at the front of `text` and says where it ends.
#[inline(never)]
pub(crate) fn note_object<'a>(text: &'a [u8], names: &'static Names, noted: &mut Noted<'a>) -> usize {
    let mut end = End::EMPTY;
    end.fill(text);
    let mut cursor = Cursor::new(text, &end);
    match object::object::<Trust>(text, &mut cursor, 0, names, noted, &mut Reached::nothing()) {
        Some(_) => cursor.at(),
        None => text.len(),
    }
}

/// The length of the validated value at the front of `text`.
pub(super) fn value_len(text: &[u8]) -> usize {
    trusted::value(text, 0)
}

/// The text of a validated string, `raw`, if it is ASCII without escapes.
#[inline]
pub(super) fn plain_str(raw: &[u8]) -> Option<&str> {
    if word::is_plain(raw) { raw.as_ascii_str().ok().map(AsciiStr::as_str) } else { None }
}

/// JSON-text = ws value ws
///
/// From the member on that ends at `from`, if that is not 0.
#[inline(always)]
fn json_text<'a>(
    text: &'a [u8],
    from: usize,
    names: &'static Names,
    noted: &mut Noted<'a>,
    reached: &mut Reached,
) -> Option<()> {
    let mut end = End::EMPTY;
    end.fill(text);
    let mut cursor = Cursor::new(text, &end);
    space::skip(&mut cursor)?;
    // who notices nothing need not look at the names
    if cursor.byte() == b'{' && names.are_any() {
        object::object::<Validate>(text, &mut cursor, from, names, noted, reached)?;
    } else {
        let flat = if cursor.byte() == b'[' { flat::elements(cursor.rest().get(1..)?, names) } else { 0 };
        if flat != 0 {
            cursor.skip(flat.wrapping_add(1))?;
            value::elements(&mut cursor, value::NONE, reached)?;
        } else {
            let ahead = cursor.ahead();
            value::value(&mut cursor, ahead, 0, value::NONE, reached)?;
        }
    }
    if cursor.at() != text.len() {
        space::skip(&mut cursor)?;
    }
    if cursor.at() == text.len() {
        return Some(());
    }
    reached.token(cursor.at(), value::NONE, END)
}

#[cfg(test)]
#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "a test stops"
)]
mod tests;
