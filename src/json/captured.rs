//! The members that a pass captures.

#[cfg(not(target_pointer_width = "64"))]
mod device;
#[cfg(target_pointer_width = "64")]
mod host;

use super::names::{Names, Place, REPEAT};
#[cfg(all(test, target_pointer_width = "64"))]
use super::offset::offset_in;
use super::trim_start;
#[cfg(all(test, target_pointer_width = "64"))]
use super::{Members, RawStr, RawValue};

#[cfg(not(target_pointer_width = "64"))]
pub(crate) use device::Captured;
#[cfg(target_pointer_width = "64")]
pub(crate) use host::Captured;
#[cfg(target_pointer_width = "64")]
pub(super) use host::{BEGINNING, CONTAINER, NUMBER, OTHER, PLAIN, Seen};

impl<'a> Captured<'a> {
    /// The slot of the first repeated value: the second value under one name.
    pub(crate) const REPEAT: usize = REPEAT;

    /// Captures the `members` of the validated `object`; other text may follow it. Tests compare [`object`](super::object) with it. It
    /// fills `self` in place, because moving a `Captured` links `memcpy`.
    #[cfg(all(test, target_pointer_width = "64"))]
    pub(crate) fn fill(&mut self, object: RawValue<'a>, members: &mut Members<'a>, names: &Names) {
        for (name, value) in members {
            let place = self.member(names, Place::OTHER, object, name, value);
            if place == Place::NESTED {
                for (name, inner) in value.members() {
                    self.member(names, place.inside(), value, name, inner);
                }
            }
        }
    }

    #[cfg(all(test, target_pointer_width = "64"))]
    fn member(
        &mut self,
        names: &Names,
        place: Place,
        object: RawValue<'a>,
        name: RawStr<'a>,
        value: RawValue<'a>,
    ) -> Place {
        let opened = offset_in(object.as_bytes(), name.as_bytes());
        let inside = object.as_bytes().get(opened..).unwrap_or_default();
        let place = self.begin(names, inside, place).beside(place);
        self.set(place, value.as_bytes());
        place
    }

    /// Begins a member; its name is at the front of `inside`. Returns the place where its value is captured, or [`Place::OTHER`]. `place`
    /// is the last parameter, because `inside` then moves through fewer registers: 8 bytes of stack less.
    #[inline(never)]
    pub(super) fn begin(&mut self, names: &Names, inside: &'a [u8], place: Place) -> Place {
        let Some((place, behind)) = names.find(place, inside) else { return Place::OTHER };
        // the slice is shortened by `end` when the pass reaches the end of the value
        self.value(place, trim_start(behind))
    }
}
