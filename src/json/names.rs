//! The names of the members that a pass captures.

use super::RawStr;
#[cfg(target_pointer_width = "64")]
use super::string::hex_value;
#[cfg(target_pointer_width = "64")]
use super::word::{begins_with, behind, bytes_below, eight};

/// The member names to capture: those of the outermost object, and those of the object under [`Place::NESTED`].
///
/// The first byte of a name and its object determine its slot, so one comparison decides. A name has two to seven
/// bytes. A slot holds the name and its closing quotation mark, padded with zeros; or [`NO_NAME`].
pub(crate) struct Names {
    names: Slots,
}

/// In a slot without a name. No name begins with this byte, because no character does.
const NO_NAME: [u8; 8] = [0xFF, 0, 0, 0, 0, 0, 0, 0];

const fn is_no_name(name: &[u8; 8]) -> bool {
    let ([first, ..], [none, ..]) = (name, NO_NAME);
    *first == none
}

/// Names as constants, so that hosts compare with constants instead of a table.
pub(crate) trait Known {
    const NAMES: &'static Names;

    /// The most frequent beginning of a text: an object and its first member, whose value is an ASCII string.
    #[cfg(target_pointer_width = "64")]
    const BEGINNING: [u8; 16];
}

/// Captures nothing.
pub(crate) struct NoNames;

impl Known for NoNames {
    const NAMES: &'static Names = &Names::NONE;

    #[cfg(target_pointer_width = "64")]
    const BEGINNING: [u8; 16] = [0; 16];
}

#[cfg(target_pointer_width = "64")]
type Slots = [[u8; 8]; SLOTS];
/// A reference on devices: a pass without names then has no table of zeros, which saves a program that only reads payloads 420 bytes of
/// flash.
#[cfg(not(target_pointer_width = "64"))]
type Slots = Option<&'static [[u8; 8]; SLOTS]>;

/// The slots of values. Unknown members of an object under [`Place::NESTED`] have no slot.
pub(crate) const SLOTS: usize = 11;

/// The slot of the first repeated value. No name has this slot.
pub(super) const REPEAT: usize = 1;

/// The position of a pass: the slot of the current member, plus 16 for each bracket that is open in its value. Outside
/// of all brackets it is negative (as a wrapped `usize`).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place(usize);

impl Place {
    /// Outside of all brackets. Before the text the slot bits are those of `OTHER`; after the text they are those of the last member.
    pub(super) const OUTERMOST: Self = Self(Self::OTHER.0.wrapping_sub(16));
    /// The outer member whose object is captured, too.
    pub(crate) const NESTED: Self = Self(2);
    /// An unknown member of the outermost object, or an element of the outermost array. For inner members add 8.
    pub(super) const OTHER: Self = Self(7);

    /// Whether members at this place are captured.
    pub(super) const fn is_captured(self) -> bool {
        self.0 < 16
    }

    /// Whether this place is outside of all brackets.
    pub(super) const fn is_outermost(self) -> bool {
        self.0 > usize::MAX / 2
    }

    /// The place after an opening bracket. The elements of an array have no names, so in an array no member is captured.
    pub(super) const fn inside(self) -> Self {
        if self.0 == Self::NESTED.0 { Self(8 | Self::OTHER.0) } else { self.within(1) }
    }

    /// The place after `brackets` more opening brackets, whose members are not captured.
    pub(super) const fn within(self, brackets: u32) -> Self {
        Self(self.0.wrapping_add((brackets as usize).wrapping_mul(16)))
    }

    /// The place after the closing bracket.
    pub(super) const fn outside(self) -> Self {
        if self.0 & !7 == 8 { Self::NESTED } else { Self(self.0.wrapping_sub(16)) }
    }

    /// The member of the same object whose name begins with `first`.
    pub(crate) const fn member(self, first: u8) -> Self {
        // this hash was found by search: it gives each name another slot, and the inner names the lowest three slots
        Self(self.0 & 8 | (first as usize).wrapping_mul(3).wrapping_sub(4) >> 2 & 7)
    }

    /// This member, or [`OTHER`](Self::OTHER), in the same object as `other`.
    pub(super) const fn beside(self, other: Self) -> Self {
        Self(self.0 | other.0 & 8)
    }

    pub(crate) const fn slot(self) -> usize {
        self.0 & 15
    }

    /// The slot of the outer member whose name begins with `first`.
    pub(crate) const fn outer_slot(first: u8) -> usize {
        Self::OTHER.member(first).slot()
    }

    /// The slot of the inner member, in the object under [`NESTED`](Self::NESTED), whose name begins with `first`.
    pub(crate) const fn inner_slot(first: u8) -> usize {
        Self::NESTED.inside().member(first).slot()
    }

    #[cfg(target_pointer_width = "64")]
    pub(super) const fn of_slot(slot: usize) -> Self {
        Self(slot)
    }

    /// This place, which is in the outermost object. The mask shows the compiler that its slot needs no bounds check.
    #[cfg(target_pointer_width = "64")]
    pub(super) const fn outer(self) -> Self {
        Self(self.0 & 7)
    }
}

impl Names {
    /// No names.
    #[cfg(target_pointer_width = "64")]
    pub(crate) const NONE: Self = Self { names: [NO_NAME; SLOTS] };
    /// No names.
    #[cfg(not(target_pointer_width = "64"))]
    pub(crate) const NONE: Self = Self { names: None };

    /// The names of the outermost object and those of the one under [`Place::NESTED`], each in its slot.
    pub(crate) const fn table(outer: &[[u8; 8]], inner: &[[u8; 8]]) -> [[u8; 8]; SLOTS] {
        let mut table = [NO_NAME; SLOTS];
        let (mut place, mut rest, mut next) = (Place::OTHER, outer, inner);
        loop {
            while let [name, tail @ ..] = rest {
                let [first, ..] = name;
                let slot = place.member(*first).slot();
                assert!(slot < SLOTS, "no slot for a name");
                let slots: &mut [_] = &mut table;
                if let Some((_, [known, ..])) = slots.split_at_mut_checked(slot) {
                    assert!(is_no_name(known), "two names for a slot");
                    *known = *name;
                }
                rest = tail;
            }
            if next.is_empty() {
                return table;
            }
            (place, rest, next) = (Place::NESTED.inside(), next, &[]);
        }
    }

    /// Checks `names`: each name must be in its own slot, and the reserved slots must be empty.
    pub(crate) const fn new(names: &'static [[u8; 8]; SLOTS]) -> Self {
        let mut rest = names.as_slice();
        let mut slot = 0usize;
        while let [name, tail @ ..] = rest {
            let [first, second, ..] = name;
            let place = Place(slot);
            let is_own = slot == place.member(*first).slot() && slot & 7 != Place::OTHER.0 && slot != REPEAT;
            assert!(is_no_name(name) || is_own, "not the slot of this name");
            // a member with such a name may be too short for `RawStr::first`
            assert!(*second != b'"', "a name of one character");
            rest = tail;
            slot = slot.wrapping_add(1);
        }
        Self {
            #[cfg(target_pointer_width = "64")]
            names: *names,
            #[cfg(not(target_pointer_width = "64"))]
            names: Some(names),
        }
    }

    /// Whether there is any name.
    #[cfg(target_pointer_width = "64")]
    pub(super) const fn are_any(&self) -> bool {
        let mut slot = 0;
        while slot < SLOTS {
            if self.with_colon(slot).0 != 0 {
                return true;
            }
            slot = slot.wrapping_add(1);
        }
        false
    }

    /// The name in `slot` with its quotation mark and, if the word has room for it, a colon; a mask of these bytes; and
    /// the length with the colon.
    #[cfg(target_pointer_width = "64")]
    pub(super) const fn with_colon(&self, slot: usize) -> (u64, u64, usize) {
        let Some((_, [name, ..])) = self.names.split_at_checked(slot) else { return (0, 0, 0) };
        if is_no_name(name) {
            return (0, 0, 0);
        }
        let name = u64::from_le_bytes(*name);
        let bits = 64u32.wrapping_sub(name.leading_zeros() & 0b11_1000);
        let len = (bits as usize >> 3).wrapping_add(1);
        match (b':' as u64).checked_shl(bits) {
            Some(colon) => (name | colon, u64::MAX >> (56u32.wrapping_sub(bits)), len),
            None => (name, u64::MAX, len),
        }
    }

    /// The place of the member whose name begins with `inside`, and the text after the name; `None` for an unknown
    /// name.
    pub(super) fn find<'a>(&self, place: Place, inside: &'a [u8]) -> Option<(Place, &'a [u8])> {
        #[cfg(target_pointer_width = "64")]
        let names = &self.names;
        #[cfg(not(target_pointer_width = "64"))]
        let names = self.names?;
        let place = place.member(RawStr::first(inside)?);
        let behind = RawStr::behind(inside, names.get(place.slot())?)?;
        Some((place, behind))
    }

    /// [`find`](Self::find) in a text that has not been validated: the place of the member whose name begins at `inside`, and the offset
    /// after its quotation mark. A name that is found is valid.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    pub(super) fn spelled_at(&self, text: &[u8], inside: usize, place: Place) -> Option<(Place, usize)> {
        let place = place.member(RawStr::first(text.get(inside..)?)?);
        let name = self.names.get(place.slot())?;
        if is_no_name(name) {
            return None;
        }
        let mut known = u64::from_le_bytes(*name);
        let mut at = inside;
        // each round compares the plain characters up to an escape, and that escape
        loop {
            let differs = eight(text, at) ^ known;
            let after = known.leading_zeros() & 0b11_1000;
            if differs << after == 0 {
                return Some((place, at.wrapping_add(8usize.wrapping_sub(after as usize >> 3))));
            }
            let same = bytes_below(differs);
            let [character, ..] = behind(known, same).to_le_bytes();
            at = at.wrapping_add(same);
            // an escaped quotation mark does not end the name
            if character == b'"' || !is_escape_of(character, eight(text, at)) {
                return None;
            }
            at = at.wrapping_add(ESCAPE_LEN);
            known = behind(known, same) >> 8;
        }
    }
}

/// The bytes of an escape of the form \u and four hexadecimal digits.
#[cfg(target_pointer_width = "64")]
const ESCAPE_LEN: usize = 6;

/// Whether the bytes at the front of `word` are such an escape of the ASCII `character`.
#[cfg(target_pointer_width = "64")]
#[inline(always)]
const fn is_escape_of(character: u8, word: u64) -> bool {
    let [_, _, _, _, high, low, ..] = word.to_le_bytes();
    begins_with(word, br"\u00")
        && high == b'0' | character >> 4
        && low.is_ascii_hexdigit()
        && hex_value(low) == character & 0x0F
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may stop")]
pub(super) mod tests;
