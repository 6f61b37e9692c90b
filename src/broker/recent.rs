//! A table of recent calls, to recognize duplicates.

use core::hash::Hasher;

use heapless::Vec;
use siphasher::sip::SipHasher13;

/// Remembers the last `N` calls, so that a call that is delivered twice is answered once. Each call has an id of at most `LEN` bytes and a
/// payload. A new call replaces the oldest: a call is answered again if `N` other calls came between its two deliveries.
///
/// A message is a duplicate if both its id and its payload are those of an earlier one: a second delivery has the same bytes. Ids are
/// compared byte for byte. Payloads are compared by a hash of 64 bits with a [key](Self::keyed_by).
///
/// ```
/// use nanojsonrpc::broker::{Insertion, Recent};
///
/// let mut recent = Recent::<2>::new();
/// assert_eq!(recent.insert(&[b"switch", b"1"], b"on"), Insertion::New);
/// assert_eq!(recent.insert(&[b"switch", b"1"], b"on"), Insertion::Seen);
/// // another id, and another payload under the same id
/// assert_eq!(recent.insert(&[b"switc", b"h1"], b"on"), Insertion::New);
/// assert_eq!(recent.insert(&[b"switch", b"1"], b"off"), Insertion::New);
/// // the first one has left the table
/// assert!(!recent.contains(&[b"switch", b"1"], b"on"));
/// ```
///
/// # Limits
/// `N` calls. An id takes the length of its parts and two more bytes for each part, at most `LEN` bytes in total.
/// [`mqtt::answer`](super::mqtt::answer) uses two parts, so with the default of 64 bytes the response topic and the correlation data have
/// at most 60 bytes together. A longer id is not stored, and its call is [answered](Insertion::Unknown) at each delivery. Memory: about
/// `N * (LEN + 16)` bytes. Time: each look-up hashes the payload and compares all `N` ids.
///
/// # Hostile publishers
/// Every publisher to the topic of the server can send `N` calls, which replace all others, so that a second delivery of an earlier call is
/// answered again. It can also send the same bytes with the same id before the client does: the call of the client is then a duplicate, and
/// the client receives the answer to the first delivery. Neither attack drops a call that no handler has answered. Against both, let the
/// broker restrict the publishers to that topic.
///
/// # Restarts
/// A client that restarts must not use an id again with the same payload: the call would be a duplicate. Begin the ids with a random number
/// or with a counter of restarts. The table of a restarted server is empty: a call that is delivered again is answered again.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Recent<const N: usize, const LEN: usize = 64> {
    calls: Vec<Call<LEN>, N>,
    /// The index that the next call takes once the table is full.
    oldest: usize,
    key: u64,
}

/// The identity of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Call<const LEN: usize> {
    id: Vec<u8, LEN>,
    payload: u64,
}

/// The result of [`Recent::insert`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Insertion {
    /// The call is new, and now in the table. Answer it.
    New,
    /// The call is already in the table: it is a duplicate.
    Seen,
    /// The id exceeds `LEN` bytes, or the table has no slots. Answer the call; a duplicate would be answered again.
    Unknown,
}

impl<const N: usize, const LEN: usize> Recent<N, LEN> {
    /// An empty table.
    pub const fn new() -> Self {
        Self { calls: Vec::new(), oldest: 0, key: 0 }
    }

    /// Sets the key of the hash of payloads, for an empty table. With a random secret key, a hostile publisher cannot find a payload with
    /// the hash of another one, and cannot make a different call a duplicate. With the default key, 0, a publisher with much computing time
    /// can search for such a payload.
    ///
    /// ```
    /// use nanojsonrpc::broker::Recent;
    ///
    /// # let random = || 7;
    /// let recent = Recent::<16>::new().keyed_by(random());
    /// # assert!(!recent.contains(&[b"1"], b""));
    /// ```
    pub const fn keyed_by(mut self, key: u64) -> Self {
        self.key = key;
        self
    }

    /// Whether the call with the id made of `parts` and this payload is in the table.
    pub fn contains(&self, parts: &[&[u8]], payload: &[u8]) -> bool {
        self.identify(parts, payload).is_some_and(|call| self.has(&call))
    }

    /// Looks up the call with the id made of `parts` and this payload, and adds it if it is new. Call this after the answer, and only if
    /// there was room for the answer: a call that reached no handler must be answered when it is delivered again.
    pub fn insert(&mut self, parts: &[&[u8]], payload: &[u8]) -> Insertion {
        match self.identify(parts, payload) {
            Some(call) if self.has(&call) => Insertion::Seen,
            Some(call) => self.add(call),
            None => Insertion::Unknown,
        }
    }

    /// The identity of a call; `None` if the id is too long.
    pub(super) fn identify(&self, parts: &[&[u8]], payload: &[u8]) -> Option<Call<LEN>> {
        Some(Call { id: joined(parts)?, payload: self.hash(payload) })
    }

    fn hash(&self, payload: &[u8]) -> u64 {
        let mut hasher = SipHasher13::new_with_keys(self.key, 0);
        hasher.write(payload);
        hasher.finish()
    }

    /// Whether `call` is in the table.
    pub(super) fn has(&self, call: &Call<LEN>) -> bool {
        self.calls.contains(call)
    }

    /// Adds a new call.
    pub(super) fn add(&mut self, call: Call<LEN>) -> Insertion {
        if let Err(call) = self.calls.push(call) {
            let Some(place) = self.calls.get_mut(self.oldest) else { return Insertion::Unknown };
            *place = call;
            self.oldest = self.oldest.wrapping_add(1);
            if self.oldest >= N {
                self.oldest = 0;
            }
        }
        Insertion::New
    }
}

impl<const N: usize, const LEN: usize> Default for Recent<N, LEN> {
    fn default() -> Self {
        Self::new()
    }
}

/// The length of the id made of `parts`.
pub(super) fn id_len(parts: &[&[u8]]) -> usize {
    parts.iter().fold(0, |len, part| part.len().saturating_add(2).saturating_add(len))
}

/// Joins `parts` into an id, each after its length; `None` if the id is too long.
fn joined<const LEN: usize>(parts: &[&[u8]]) -> Option<Vec<u8, LEN>> {
    let mut id = Vec::new();
    for part in parts {
        let len = u16::try_from(part.len()).ok()?;
        id.extend_from_slice(&len.to_le_bytes()).ok()?;
        id.extend_from_slice(part).ok()?;
    }
    Some(id)
}
