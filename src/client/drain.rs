//! Ends several calls without an answer.

use core::iter::FusedIterator;
use core::slice::IterMut;

use super::Client;
use super::pending::Call;
use crate::message::Id;

impl<T, const N: usize, const ID: usize> Client<T, N, ID> {
    /// Ends the calls in flight for which `ends` returns `true`, and returns their ids and tags one by one: in a gateway, the calls of
    /// one client that has gone away. Calls that the iterator has not reached stay in flight.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::{Client, Writer};
    ///
    /// // the tag of a call is the number of its client and the id that this client has chosen
    /// let mut upstream: Client<(u16, i64), 8> = Client::new();
    /// let mut buffer = [0; 256];
    /// let mut out = Writer::new(&mut buffer);
    /// for tag in [(1, 70), (2, 5), (1, 71)] {
    ///     upstream.call("read", &(), tag, &mut out)?;
    /// }
    /// let ended = upstream.extract_if(|_, (client, _)| *client == 1).map(|(id, (_, own))| (id.as_i64(), own));
    /// assert!(ended.eq([(Some(1), 70), (Some(3), 71)]));
    /// assert_eq!(upstream.len(), 1);
    /// # Ok(()) }
    /// ```
    #[must_use = "only the calls that the iterator returns are ended"]
    pub fn extract_if(&mut self, mut ends: impl FnMut(&Id<ID>, &T) -> bool) -> impl FusedIterator<Item = (&Id<ID>, T)> {
        self.pending.calls_mut().filter_map(move |call| {
            let tag = call.tag.take_if(|tag| ends(&call.id, tag))?;
            Some((&call.id, tag))
        })
    }
}

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
