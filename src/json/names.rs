//! The members that a pass is asked to notice.

use super::RawStr;

/// The member names to notice: those of the outermost object, and those of the object under [`Place::NESTED`].
///
/// A name's slot is told by its first byte and by the object it stands in, so one comparison decides. A name has at
/// most seven bytes. The quotation mark behind it stands here, too; the rest is 0.
pub(crate) struct Names {
    names: Slots,
}

/// Names that the compiler knows, so that a host compares with constants.
pub(crate) trait Known {
    const NAMES: &'static Names;

    /// The beginning of most texts: an object and its first member, whose value is a string of ASCII.
    #[cfg(target_pointer_width = "64")]
    const BEGINNING: [u8; 16];
}

/// Nothing is noticed.
pub(crate) struct NoNames;

impl Known for NoNames {
    const NAMES: &'static Names = &Names::NONE;

    #[cfg(target_pointer_width = "64")]
    const BEGINNING: [u8; 16] = [0; 16];
}

#[cfg(target_pointer_width = "64")]
type Slots = [[u8; 8]; SLOTS];
/// Elsewhere behind a reference, so that who notices nothing has no table of nothing: 420 bytes less for a program that
/// only reads payloads.
#[cfg(not(target_pointer_width = "64"))]
type Slots = Option<&'static [[u8; 8]; SLOTS]>;

/// The last three would be those of inner names that there are not. A host takes a power of two, which needs no check.
pub(crate) const SLOTS: usize = if cfg!(target_pointer_width = "64") { 16 } else { 13 };

/// The slot that has no name, for a member that comes twice.
pub(super) const REPEAT: usize = 1;

/// Where a pass is: the slot of the member that is being read, and 16 more for each bracket that is open in its value.
/// Outside of any bracket it is below zero.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place(usize);

impl Place {
    /// Outside of any bracket, before the text is read; behind it, what is left of the last member's slot.
    pub(super) const OUTERMOST: Self = Self(Self::OTHER.0.wrapping_sub(16));
    /// The outer member whose object is noticed too.
    pub(crate) const NESTED: Self = Self(0);
    /// A member of the outermost object that is not to be noticed, or an element of the outermost array. An inner member is
    /// 8 more.
    pub(super) const OTHER: Self = Self(5);

    /// Whether members are noticed here.
    pub(super) const fn is_captured(self) -> bool {
        self.0 < 16
    }

    /// Whether this is outside of any bracket.
    pub(super) const fn is_outermost(self) -> bool {
        self.0 > usize::MAX / 2
    }

    /// Behind an opening bracket.
    pub(super) const fn inside(self, is_object: bool) -> Self {
        if is_object && self.0 == Self::NESTED.0 { Self(8 | Self::OTHER.0) } else { self.within(1) }
    }

    /// Within so many brackets more, none of which holds anything to notice.
    pub(super) const fn within(self, brackets: u32) -> Self {
        Self(self.0.wrapping_add((brackets as usize).wrapping_mul(16)))
    }

    /// Behind the closing bracket.
    pub(super) const fn outside(self) -> Self {
        if self.0 & !7 == 8 { Self::NESTED } else { Self(self.0.wrapping_sub(16)) }
    }

    /// The member of the same object whose name begins with `first`.
    pub(crate) const fn member(self, first: u8) -> Self {
        // the exclusive or leaves the last three slots without a name
        Self(self.0 & 8 | (first as usize >> 1 & 7) ^ 2)
    }

    /// A member of the same object that is not to be noticed.
    pub(super) const fn other(self) -> Self {
        Self(self.0 & 8 | Self::OTHER.0)
    }

    pub(crate) const fn slot(self) -> usize {
        self.0 & 15
    }

    #[cfg(target_pointer_width = "64")]
    pub(super) const fn of_slot(slot: usize) -> Self {
        Self(slot)
    }
}

impl Names {
    /// Nothing is noticed.
    #[cfg(target_pointer_width = "64")]
    pub(crate) const NONE: Self = Self { names: [[0; 8]; SLOTS] };
    /// Nothing is noticed.
    #[cfg(not(target_pointer_width = "64"))]
    pub(crate) const NONE: Self = Self { names: None };

    /// The names of the outermost object and those of the one under [`Place::NESTED`], each in its slot.
    pub(crate) const fn table(outer: &[[u8; 8]], inner: &[[u8; 8]]) -> [[u8; 8]; SLOTS] {
        let mut table = [[0; 8]; SLOTS];
        let (mut place, mut rest, mut next) = (Place::OTHER, outer, inner);
        loop {
            while let [name, tail @ ..] = rest {
                let [first, ..] = name;
                let slot = place.member(*first).slot();
                assert!(slot < SLOTS, "no slot for a name");
                let slots: &mut [_] = &mut table;
                if let Some((_, [known, ..])) = slots.split_at_mut_checked(slot) {
                    assert!(matches!(known, [0, ..]), "two names for a slot");
                    *known = *name;
                }
                rest = tail;
            }
            if next.is_empty() {
                return table;
            }
            (place, rest, next) = (Place::NESTED.inside(true), next, &[]);
        }
    }

    /// Each name must stand in its slot, and none in those of other names.
    pub(crate) const fn new(names: &'static [[u8; 8]; SLOTS]) -> Self {
        let mut rest = names.as_slice();
        let mut slot = 0usize;
        while let [[first, ..], tail @ ..] = rest {
            let place = Place(slot);
            assert!(*first == 0 || slot == place.member(*first).slot() && slot & 7 != Place::OTHER.0 && slot != REPEAT);
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

    /// Whether there is a name to notice.
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

    /// The name in `slot` with its quotation mark and, if a word has room for it, a colon; a mask of these bytes, and how many they
    /// are with the colon.
    #[cfg(target_pointer_width = "64")]
    pub(super) const fn with_colon(&self, slot: usize) -> (u64, u64, usize) {
        let (_, [name, ..]) = self.names.split_at(slot) else { return (0, 0, 0) };
        let name = u64::from_le_bytes(*name);
        if name == 0 {
            return (0, 0, 0);
        }
        let bits = 64u32.wrapping_sub(name.leading_zeros() & 0b11_1000);
        let len = (bits as usize >> 3).wrapping_add(1);
        match (b':' as u64).checked_shl(bits) {
            Some(colon) => (name | colon, u64::MAX >> (56u32.wrapping_sub(bits)), len),
            None => (name, u64::MAX, len),
        }
    }

    /// The place of the member whose name begins with `inside`, and the text behind the name.
    pub(super) fn find<'a>(&self, place: Place, inside: &'a [u8]) -> Option<(Place, &'a [u8])> {
        #[cfg(target_pointer_width = "64")]
        let names = self.names;
        #[cfg(not(target_pointer_width = "64"))]
        let names = self.names?;
        let place = place.member(RawStr::first(inside)?);
        let behind = RawStr::behind(inside, names.get(place.slot())?)?;
        Some((place, behind))
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test may stop")]
mod tests {
    use super::{Names, SLOTS};

    const NOTHING: [[u8; 8]; SLOTS] = [[0; 8]; SLOTS];
    const A: [u8; 8] = *b"a\"\0\0\0\0\0\0";

    #[test]
    fn a_name_may_stand_in_its_slot() {
        static NAMES: [[u8; 8]; SLOTS] = {
            let mut names = NOTHING;
            names[2] = A;
            names
        };
        _ = Names::new(&NAMES);
    }

    #[test]
    #[should_panic]
    fn a_name_in_the_slot_of_others_is_refused() {
        static NAMES: [[u8; 8]; SLOTS] = {
            let mut names = NOTHING;
            names[4] = A;
            names
        };
        _ = Names::new(&NAMES);
    }

    #[test]
    fn names_are_put_into_the_slots_of_their_first_bytes() {
        let table = Names::table(&[A, *b"id\"\0\0\0\0\0"], &[*b"code\"\0\0\0"]);
        for (slot, name) in table.iter().enumerate() {
            let expected: &[u8; 8] = match slot {
                2 => &A,
                6 => b"id\"\0\0\0\0\0",
                11 => b"code\"\0\0\0",
                _ => &[0; 8],
            };
            assert_eq!(name, expected, "slot {slot}");
        }
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn a_name_is_compared_with_its_quotation_mark_and_colon() {
        static NAMES: [[u8; 8]; SLOTS] = {
            let mut names = NOTHING;
            names[6] = *b"id\"\0\0\0\0\0";
            names[7] = *b"jsonrpc\"";
            names
        };
        let names = Names::new(&NAMES);
        assert_eq!(names.with_colon(6), (u64::from_le_bytes(*b"id\":\0\0\0\0"), 0xFFFF_FFFF, 4));
        // there is no room for the colon
        assert_eq!(names.with_colon(7), (u64::from_le_bytes(*b"jsonrpc\""), u64::MAX, 9));
        assert_eq!(names.with_colon(0), (0, 0, 0));
        assert!(names.are_any() && !Names::NONE.are_any());
    }
}
