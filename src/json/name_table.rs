//! The names of the members that a pass captures.

use super::{Captured, RawStr};

/// The member names to capture: those of the outermost object, and those of the object under [`Position::NESTED`].
///
/// The first byte of a name and its object determine its slot, so one comparison decides. A name has two to seven
/// bytes. A slot holds the name and its closing quotation mark, padded with zeros; or [`NO_NAME`].
pub(crate) struct NameTable {
    /// `None` without names, so that a program that only reads payloads has no table of zeros: 420 bytes of flash.
    pub(super) table: Option<&'static [[u8; 8]; SLOTS]>,
}

/// In a slot without a name. No name begins with this byte, because no character does.
const NO_NAME: [u8; 8] = [0xFF, 0, 0, 0, 0, 0, 0, 0];

pub(super) const fn is_no_name(name: &[u8; 8]) -> bool {
    let ([first, ..], [none, ..]) = (name, NO_NAME);
    *first == none
}

/// Names as constants, so that hosts compare with constants instead of a table.
pub(crate) trait Known {
    const NAMES: &'static NameTable;

    /// The most frequent beginning of a text: an object and its first member, whose value is an ASCII string.
    #[allow(dead_code, reason = "only hosts compare with it")]
    const BEGINNING: [u8; 16] = [0; 16];
}

/// Takes the objects of the outermost array while a pass of hosts validates it. They may only be used if the whole text is valid.
pub(crate) trait Keep<'a> {
    /// Whether it takes another object.
    #[allow(dead_code, reason = "only hosts ask")]
    fn has_room(&self) -> bool;

    /// Takes an object, an element that ends at `end`, and its captured members. The element before ends at `from`.
    #[allow(dead_code, reason = "only hosts call it")]
    fn keep(&mut self, from: usize, end: usize, captured: &mut Captured<'a>);
}

/// Takes none.
impl Keep<'_> for () {
    fn has_room(&self) -> bool {
        false
    }

    fn keep(&mut self, _: usize, _: usize, _: &mut Captured<'_>) {}
}

/// Captures nothing.
pub(crate) struct NoNames;

impl Known for NoNames {
    const NAMES: &'static NameTable = &NameTable::NONE;
}

/// The slots of values. Unknown members of an object under [`Position::NESTED`] have no slot.
pub(crate) const SLOTS: usize = 11;

/// The slot of the first repeated value. No name has this slot.
pub(super) const REPEAT: usize = 1;

/// The position of a pass: the slot of the current member, plus 16 for each bracket that is open in its value. Outside
/// of all brackets it is negative (as a wrapped `usize`).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position(pub(super) usize);

impl Position {
    /// Outside of all brackets. Before the text the slot bits are those of `OTHER`; after the text they are those of the last member.
    pub(super) const OUTERMOST: Self = Self(Self::OTHER.0.wrapping_sub(16));
    /// The outer member whose object is captured, too.
    pub(crate) const NESTED: Self = Self(2);
    /// An unknown member of the outermost object, or an element of the outermost array. For inner members add 8.
    pub(super) const OTHER: Self = Self(7);

    /// Whether members at this position are captured.
    pub(super) const fn is_captured(self) -> bool {
        self.0 < 16
    }

    /// Whether this position is outside of all brackets.
    pub(super) const fn is_outermost(self) -> bool {
        self.0 > usize::MAX / 2
    }

    /// The position after an opening bracket. The elements of an array have no names, so in an array no member is captured.
    pub(super) const fn inside(self) -> Self {
        if self.0 == Self::NESTED.0 { Self(8 | Self::OTHER.0) } else { self.within(1) }
    }

    /// The position after `brackets` more opening brackets, whose members are not captured.
    pub(super) const fn within(self, brackets: u32) -> Self {
        Self(self.0.wrapping_add((brackets as usize).wrapping_mul(16)))
    }

    /// The position after the closing bracket.
    pub(super) const fn outside(self) -> Self {
        if self.0 & !7 == 8 { Self::NESTED } else { Self(self.0.wrapping_sub(16)) }
    }

    /// The member of the same object whose name begins with `first`.
    pub(crate) const fn member(self, first: u8) -> Self {
        Self(self.0 & 8 | Self::hash(first))
    }

    /// A perfect hash of the first byte of a name: each name of an object gets a slot of its own, from 0 to 7, and the inner names get the
    /// lowest three. So one comparison decides whether a name is known. Comparing with all names in turn takes 140 instructions a message
    /// more on thumbv7m, and 44 bytes of flash. The constants were found by search; [`NameTable::new`] checks them.
    const fn hash(first: u8) -> usize {
        (first as usize).wrapping_mul(3).wrapping_sub(4) >> 2 & 7
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
}

impl NameTable {
    /// No names.
    pub(crate) const NONE: Self = Self { table: None };

    /// The names of the outermost object and those of the one under [`Position::NESTED`], each in its slot.
    pub(crate) const fn table(outer: &[[u8; 8]], inner: &[[u8; 8]]) -> [[u8; 8]; SLOTS] {
        let mut table = [NO_NAME; SLOTS];
        let (mut position, mut rest, mut next) = (Position::OTHER, outer, inner);
        loop {
            while let [name, tail @ ..] = rest {
                let [first, ..] = name;
                let slot = position.member(*first).slot();
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
            (position, rest, next) = (Position::NESTED.inside(), next, &[]);
        }
    }

    /// Checks `names`: each name must be in its own slot, and the reserved slots must be empty.
    pub(crate) const fn new(names: &'static [[u8; 8]; SLOTS]) -> Self {
        let mut rest = names.as_slice();
        let mut slot = 0usize;
        while let [name, tail @ ..] = rest {
            let [first, second, ..] = name;
            let position = Position(slot);
            let is_own = slot == position.member(*first).slot() && slot & 7 != Position::OTHER.0 && slot != REPEAT;
            assert!(is_no_name(name) || is_own, "not the slot of this name");
            // a member with such a name may be too short for `RawStr::first`
            assert!(*second != b'"', "a name of one character");
            rest = tail;
            slot = slot.wrapping_add(1);
        }
        Self { table: Some(names) }
    }

    /// The position of the member whose name begins with `inside`, and the text after the name; `None` for an unknown
    /// name.
    pub(super) fn find<'a>(&self, position: Position, inside: &'a [u8]) -> Option<(Position, &'a [u8])> {
        let table = self.table?;
        let position = position.member(RawStr::first(inside)?);
        let behind = RawStr::behind(inside, table.get(position.slot())?)?;
        Some((position, behind))
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may stop")]
pub(super) mod tests;
