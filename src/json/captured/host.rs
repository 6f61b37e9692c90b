//! Values as slices, and which of them are there as the bits of one word, which the pass keeps in a register.

use crate::json::Kind;
use crate::json::names::{Place, SLOTS};

/// A bit for each slot that has a value, and [`PLAIN`] bits above it one for each slot whose value was seen to be a string of ASCII without
/// escapes.
pub(in crate::json) type Seen = u32;

const PLAIN: u32 = 16;

/// The bits of the slots with a name, whose members must not be repeated.
const NAMED: Seen = !(1 << Place::OTHER.slot() | 1 << (Place::OTHER.slot() | 8));

/// What a pass noticed: the first value of each of the [`Names`](super::Names).
#[derive(Clone, Copy)]
pub(crate) struct Captured<'a> {
    // only the absence is written in advance, which is one word a slot
    values: [Option<&'a [u8]>; SLOTS],
    seen: Seen,
}

impl<'a> Captured<'a> {
    /// Nothing noticed yet in `text`.
    #[inline(always)]
    pub(crate) const fn new(_: &'a [u8]) -> Self {
        Self { values: [None; SLOTS], seen: 0 }
    }

    /// Which values are there.
    #[inline(always)]
    pub(in crate::json) const fn seen(&mut self) -> &mut Seen {
        &mut self.seen
    }

    /// The member at `place` has the whole `value`, which `is_plain` if it is a string of ASCII without escapes. Returns what has been
    /// `seen` with it, which the caller keeps.
    #[inline(always)]
    #[must_use]
    pub(in crate::json) fn whole(&mut self, seen: Seen, place: Place, value: &'a [u8], is_plain: bool) -> Seen {
        let bits = (1 | Seen::from(is_plain) << PLAIN) << place.slot();
        if seen & bits & NAMED & 0xFFFF != 0 {
            return self.repeated(seen, place, value);
        }
        self.set(place, value);
        seen | bits
    }

    #[cold]
    #[inline(never)]
    fn repeated(&mut self, seen: Seen, place: Place, value: &'a [u8]) -> Seen {
        if seen >> Self::REPEAT & 1 == 0 {
            if let Some(repeat) = self.values.get_mut(Self::REPEAT) {
                *repeat = Some(value);
            }
        }
        // the place stays taken, by what no id may be
        self.set(place, b"[]");
        seen | 1 << Self::REPEAT
    }

    #[inline(always)]
    pub(super) fn set(&mut self, place: Place, value: &'a [u8]) {
        if let Some(captured) = self.values.get_mut(place.slot()) {
            *captured = Some(value);
        }
    }

    /// The value at the front of `begun` is that of the member at `place`, or of an `other` one if that has been there.
    pub(super) fn value(&mut self, place: Place, other: Place, begun: &'a [u8]) -> Place {
        let is_repeated = self.has(place.slot());
        self.seen = self.whole(self.seen, place, begun, false);
        if is_repeated { other } else { place }
    }

    /// The value of a member has ended, `behind` bytes before the end of the text.
    pub(in crate::json) fn end(&mut self, place: Place, behind: usize) {
        if let Some(Some(value)) = self.values.get_mut(place.slot()) {
            if let Some(whole) = value.get(..value.len().wrapping_sub(behind)) {
                *value = whole;
            }
        }
    }

    /// The value of the member in `slot`, if there is one.
    #[inline(always)]
    pub(crate) fn find(&self, slot: usize) -> Option<&'a [u8]> {
        self.values.get(slot).copied().flatten()
    }

    /// The value of the member in `slot`; empty if there is none.
    #[inline(always)]
    pub(crate) fn get(&self, slot: usize) -> &'a [u8] {
        self.find(slot).unwrap_or_default()
    }

    /// Whether there is a member in `slot`.
    #[inline(always)]
    pub(crate) const fn has(&self, slot: usize) -> bool {
        self.seen >> (slot & 15) & 1 != 0
    }

    /// Whether there is a member in one of the slots whose bits these are.
    #[inline(always)]
    pub(crate) const fn has_any(&self, slots: Seen) -> bool {
        self.seen & slots != 0
    }

    /// The [bit](Kind::bit) of the value in `slot`.
    #[inline(always)]
    pub(crate) fn bit(&self, slot: usize) -> u32 {
        self.find(slot).map_or(1, Kind::bit)
    }

    /// The inside of the value in `slot`, if it was seen to be a string of ASCII without escapes.
    #[inline(always)]
    pub(crate) fn plain(&self, slot: usize) -> Option<&'a [u8]> {
        match self.find(slot)? {
            [_, inside @ .., _] if self.seen >> (slot & 15) >> PLAIN & 1 != 0 => Some(inside),
            _ => None,
        }
    }

    /// Forgets the member in `slot`.
    pub(crate) fn forget(&mut self, slot: usize) {
        if let Some(captured) = self.values.get_mut(slot) {
            *captured = None;
        }
        self.seen &= !(1 << (slot & 15));
    }
}
