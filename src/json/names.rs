//! The members that a pass is asked to notice.

use super::RawStr;

/// The member names to notice: those of the outermost object, and those of the object under [`Place::NESTED`].
///
/// A name's slot is told by its first byte and by the object it stands in, so one comparison decides. A name has at
/// most seven bytes. The quotation mark behind it stands here, too; the rest is 0.
pub(crate) struct Names {
    names: Slots,
    /// How most texts begin: with an object and its first member, which is a string.
    #[cfg(target_pointer_width = "64")]
    beginning: [u8; 16],
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
    pub(super) const fn is_noticed(self) -> bool {
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
}

impl Names {
    /// Nothing is noticed.
    #[cfg(target_pointer_width = "64")]
    pub(crate) const NONE: Self = Self { names: [[0; 8]; SLOTS], beginning: [0; 16] };
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

    /// Each name must stand in its slot, and none in those of other names. `beginning` is an opening brace, one of the
    /// names and its value, a string, if most texts begin so.
    #[cfg_attr(not(target_pointer_width = "64"), expect(unused_variables, reason = "a shortcut of the wide pass"))]
    pub(crate) const fn new(names: &'static [[u8; 8]; SLOTS], beginning: [u8; 16]) -> Self {
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
            #[cfg(target_pointer_width = "64")]
            beginning,
        }
    }

    /// Whether there is a name to notice.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    pub(super) fn are_any(&self) -> bool {
        self.names.iter().any(|[first, ..]| *first != 0)
    }

    /// If `text` is how most texts begin: the place of the member there, and where its value stands.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    pub(super) fn beginning_of(&self, text: [u8; 16]) -> Option<(Place, usize)> {
        let [b'{', b'"', first, ..] = self.beginning else { return None };
        let colon = self.beginning.iter().position(|byte| *byte == b':')?;
        if text == self.beginning { Some((Place::OTHER.member(first), colon.wrapping_add(1))) } else { None }
    }

    /// The place of the member whose name `word` begins with, and the bytes of that name with its quotation mark.
    /// Escapes are not looked into.
    ///
    /// All are tried in turn: each is a constant, so that behind a foreseen branch nobody waits for a length.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    pub(super) fn find_word(&self, place: Place, word: u64) -> Option<(Place, usize)> {
        // the last first, because `jsonrpc` is
        for slot in (place.0 & 8..=place.0 | 7).rev() {
            if let Some(len) = self.begins_with_name(word, slot & 15) {
                return Some((Place(slot), len));
            }
        }
        None
    }

    /// The same for a word that mostly begins with none: its first byte tells which it may be.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    pub(super) fn find_seldom(&self, place: Place, word: u64) -> Option<(Place, usize)> {
        let [first, ..] = word.to_le_bytes();
        let place = place.member(first);
        Some((place, self.begins_with_name(word, place.slot())?))
    }

    /// The bytes of the name in `slot` with its quotation mark, if `word` begins with it.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    fn begins_with_name(&self, word: u64, slot: usize) -> Option<usize> {
        let known = u64::from_le_bytes(*self.names.get(slot)?);
        // the bits of the bytes that the name does not have
        let unused = known.leading_zeros() & 0b11_1000;
        let is_it = known != 0 && word & u64::MAX.wrapping_shr(unused) == known;
        if is_it { Some(8usize.wrapping_sub(unused as usize >> 3)) } else { None }
    }

    /// The place of the outer member whose comma, name and colon `words` begin with, without white space, and where its value
    /// begins. Not [`Place::NESTED`], whose value takes more.
    ///
    /// The first byte tells which name it may be. All are constants, so that behind a foreseen branch nobody waits for a
    /// length.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    pub(super) fn find_next(&self, words: [u64; 2]) -> Option<(Place, usize)> {
        let [[_, _, first, ..], _] = words.map(u64::to_le_bytes);
        // a loop would not be unrolled
        macro_rules! try_slots {
            ($($slot:literal)*) => {$(
                if first != 0 && self.names.get($slot)?.first() == Some(&first) {
                    return self.begins_with_member(words, $slot);
                }
            )*};
        }
        try_slots!(7 6 5 4 3 2 1);
        None
    }

    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    fn begins_with_member(&self, [low, high]: [u64; 2], slot: usize) -> Option<(Place, usize)> {
        let name = u64::from_le_bytes(*self.names.get(slot)?);
        let len = 8u32.wrapping_sub(name.leading_zeros() >> 3);
        // what does not fit the first word
        let over = (len << 3).saturating_sub(40);
        let comma = u64::from(u16::from_le_bytes(*b",\""));
        let known = name << 16 | comma;
        let is_it = if over == 0 {
            let colon = u64::from(b':').wrapping_shl((len << 3).wrapping_add(16));
            low & u64::MAX.wrapping_shr(40u32.wrapping_sub(len << 3)) == known | colon
        } else {
            let rest = name.wrapping_shr(48) | u64::from(b':').wrapping_shl(over.wrapping_sub(8));
            low == known && high & u64::MAX.wrapping_shr(64u32.wrapping_sub(over)) == rest
        };
        if is_it { Some((Place(slot), (len as usize).wrapping_add(3))) } else { None }
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
        _ = Names::new(&NAMES, [0; 16]);
    }

    #[test]
    #[should_panic]
    fn a_name_in_the_slot_of_others_is_refused() {
        static NAMES: [[u8; 8]; SLOTS] = {
            let mut names = NOTHING;
            names[4] = A;
            names
        };
        _ = Names::new(&NAMES, [0; 16]);
    }
}
