//! The members that a pass captures: values as slices, and one word with a bit for each filled slot, which the pass keeps in a register.

use crate::json::Kind;
use crate::json::name_table::{Position, SLOTS};

/// Four groups of a bit for each slot: the slots with any value, then those with a [`PLAIN`] value, a [`NUMBER`] or a [`CONTAINER`].
pub(in crate::json) type Seen = u64;

/// The bits of any value, for slot 0.
pub(in crate::json) const OTHER: Seen = 1;
/// The bits of an ASCII string without escapes.
pub(in crate::json) const PLAIN: Seen = OTHER | 1 << 16;
/// The bits of a number.
pub(in crate::json) const NUMBER: Seen = OTHER | 1 << 32;
/// The bits of an object or array.
pub(in crate::json) const CONTAINER: Seen = OTHER | 1 << 48;
/// The bits of [`Known::BEGINNING`](crate::json::name_table::Known::BEGINNING)'s value, the only one with a string and a number bit.
pub(in crate::json) const BEGINNING: Seen = PLAIN | NUMBER;

/// The bits of the slots with a name; a second value under such a name is an error.
const NAMED: Seen = 0xFFFF & !(1 << Position::OTHER.slot() | 1 << (Position::OTHER.slot() | 8));

/// The first value of each name of the [`NameTable`](super::NameTable).
#[derive(Clone, Copy)]
pub(crate) struct Captured<'a> {
    // `new` writes only the discriminants, one word for each slot
    values: [Option<&'a [u8]>; SLOTS],
    seen: Seen,
}

impl<'a> Captured<'a> {
    /// An empty capture.
    #[inline(always)]
    pub(crate) const fn new(_: &'a [u8]) -> Self {
        Self { values: [None; SLOTS], seen: 0 }
    }

    /// The bits of the filled slots.
    #[inline(always)]
    pub(in crate::json) const fn seen(&mut self) -> &mut Seen {
        &mut self.seen
    }

    /// Captures the whole `value` of the member at `position`; `bits` are the bits of the value for slot 0. Returns `seen` with the bits of
    /// this value; the caller stores it.
    #[inline(always)]
    #[must_use]
    pub(in crate::json) fn whole(&mut self, seen: Seen, position: Position, value: &'a [u8], bits: Seen) -> Seen {
        let bits = bits << position.slot();
        if seen & bits & NAMED != 0 {
            return self.repeated(seen, position, value);
        }
        self.set(position, value);
        seen | bits
    }

    #[cold]
    #[inline(never)]
    fn repeated(&mut self, seen: Seen, position: Position, value: &'a [u8]) -> Seen {
        if seen >> Self::REPEAT & 1 == 0 {
            if let Some(repeat) = self.values.get_mut(Self::REPEAT) {
                *repeat = Some(value);
            }
        }
        // Store a sentinel (`[]` is never a valid id) so that the slot stays occupied.
        self.set(position, b"[]");
        seen | 1 << Self::REPEAT
    }

    #[inline(always)]
    pub(in crate::json) fn set(&mut self, position: Position, value: &'a [u8]) {
        if let Some(captured) = self.values.get_mut(position.slot()) {
            *captured = Some(value);
        }
    }

    /// Captures a value, at the front of `begun`, for the member at `position`. Returns `position`, or [`Position::OTHER`] if
    /// the member is repeated.
    pub(in crate::json) fn value(&mut self, position: Position, begun: &'a [u8]) -> Position {
        let is_repeated = self.has(position.slot());
        self.seen = self.whole(self.seen, position, begun, OTHER);
        if is_repeated { Position::OTHER } else { position }
    }

    /// Ends the value of the member at `position`, `behind` bytes before the end of the text.
    pub(in crate::json) fn end(&mut self, position: Position, behind: usize) {
        if let Some(Some(value)) = self.values.get_mut(position.slot()) {
            if let Some(whole) = value.get(..value.len().wrapping_sub(behind)) {
                *value = whole;
            }
        }
    }

    /// The value of the member in `slot`, if there is one.
    #[inline(always)]
    fn find(&self, slot: usize) -> Option<&'a [u8]> {
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

    /// Whether there is no member in `slot`.
    #[inline(always)]
    pub(crate) const fn lacks(&self, slot: usize) -> bool {
        !self.has(slot)
    }

    /// Whether the value in `slot` is an ASCII string without escapes.
    #[inline(always)]
    pub(crate) const fn is_plain(&self, slot: usize) -> bool {
        self.seen & PLAIN << (slot & 15) & !0xFFFF != 0
    }

    /// Whether the value in `slot` was read with [`Known::BEGINNING`](crate::json::name_table::Known::BEGINNING).
    #[inline(always)]
    pub(crate) const fn is_beginning(&self, slot: usize) -> bool {
        self.is_plain(slot) && self.is_number(slot)
    }

    /// Whether the value in `slot` is known to be a number.
    #[inline(always)]
    pub(crate) const fn is_number(&self, slot: usize) -> bool {
        self.seen & NUMBER << (slot & 15) & !0xFFFF != 0
    }

    /// Whether the value in `slot` is known to be an object or array.
    #[inline(always)]
    pub(crate) const fn is_container(&self, slot: usize) -> bool {
        self.seen & CONTAINER << (slot & 15) & !0xFFFF != 0
    }

    /// The [bit](Kind::bit) of the value in `slot`.
    #[inline(always)]
    pub(crate) fn bit(&self, slot: usize) -> u32 {
        self.find(slot).map_or(1, Kind::bit)
    }

    /// Replaces the value in `slot` by `value`.
    pub(crate) fn replace(&mut self, slot: usize, value: &'a [u8]) {
        self.forget(slot);
        if let Some(captured) = self.values.get_mut(slot) {
            *captured = Some(value);
        }
        self.seen |= OTHER << (slot & 15);
    }

    /// Empties `slot`.
    pub(crate) fn forget(&mut self, slot: usize) {
        if let Some(captured) = self.values.get_mut(slot) {
            *captured = None;
        }
        self.seen &= !((PLAIN | NUMBER | CONTAINER) << (slot & 15));
    }
}
