//! Ends several calls without an answer.

use core::iter::FusedIterator;

use super::Client;
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

    /// Ends the calls whose deadline has passed at `now`, and returns their ids and tags one by one. Calls that the iterator has not
    /// returned stay in flight.
    ///
    /// The program chooses the length of a tick. The count of ticks wraps at 2^32. A deadline lies at most 2^31 ticks ahead, and counts as
    /// past for the 2^31 ticks from then on. If the clock has more than 32 bits, pass its lowest 32.
    #[must_use = "only the calls that the iterator returns are ended"]
    pub fn expire(&mut self, now: u32) -> impl FusedIterator<Item = (&Id<ID>, T)> {
        let late = self.pending.calls_mut().filter(move |call| call.is_late(now));
        late.filter_map(|call| Some((&call.id, call.tag.take()?)))
    }

    /// Ends all calls in flight, for example after a lost connection, and returns their ids and tags one by one. Calls that the iterator
    /// has not returned stay in flight.
    #[must_use = "only the calls that the iterator returns are ended"]
    pub fn drain(&mut self) -> impl FusedIterator<Item = (&Id<ID>, T)> {
        self.extract_if(|_, _| true)
    }
}
