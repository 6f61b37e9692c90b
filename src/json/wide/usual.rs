//! Validated objects as most programs write them: the first member as foreseen, no white space, no name that is not asked for, none
//! twice. In a batch there are many of them.
//!
//! Sixty-four bytes are looked at together, so that one token need not wait for where the one before it ends.

use super::super::names::{Names, Place};
use super::block::{self, Block, LEN, Look, equal};
use super::string::between;
use super::trusted;
use super::word::{bytes_below, has_backslash, not_digit};

/// What is seen: a window, and whatever may begin in it and has no mask. It is so much that no place need be compared.
type Ahead = [u8; 2 * LEN + 8];

/// The bits of a place that is seen.
const SEEN: usize = 2 * LEN - 1;

/// The members of an object, each the value of one of the [`Names`], of the outermost object only.
pub(crate) struct Members<'a> {
    values: [&'a [u8]; 8],
}

impl<'a> Members<'a> {
    /// Notes the `value` of the member at `place`; `None` if that has been there.
    #[inline(always)]
    fn put(&mut self, place: Place, value: &'a [u8]) -> Option<()> {
        let noted = self.values.get_mut(place.slot())?;
        if !noted.is_empty() {
            return None;
        }
        *noted = value;
        Some(())
    }

    /// The value in `slot`; empty if there is none. If it is a string it has no backslash.
    #[inline(always)]
    pub(crate) fn get(&self, slot: usize) -> &'a [u8] {
        self.values.get(slot).copied().unwrap_or_default()
    }
}

/// The members of the validated object at the front of `text`, and what is behind it; `None` if it is not usual.
#[inline(always)]
pub(in crate::json) fn members<'a>(text: &'a [u8], names: &'static Names) -> Option<(Members<'a>, &'a [u8])> {
    let (place, value) = names.beginning_of(*text.first_chunk()?)?;
    let mut members = Members { values: [&[]; 8] };
    members.put(place, text.get(value..16)?)?;
    let mut rest = text.get(16..)?;
    loop {
        let mut end = None;
        let window = Window::of(block::bytes(rest, 0, &mut end))?;
        let mut at = 0usize;
        while at < LEN {
            let Some((place, start)) = window.member(names, at) else {
                let behind = rest.get(at.wrapping_add(1)..)?;
                return if window.byte(at) == b'}' { Some((members, behind)) } else { None };
            };
            at = match window.trusted_value(start) {
                Some(end) => end,
                None => {
                    let end = trusted::value(rest, start);
                    let value = rest.get(start..end)?;
                    if matches!(value, [b'"', ..]) && has_backslash(value) {
                        return None;
                    }
                    end
                }
            };
            members.put(place, rest.get(start..at)?)?;
        }
        rest = rest.get(at..)?;
    }
}

/// Sixty-four bytes from outside of any string on, and those that end values, one bit for each.
pub(super) struct Window<'a> {
    ahead: &'a Ahead,
    quote: u64,
    /// Brackets outside strings.
    bracket: u64,
}

impl<'a> Window<'a> {
    /// What is `ahead`; `None` if there is a backslash.
    #[inline(always)]
    pub(super) fn of(ahead: &'a Ahead) -> Option<Self> {
        let block = Block::new(ahead.first_chunk()?);
        let quote = block.equal(b'"');
        let is_escaped = block.any(|bytes| equal(bytes, b'\\'));
        if is_escaped { None } else { Some(Self { ahead, quote, bracket: block.bracket() & !between(quote) }) }
    }

    /// The byte at `at`, which is less than two windows.
    #[inline(always)]
    fn byte(&self, at: usize) -> u8 {
        self.ahead.get(at & SEEN).copied().unwrap_or_default()
    }

    /// The eight bytes from `at` on, the first one lowest.
    #[inline(always)]
    fn word(&self, at: usize) -> u64 {
        let bytes = self.ahead.get(at & SEEN..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default();
        u64::from_le_bytes(bytes)
    }

    /// value-separator string name-separator
    ///
    /// Which of the names stands there, behind the comma at `at`, and where its value begins.
    #[inline(always)]
    fn member(&self, names: &'static Names, at: usize) -> Option<(Place, usize)> {
        let (place, len) = names.find_next([self.word(at), self.word(at.wrapping_add(8))])?;
        Some((place, at.wrapping_add(len)))
    }

    /// Where the validated value at `start` ends, if that is known here: it is a string, a short integer, or an array or
    /// object with no other one in it.
    #[inline(always)]
    pub(super) fn trusted_value(&self, start: usize) -> Option<usize> {
        match self.byte(start) {
            b'"' => end(self.quote & behind(start)?),
            opening @ (b'{' | b'[') => {
                // closed before another one is opened
                let end = end(self.bracket & behind(start)?)?;
                if self.byte(end.wrapping_sub(1)).wrapping_sub(opening) == 2 { Some(end) } else { None }
            }
            _ => {
                let end = start.wrapping_add(bytes_below(not_digit(self.word(start))));
                if matches!(self.byte(end), b',' | b'}') && end != start { Some(end) } else { None }
            }
        }
    }
}

/// The bits above that of `at`, if there is one in a window.
#[inline(always)]
fn behind(at: usize) -> Option<u64> {
    Some(u64::MAX.checked_shl(u32::try_from(at).ok()?)? << 1)
}

/// What is behind the lowest bit of `mask`.
#[inline(always)]
const fn end(mask: u64) -> Option<usize> {
    if mask == 0 { None } else { Some((mask.trailing_zeros() as usize).wrapping_add(1)) }
}
