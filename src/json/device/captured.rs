//! The members that a pass captures: values as slices, without a bit mask: this is the smallest code.

use crate::json::Kind;
use crate::json::name_table::{Position, SLOTS};

/// The first value of each name of the [`NameTable`](super::NameTable); an empty slice means no value.
///
/// The struct holds the array alone, because the compiler then builds it in place. With a second field it is copied,
/// and `memcpy` is 900 bytes of flash.
#[derive(Clone, Copy)]
pub(crate) struct Captured<'a> {
    values: [&'a [u8]; SLOTS],
}

impl<'a> Captured<'a> {
    /// An empty capture; the empty slices point into `text`.
    #[inline(always)]
    pub(crate) fn new(text: &'a [u8]) -> Self {
        // an empty slice of `text`, because the compiler would copy a constant array
        Self { values: [text.get(..0).unwrap_or_default(); SLOTS] }
    }

    /// Captures a value that begins at the front of `begun`, for the member at `position`. Returns `position`, or [`Position::OTHER`] if the
    /// member is repeated.
    #[inline(always)]
    pub(in crate::json) fn value(&mut self, position: Position, begun: &'a [u8]) -> Position {
        let Some(value) = self.values.get_mut(position.slot()) else { return Position::OTHER };
        if value.is_empty() {
            *value = begun;
            return position;
        }
        // Store a sentinel (`[]` is never a valid id) so that the slot stays occupied.
        *value = b"[]";
        match self.values.get_mut(Self::REPEAT) {
            Some(repeat) if repeat.is_empty() => *repeat = begun,
            _ => {}
        }
        Position::OTHER
    }

    /// Ends the value of the member at `position`, `behind` bytes before the end of the text.
    #[inline(always)]
    pub(in crate::json) fn end(&mut self, position: Position, behind: usize) {
        if let Some(value) = self.values.get_mut(position.slot()) {
            if let Some(whole) = value.get(..value.len().wrapping_sub(behind)) {
                *value = whole;
            }
        }
    }

    /// The value of the member in `slot`; empty if there is none.
    pub(crate) fn get(&self, slot: usize) -> &'a [u8] {
        self.values.get(slot).copied().unwrap_or_default()
    }

    /// Whether there is a member in `slot`.
    pub(crate) fn has(&self, slot: usize) -> bool {
        !self.get(slot).is_empty()
    }

    /// The [bit](Kind::bit) of the value in `slot`.
    #[inline(never)]
    pub(crate) fn bit(&self, slot: usize) -> u32 {
        Kind::bit(self.get(slot))
    }

    /// Replaces the value in `slot` by `value`.
    pub(crate) fn replace(&mut self, slot: usize, value: &'a [u8]) {
        if let Some(place) = self.values.get_mut(slot) {
            *place = value;
        }
    }

    /// Empties `slot`.
    pub(crate) fn forget(&mut self, slot: usize) {
        if let Some(position) = self.values.get_mut(slot) {
            *position = position.get(..0).unwrap_or_default();
        }
    }
}

/// What hosts learn of a value while they read it. Devices look at the value instead, so each answer is "not known".
#[expect(clippy::unused_self, reason = "as on hosts")]
impl<'a> Captured<'a> {
    #[inline(always)]
    pub(crate) const fn lacks(&self, _slot: usize) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) const fn is_plain(&self, _slot: usize) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) const fn is_beginning(&self, _slot: usize) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) const fn is_number(&self, _slot: usize) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) const fn is_container(&self, _slot: usize) -> bool {
        false
    }
}
