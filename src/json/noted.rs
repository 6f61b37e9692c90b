//! What a pass has noticed.

#[cfg(any(test, not(target_pointer_width = "64")))]
use super::RawValue;
use super::names::{Names, Place, REPEAT, SLOTS};
use super::{Kind, RawStr, trim_start};

/// What a pass noticed: the first value of each of the [`Names`], empty where there was none.
///
/// On a device it is only the array, because that is built in place; more around it would be copied, and `memcpy` is 900
/// bytes of flash.
#[derive(Clone, Copy)]
pub(crate) struct Noted<'a> {
    values: [&'a [u8]; SLOTS],
    /// A bit for each slot whose value was seen to be a string without escapes.
    #[cfg(target_pointer_width = "64")]
    unescaped: u32,
}

impl<'a> Noted<'a> {
    /// The slot of the first value that stood under a name for the second time.
    pub(crate) const REPEAT: usize = REPEAT;

    /// Nothing noticed yet in `text`.
    #[inline(always)]
    pub(crate) fn new(text: &'a [u8]) -> Self {
        // a constant would be copied, too
        Self {
            values: [text.get(..0).unwrap_or_default(); SLOTS],
            #[cfg(target_pointer_width = "64")]
            unescaped: 0,
        }
    }

    /// Notes the members of an object that has been validated. On 64-bit hosts [`wide`](super::wide) does, and this is its
    /// twin. In place, because moving what was noted links `memcpy`.
    #[cfg(any(test, not(target_pointer_width = "64")))]
    pub(crate) fn fill(&mut self, object: RawValue<'a>, names: &Names) {
        for (name, value) in object.members() {
            let place = self.member(names, Place::OTHER, object, name, value);
            if place == Place::NESTED {
                for (name, inner) in value.members() {
                    self.member(names, place.inside(true), value, name, inner);
                }
            }
        }
    }

    #[cfg(any(test, not(target_pointer_width = "64")))]
    fn member(
        &mut self,
        names: &Names,
        place: Place,
        object: RawValue<'a>,
        name: RawStr<'a>,
        value: RawValue<'a>,
    ) -> Place {
        let opened = offset_in(object.as_bytes(), name.as_bytes());
        let place = self.begin(names, place, object.as_bytes().get(opened..).unwrap_or_default());
        if let Some(noted) = self.values.get_mut(place.slot()) {
            *noted = value.as_bytes();
        }
        place
    }

    /// A member begins whose name is at the front of `inside`. Says where its value is to be noted.
    #[inline(never)]
    pub(super) fn begin(&mut self, names: &Names, place: Place, inside: &'a [u8]) -> Place {
        let other = place.other();
        let Some((place, behind)) = names.find(place, inside) else { return other };
        // up to where the pass is when the value has ended
        self.value(place, other, trim_start(behind))
    }

    /// The whole value of the member at `place`, the first of its name.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    pub(super) fn put(&mut self, place: Place, value: &'a [u8]) {
        if let Some(noted) = self.values.get_mut(place.slot()) {
            *noted = value;
        }
    }

    /// Where the last of the noted values ends in `text`; 0 if there is none.
    #[cfg(target_pointer_width = "64")]
    #[cold]
    #[inline(never)]
    pub(super) fn end_in(&self, text: &[u8]) -> usize {
        let values = self.values.iter().filter(|value| !value.is_empty());
        values.map(|value| offset_in(text, value).wrapping_add(value.len())).max().unwrap_or(0)
    }

    /// The value at `place` has been seen to be a string without escapes.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    pub(super) fn mark_unescaped(&mut self, place: Place) {
        self.unescaped |= 1 << place.slot();
    }

    /// The same for all there are.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    pub(super) fn mark_all_unescaped(&mut self) {
        self.unescaped = u32::MAX;
    }

    /// What the string in `slot` spells, if it was seen to have no escapes.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    pub(crate) fn unescaped(&self, slot: usize) -> Option<RawStr<'a>> {
        if self.unescaped >> (slot & 15) & 1 != 0 { RawStr::of(self.get(slot)) } else { None }
    }

    /// The value at the front of `begun` is that of the member at `place`, or of an `other` one if that has been there.
    #[inline(always)]
    pub(super) fn value(&mut self, place: Place, other: Place, begun: &'a [u8]) -> Place {
        let Some(value) = self.values.get_mut(place.slot()) else { return other };
        if value.is_empty() {
            *value = begun;
            return place;
        }
        // the place stays taken, by what no id may be
        *value = b"[]";
        match self.values.get_mut(Self::REPEAT) {
            Some(repeat) if repeat.is_empty() => *repeat = begun,
            _ => {}
        }
        other
    }

    /// The value of a member has ended, `behind` bytes before the end of the text.
    #[inline(never)]
    pub(super) fn end(&mut self, place: Place, behind: usize) {
        if let Some(value) = self.values.get_mut(place.slot()) {
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
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub(crate) fn bit(&self, slot: usize) -> u32 {
        Kind::bit(self.get(slot))
    }

    /// Forgets the member in `slot`.
    pub(crate) fn forget(&mut self, slot: usize) {
        if let Some(place) = self.values.get_mut(slot) {
            *place = &[];
        }
    }
}

/// Where `part`, a slice of `text`, begins in it.
pub(crate) fn offset_in(text: &[u8], part: &[u8]) -> usize {
    part.as_ptr().addr().wrapping_sub(text.as_ptr().addr())
}
