//! Objects as most programs write them: the first member as foreseen, no white space, no name that is not asked for, none
//! twice. In a batch there are many of them.
//!
//! Sixty-four bytes are looked at together, so that one token need not wait for where the one before it ends.

use super::super::noted::{Names, Place};
use super::block::{self, Block, LEN, control_or_not_ascii, equal, splat};
use super::scalar::literal;
use super::string::between;
use super::trusted;
use super::word::{bytes_below, first, has_backslash, not_digit};

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
        let end;
        let ahead = match rest.first_chunk() {
            Some(ahead) => ahead,
            None => {
                end = block::last(rest, 0);
                &end
            }
        };
        let window = Window::of(ahead, |bytes| equal(bytes, b'\\'))?;
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

/// The bytes of the usual objects, each with a comma behind it, that begin the array of which `text` is the inside: as many
/// as are valid, and short enough for a window or two.
#[inline(never)]
pub(super) fn elements(text: &[u8], names: &'static Names) -> usize {
    let mut rest = text;
    while let Some([b',', behind @ ..]) = object(rest, names) {
        rest = behind;
    }
    text.len().wrapping_sub(rest.len())
}

/// What is behind the object at the front of `text`; `None` if it is not usual, or not valid, or near the end of the text.
#[inline(always)]
fn object<'a>(text: &'a [u8], names: &'static Names) -> Option<&'a [u8]> {
    names.beginning_of(*text.first_chunk()?)?;
    let mut rest = text.get(16..)?;
    loop {
        let window = Window::of(rest.first_chunk()?, |bytes| equal(bytes, b'\\') | control_or_not_ascii(bytes))?;
        let mut at = 0usize;
        while at < LEN {
            let Some((_, start)) = window.member(names, at) else {
                return if window.byte(at) == b'}' { rest.get(at.wrapping_add(1)..) } else { None };
            };
            let end = match window.byte(start) {
                b'[' => window.array(start),
                b'{' => window.object(start),
                _ => window.scalar(start),
            };
            match end {
                Some(end) => at = end,
                // perhaps it ends in the window that begins with the member
                None if at != 0 => break,
                None => return None,
            }
        }
        rest = rest.get(at..)?;
    }
}

/// Sixty-four bytes from outside of any string on, and those that end values, one bit for each.
pub(super) struct Window<'a> {
    ahead: &'a Ahead,
    quote: u64,
    /// Outside strings.
    opening: u64,
    /// Outside strings.
    closing: u64,
}

impl<'a> Window<'a> {
    /// What is `ahead`; `None` if any of its bytes `is_odd`, as a backslash is.
    #[inline(always)]
    pub(super) fn of(ahead: &'a Ahead, is_odd: impl Fn(wide::i8x16) -> wide::i8x16) -> Option<Self> {
        let block = Block::new(ahead.first_chunk()?);
        let quote = block.equal(b'"');
        // brackets and braces differ in one bit
        let opening = block.mask(|bytes| equal(bytes | splat(0x20), b'{'));
        let closing = block.mask(|bytes| equal(bytes | splat(0x20), b'}'));
        let is_odd = block.any(is_odd);
        let outside = !between(quote);
        if is_odd { None } else { Some(Self { ahead, quote, opening: opening & outside, closing: closing & outside }) }
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
            b'"' => self.string(start),
            b'{' | b'[' => {
                let behind = behind(start)?;
                let (closing, opening) = (self.closing & behind, self.opening & behind);
                // whether one is opened before the first one is closed
                if opening & closing.wrapping_sub(1) & !closing != 0 { None } else { end(closing) }
            }
            _ => {
                let end = start.wrapping_add(bytes_below(not_digit(self.word(start))));
                if matches!(self.byte(end), b',' | b'}') && end != start { Some(end) } else { None }
            }
        }
    }

    /// Where the string at `start` ends.
    #[inline(always)]
    fn string(&self, start: usize) -> Option<usize> {
        end(self.quote & behind(start)?)
    }

    /// number = [ minus ] int [ frac ]
    ///
    /// Where the number, literal or string at `start` ends, if that is valid.
    #[inline(always)]
    fn scalar(&self, start: usize) -> Option<usize> {
        let begins = self.byte(start);
        if begins == b'"' {
            return self.string(start);
        }
        if start >= LEN {
            return None;
        }
        if begins >= b'a' {
            return literal(self.word(start)).map(|len| start.wrapping_add(len));
        }
        let start = start.wrapping_add(usize::from(begins == b'-'));
        let digits = self.word(start);
        let others = not_digit(digits);
        let mut len = bytes_below(others);
        // int = zero / ( digit1-9 *DIGIT )
        if len == 0 || len > 1 && first(digits) == b'0' {
            return None;
        }
        // frac = decimal-point 1*DIGIT
        if self.byte(start.wrapping_add(len)) == b'.' {
            let end = bytes_below(others & others.wrapping_sub(1));
            if end == len.wrapping_add(1) {
                return None;
            }
            len = end;
        }
        // whoever sees an exponent or more digits behind it refuses them
        Some(start.wrapping_add(len))
    }

    /// array = begin-array [ value *( value-separator value ) ] end-array
    ///
    /// Where the array at `start` ends, if it is valid and has no array or object in it.
    #[inline(always)]
    fn array(&self, start: usize) -> Option<usize> {
        let mut at = start.wrapping_add(1);
        if self.byte(at) == b']' {
            return Some(at.wrapping_add(1));
        }
        loop {
            at = self.scalar(at)?;
            let next = self.byte(at);
            at = at.wrapping_add(1);
            match next {
                b',' => {}
                b']' => return Some(at),
                _ => return None,
            }
        }
    }

    /// object = begin-object [ member *( value-separator member ) ] end-object
    ///
    /// The same for an object.
    #[inline(always)]
    fn object(&self, start: usize) -> Option<usize> {
        let mut at = start.wrapping_add(1);
        if self.byte(at) == b'}' {
            return Some(at.wrapping_add(1));
        }
        loop {
            let name = if self.byte(at) == b'"' { self.string(at)? } else { return None };
            if self.byte(name) != b':' {
                return None;
            }
            at = self.scalar(name.wrapping_add(1))?;
            let next = self.byte(at);
            at = at.wrapping_add(1);
            match next {
                b',' => {}
                b'}' => return Some(at),
                _ => return None,
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
