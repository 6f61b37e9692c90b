//! The calls in flight.

use crate::error::{Error, ErrorKind};
use crate::json::{RawStr, RawValue};
use crate::message::Id;

/// An id to look up among those of the calls.
pub(super) trait Sought {
    /// Whether it equals `id`. Null equals no id.
    fn is<const N: usize>(&self, id: &Id<N>) -> bool;
}

impl<const A: usize> Sought for Id<A> {
    fn is<const N: usize>(&self, id: &Id<N>) -> bool {
        id.equals(self)
    }
}

/// An integer as the id.
impl Sought for i64 {
    fn is<const N: usize>(&self, id: &Id<N>) -> bool {
        id.as_i64() == Some(*self)
    }
}

/// An id as spelled in a text, and its value if it is an integer.
pub(super) struct Spelled<'a>(RawValue<'a>, Option<i64>);

impl<'a> Spelled<'a> {
    pub(super) fn of(id: RawValue<'a>) -> Self {
        Self(id, id.as_i64())
    }

    pub(super) const fn with_number(id: RawValue<'a>, number: i64) -> Self {
        Self(id, Some(number))
    }

    /// Its value, if it is an integer.
    pub(super) const fn number(&self) -> Option<i64> {
        self.1
    }
}

impl Sought for Spelled<'_> {
    fn is<const N: usize>(&self, id: &Id<N>) -> bool {
        let (raw, text) = match id {
            Id::Null => return false,
            Id::Number(number) => return self.1 == Some(*number),
            // compare a number like a string without escapes
            Id::Decimal { text } => (Some(RawStr::validated(self.0.as_bytes())), text.as_str()),
            Id::String(text) => (self.0.as_str_raw(), text.as_str()),
        };
        raw.is_some_and(|raw| raw == *text)
    }
}

/// A slot for one call. A slot without a tag is free. A free slot keeps the id of its finished call until another call takes the slot.
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Call<T, const ID: usize> {
    pub(super) id: Id<ID>,
    pub(super) tag: Option<T>,
    /// The deadline has two fields, because an `Option` takes 8 bytes more in each slot.
    deadline: u32,
    has_deadline: bool,
    /// The batch of the call: [`ALONE`], [`UNSENT`], [`STAYS`], or a number that the calls of a batch share.
    pub(super) batch: u16,
}

/// The batch of a call outside of batches.
pub(super) const ALONE: u16 = 0;
/// The batch of a call in an unfinished batch.
pub(super) const UNSENT: u16 = u16::MAX;

/// The batch of a call that stays in flight after an answer.
pub(super) const STAYS: u16 = u16::MAX - 1;

/// The calls that an answer without an id must be for.
pub(super) enum Only<T> {
    Call(T),
    /// All calls in flight.
    Batch,
    None,
}

impl<T, const ID: usize> Call<T, ID> {
    const EMPTY: Self = Self { id: Id::Null, tag: None, deadline: 0, has_deadline: false, batch: ALONE };

    /// Whether the call is in flight and past its deadline at `now`.
    pub(super) fn is_late(&self, now: u32) -> bool {
        self.tag.is_some() && self.has_deadline && is_past(self.deadline, now)
    }

    pub(super) fn set_deadline(&mut self, deadline: Option<u32>) {
        (self.deadline, self.has_deadline) = (deadline.unwrap_or_default(), deadline.is_some());
    }
}

/// Whether `now` is at `deadline` or up to 2^31 - 1 ticks past it, on a clock that wraps.
const fn is_past(deadline: u32, now: u32) -> bool {
    now.wrapping_sub(deadline) < HALF
}

const HALF: u32 = 1 << 31;

/// Slots for `N` calls.
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Pending<T, const N: usize, const ID: usize> {
    calls: [Call<T, ID>; N],
    /// The slot after the last one taken. Slots are used in turn, so that the ids of finished calls stay as long as possible.
    next_slot: usize,
}

impl<T, const N: usize, const ID: usize> Pending<T, N, ID> {
    pub(super) const fn new() -> Self {
        Self { calls: [const { Call::EMPTY }; N], next_slot: 0 }
    }

    /// The calls in flight.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Call<T, ID>> {
        self.calls.iter().filter(|call| call.tag.is_some())
    }

    pub(super) fn calls_mut(&mut self) -> core::slice::IterMut<'_, Call<T, ID>> {
        self.calls.iter_mut()
    }

    /// Whether a call with this id is in flight.
    pub(super) fn has(&self, id: &impl Sought) -> bool {
        self.iter().any(|call| id.is(&call.id))
    }

    /// Whether a call with this id stays in flight.
    pub(super) fn keeps(&self, id: &impl Sought) -> bool {
        self.iter().any(|call| call.batch == STAYS && id.is(&call.id))
    }

    /// The call in flight with this id.
    pub(super) fn get_mut(&mut self, id: &impl Sought) -> Option<&mut Call<T, ID>> {
        self.calls.iter_mut().find(|call| call.tag.is_some() && id.is(&call.id))
    }

    /// Whether a call with this id is finished and still remembered.
    pub(super) fn remembers(&self, id: &impl Sought) -> bool {
        self.calls.iter().any(|call| call.tag.is_none() && id.is(&call.id))
    }

    /// Ends the call with this id and returns its tag.
    pub(super) fn take(&mut self, id: &impl Sought) -> Option<T> {
        self.get_mut(id)?.tag.take()
    }

    /// Ends the call in flight, if there is exactly one.
    pub(super) fn only(&mut self) -> Only<T> {
        let mut calls = self.calls.iter_mut().filter(|call| call.tag.is_some());
        match (calls.next(), calls.next()) {
            (Some(call), None) if call.batch != STAYS => call.tag.take().map_or(Only::None, Only::Call),
            (Some(call), Some(next)) if call.batch != ALONE && call.batch == next.batch => {
                if calls.all(|other| other.batch == call.batch) { Only::Batch } else { Only::None }
            }
            _ => Only::None,
        }
    }

    /// Returns a free slot, a reference to `next_slot`, and the value to store there once the slot is taken.
    pub(super) fn free_slot(&mut self) -> Result<(&mut Call<T, ID>, &mut usize, usize), Error> {
        let is_free = |index: &usize| self.calls.get(*index).is_some_and(|call| call.tag.is_none());
        let index = (self.next_slot..N).chain(0..self.next_slot).find(is_free);
        let call = index.and_then(|index| Some((self.calls.get_mut(index)?, index)));
        let (call, index) = call.ok_or(Error::new(ErrorKind::TooManyCalls, N))?;
        Ok((call, &mut self.next_slot, index.wrapping_add(1)))
    }

    /// Returns the ticks from `now` to the earliest deadline; 0 if it has passed.
    pub(super) fn ticks_left(&self, now: u32) -> Option<u32> {
        self.iter()
            .filter(|call| call.has_deadline)
            .map(|call| if is_past(call.deadline, now) { 0 } else { call.deadline.wrapping_sub(now) })
            .min()
    }
}
