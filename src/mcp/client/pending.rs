//! The calls in flight. All ids are the client's own numbers.

use crate::client::Sent;
use crate::error::{Error, ErrorKind};

/// The greatest number: "integers [...] in the range [-(2**53)+1, (2**53)-1] are interoperable" (RFC 8259 §6). Those of
/// [`Connection::call`](crate::connection::Connection) on the same stream begin after it.
const MAX_ID: i64 = (1 << 52) - 1;

/// Room for `N` calls.
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Pending<T, const N: usize> {
    calls: [Option<(Sent, T)>; N],
    /// The number to give next, if it is not in flight.
    next: i64,
}

impl<T, const N: usize> Pending<T, N> {
    pub(super) const fn new() -> Self {
        Self { calls: [const { None }; N], next: 1 }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (i64, &T)> {
        self.calls.iter().filter_map(|call| call.as_ref().map(|(call, tag)| (call.id, tag)))
    }

    /// Whether the call `id` is in flight.
    pub(super) fn has(&self, id: i64) -> bool {
        self.iter().any(|(in_flight, _)| in_flight == id)
    }

    /// The number of the next call.
    ///
    /// # Errors
    /// [`TooManyCalls`](ErrorKind::TooManyCalls) if the table is full.
    pub(super) fn next(&self) -> Result<i64, Error> {
        if self.calls.iter().all(Option::is_some) {
            return Err(Error::new(ErrorKind::TooManyCalls, N));
        }
        let mut id = self.next;
        // at most N are in flight
        while self.has(id) {
            id = following(id);
        }
        Ok(id)
    }

    /// A number for a request that is not among these calls.
    pub(super) fn take_number(&mut self) -> i64 {
        let mut id = self.next;
        while self.has(id) {
            id = following(id);
        }
        self.next = following(id);
        id
    }

    /// Stores `call`, whose id is that of [`next`](Self::next).
    pub(super) fn insert(&mut self, call: Sent, tag: T) {
        self.next = following(call.id);
        if let Some(place) = self.calls.iter_mut().find(|call| call.is_none()) {
            *place = Some((call, tag));
        }
    }

    /// The calls in flight, as they were written.
    pub(super) fn sent(&self) -> impl Iterator<Item = &Sent> {
        self.calls.iter().flatten().map(|(call, _)| call)
    }

    /// Ends the call `id` and returns its tag.
    pub(super) fn take(&mut self, id: i64) -> Option<T> {
        let call = self.calls.iter_mut().find(|call| call.as_ref().is_some_and(|(call, _)| call.id == id))?;
        call.take().map(|(_, tag)| tag)
    }

    /// Ends any call.
    pub(super) fn take_any(&mut self) -> Option<(i64, T)> {
        self.calls.iter_mut().find_map(Option::take).map(|(call, tag)| (call.id, tag))
    }
}

/// The number that is given after `id`.
const fn following(id: i64) -> i64 {
    if id >= MAX_ID { 1 } else { id.wrapping_add(1) }
}

#[cfg(test)]
mod tests {
    use super::{MAX_ID, Pending};
    use crate::client::Sent;
    use crate::error::ErrorKind;
    use crate::json::Writer;

    #[test]
    fn numbers_begin_again_and_pass_over_those_in_flight() {
        let mut pending: Pending<char, 2> = Pending::new();
        pending.insert(Sent::written(1, 0, &Writer::new(&mut [])), 'a');
        pending.next = MAX_ID;
        assert_eq!(pending.next(), Ok(MAX_ID));
        pending.insert(Sent::written(MAX_ID, 0, &Writer::new(&mut [])), 'b');
        assert_eq!(pending.next().map_err(|error| error.kind()), Err(ErrorKind::TooManyCalls));
        assert_eq!(pending.take(MAX_ID), Some('b'));
        assert_eq!(pending.take(MAX_ID), None);
        assert_eq!(pending.next(), Ok(2));
        assert_eq!(pending.take_number(), 2);
        assert_eq!(pending.take_any(), Some((1, 'a')));
        assert_eq!(pending.take_any(), None);
    }
}
