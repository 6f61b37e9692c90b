//! The iterator that ends calls without an answer.

use core::iter::FusedIterator;
use core::slice::IterMut;

use super::pending::Call;
use crate::message::Id;

/// Ends calls, and returns their ids and tags; see [`Client::expire`](super::Client::expire) and [`Client::drain`](super::Client::drain).
#[derive(Debug)]
#[must_use = "only the calls that the iterator returns are ended"]
pub struct Drain<'c, T, const ID: usize = 64> {
    rest: IterMut<'c, Call<T, ID>>,
    now: Option<u32>,
}

impl<'c, T, const ID: usize> Drain<'c, T, ID> {
    /// Ends the calls in `rest` whose deadline has passed at `now`; all calls if `now` is `None`.
    pub(super) const fn new(rest: IterMut<'c, Call<T, ID>>, now: Option<u32>) -> Self {
        Self { rest, now }
    }
}

impl<'c, T, const ID: usize> Iterator for Drain<'c, T, ID> {
    type Item = (&'c Id<ID>, T);

    fn next(&mut self) -> Option<Self::Item> {
        let now = self.now;
        self.rest.find(|call| call.tag.is_some() && now.is_none_or(|now| call.is_late(now))).and_then(|call| {
            let tag = call.tag.take()?;
            Some((&call.id, tag))
        })
    }
}

impl<T, const ID: usize> FusedIterator for Drain<'_, T, ID> {}

#[cfg(feature = "defmt")]
impl<T, const ID: usize> defmt::Format for Drain<'_, T, ID> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Drain");
    }
}
