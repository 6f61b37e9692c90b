//! A table of recent calls and their answers, for duplicates.

use core::hash::Hasher;

use heapless::Vec;
use siphasher::sip::SipHasher13;

use crate::copy::copy_down;

/// Remembers the last `N` calls, and up to `LEN` bytes of their answers, so that a call that is delivered twice is handled once and answered
/// twice. A new call replaces the oldest, and a new answer the oldest answers. A call whose answer is gone stays in the table: a second
/// delivery is answered with an [error](super::mqtt::ANSWER_LOST).
///
/// Two messages are equal if all their parts are: the bytes of the id and of the payload. They are compared by a hash of 64 bits with a
/// [key](Self::keyed_by).
///
/// ```
/// use nanojsonrpc::broker::{Recent, StoredAnswer};
///
/// let mut recent = Recent::<2, 16>::new();
/// recent.insert(&[b"switch", b"on"], Some(b"12345678"));
/// assert_eq!(recent.find(&[b"switch", b"on"]), Some(StoredAnswer::Kept(b"12345678")));
/// // another id, which has equal bytes in other parts
/// assert_eq!(recent.find(&[b"switcho", b"n"]), None);
/// // the second answer displaces the first one, the third call the first call
/// recent.insert(&[b"switch", b"off"], Some(b"123456789"));
/// assert_eq!(recent.find(&[b"switch", b"on"]), Some(StoredAnswer::Lost));
/// recent.insert(&[b"lamp", b"on"], None);
/// assert_eq!(recent.find(&[b"switch", b"on"]), None);
/// assert_eq!(recent.find(&[b"lamp", b"on"]), Some(StoredAnswer::Silent));
/// ```
///
/// # Limits
/// `N` calls; with 0 every call is new. `LEN` bytes of answers; a longer answer is [lost](StoredAnswer::Lost). Memory: about `32 * N + LEN`
/// bytes. Time: each look-up hashes the message and compares `N` numbers.
///
/// # Hostile publishers
/// Every publisher to the topic of the server can send `N` calls, which replace all others, so that a second delivery of an earlier call is
/// handled again. Within the [window](Self::within), it can also send the same bytes with the same id before the client does: the call of
/// the client is then a duplicate, and is answered as the first one was. Against both, let the broker restrict the publishers to that topic.
///
/// # Restarts
/// The table of a restarted server is empty: a call that is delivered again is handled again.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Recent<const N: usize, const LEN: usize = 512> {
    calls: Vec<Call, N>,
    /// The index of the oldest call once the table is full.
    oldest: usize,
    /// The answers that are kept, from that of the oldest call on.
    answers: Vec<u8, LEN>,
    window: u64,
    key: u64,
}

/// A call in the table.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Call {
    hash: u64,
    /// The ticks of the program at its delivery.
    at: u64,
    pub(super) packet_id: Option<u16>,
    answer: Kept,
}

/// The part of the answers that is the answer of a call.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Kept {
    /// The next answer, with this length.
    Bytes(usize),
    Silent,
    Lost,
}

/// What the first delivery of a call got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum StoredAnswer<'r> {
    /// This answer.
    Kept(&'r [u8]),
    /// No answer: the message holds only notifications or responses.
    Silent,
    /// An answer that did not fit the table, or has made room for newer ones.
    Lost,
}

impl<const N: usize, const LEN: usize> Recent<N, LEN> {
    /// An empty table.
    pub const fn new() -> Self {
        Self { calls: Vec::new(), oldest: 0, answers: Vec::new(), window: 0, key: 0 }
    }

    /// Makes every equal message a duplicate whose delivery begins less than `ticks` after that of the first one, in the ticks of
    /// [`Delivery::now`](super::mqtt::Delivery::now). By default there is no such window: a second press of a button has the same bytes as
    /// the first one if the client gives all calls the same correlation data, as some vendors tell their users to.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// use nanojsonrpc::broker::Recent;
    /// use nanojsonrpc::broker::mqtt::{Delivery, answer};
    /// use nanojsonrpc::{Router, Server};
    ///
    /// let mut server = Server::new(Router::new().notification("press", |presses: &mut u32| *presses += 1));
    /// let (mut recent, mut presses) = (Recent::<16>::new().within(200), 0);
    /// for now in [1000, 1000, 1199, 1200] {
    ///     let delivery = Delivery { payload: br#"{"jsonrpc":"2.0","method":"press"}"#, now, ..Delivery::default() };
    ///     answer(&mut server, &mut presses, &mut recent, &delivery, &mut [0; 0]);
    /// }
    /// assert_eq!(presses, 2);
    /// # }
    /// ```
    pub const fn within(mut self, ticks: u64) -> Self {
        self.window = ticks;
        self
    }

    /// Sets the key of the hash, for an empty table. With a random secret key, a hostile publisher cannot find a message with the hash of
    /// another one, and cannot make a different call a duplicate. With the default key, 0, a publisher with much computing time can search
    /// for such a message.
    ///
    /// ```
    /// use nanojsonrpc::broker::Recent;
    ///
    /// # let random = || 7;
    /// let recent = Recent::<16>::new().keyed_by(random());
    /// # assert!(recent.find(&[b"1"]).is_none());
    /// ```
    pub const fn keyed_by(mut self, key: u64) -> Self {
        self.key = key;
        self
    }

    /// Returns what the newest call with these `parts` got, such as an id and a payload; `None` if it is not in the table.
    pub fn find(&self, parts: &[&[u8]]) -> Option<StoredAnswer<'_>> {
        self.find_call(self.hash(parts), |_| true)
    }

    /// Adds a call and its answer. Call this only if there was room for the answer: a call that reached no handler must be handled when it
    /// is delivered again.
    pub fn insert(&mut self, parts: &[&[u8]], answer: Option<&[u8]>) {
        self.insert_call(self.hash(parts), None, 0, answer);
    }

    pub(super) fn hash(&self, parts: &[&[u8]]) -> u64 {
        let mut hasher = SipHasher13::new_with_keys(self.key, 0);
        for part in parts {
            hasher.write_usize(part.len());
            hasher.write(part);
        }
        hasher.finish()
    }

    /// Whether the window of `call` is open at `now`.
    pub(super) fn is_open(&self, call: &Call, now: u64) -> bool {
        now.checked_sub(call.at).is_some_and(|age| age < self.window)
    }

    /// What the newest call with this hash got that `is_same`.
    pub(super) fn find_call(&self, hash: u64, is_same: impl Fn(&Call) -> bool) -> Option<StoredAnswer<'_>> {
        let (newer, older) = self.calls.split_at_checked(self.oldest)?;
        let (mut found, mut rest) = (None, &*self.answers);
        for call in older.iter().chain(newer) {
            let answer = match call.answer {
                Kept::Bytes(len) => {
                    let (answer, behind) = rest.split_at_checked(len)?;
                    rest = behind;
                    StoredAnswer::Kept(answer)
                }
                Kept::Silent => StoredAnswer::Silent,
                Kept::Lost => StoredAnswer::Lost,
            };
            if call.hash == hash && is_same(call) {
                found = Some(answer);
            }
        }
        found
    }

    /// Adds a call in place of the oldest, and its answer in place of the oldest ones.
    pub(super) fn insert_call(&mut self, hash: u64, packet_id: Option<u16>, at: u64, answer: Option<&[u8]>) {
        if self.calls.is_full() {
            self.lose_answer(self.oldest);
        }
        let answer = match answer {
            None => Kept::Silent,
            Some(answer) if N == 0 || answer.len() > LEN => Kept::Lost,
            Some(answer) => {
                let mut index = self.oldest;
                while self.answers.extend_from_slice(answer).is_err() {
                    self.lose_answer(index);
                    index = self.next(index);
                }
                Kept::Bytes(answer.len())
            }
        };
        if let Err(call) = self.calls.push(Call { hash, at, packet_id, answer }) {
            let Some(place) = self.calls.get_mut(self.oldest) else { return };
            *place = call;
            self.oldest = self.next(self.oldest);
        }
    }

    /// Removes the oldest answer, which is that of the call at `index` if it has one.
    fn lose_answer(&mut self, index: usize) {
        let Some(call) = self.calls.get_mut(index) else { return };
        if let Kept::Bytes(len) = call.answer {
            call.answer = Kept::Lost;
            let rest = self.answers.len().saturating_sub(len);
            copy_down(&mut self.answers, len, rest);
            self.answers.truncate(rest);
        }
    }

    /// The index behind `index` in the ring.
    const fn next(&self, index: usize) -> usize {
        let next = index.wrapping_add(1);
        if next < N { next } else { 0 }
    }
}

impl<const N: usize, const LEN: usize> Default for Recent<N, LEN> {
    fn default() -> Self {
        Self::new()
    }
}
