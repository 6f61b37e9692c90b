//! A table of recent calls, to recognize duplicates.

use heapless::Vec;

/// The ids of the last `N` calls, each of at most `LEN` bytes, so that a call that is delivered twice is answered once. A new id replaces
/// the oldest: a call is answered again if `N` other calls came between its two deliveries.
///
/// Ids are compared byte for byte, not by a hash, so two different calls are never confused.
///
/// ```
/// use nanojsonrpc::broker::{Admission, Recent};
///
/// let mut recent = Recent::<2>::new();
/// assert_eq!(recent.admit(&[b"switch", b"1"]), Admission::New);
/// assert_eq!(recent.admit(&[b"switch", b"1"]), Admission::Seen);
/// assert_eq!(recent.admit(&[b"switc", b"h1"]), Admission::New);
/// assert_eq!(recent.admit(&[b"switch", b"2"]), Admission::New);
/// // the first one has left the table
/// assert_eq!(recent.admit(&[b"switch", b"1"]), Admission::New);
/// ```
///
/// # Limits
/// `N` ids; `LEN` bytes for the parts of an id and two bytes for each part. [`mqtt::answer`](super::mqtt::answer) uses two parts, so with
/// the default of 64 bytes the response topic and the correlation data have at most 60 bytes together. A longer id is not stored, and its
/// call is [answered](Admission::Unknown) at each delivery. Memory: about `N * (LEN + 8)` bytes. Time: each look-up compares all `N` ids.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Recent<const N: usize, const LEN: usize = 64> {
    ids: Vec<Vec<u8, LEN>, N>,
    /// The index that the next id takes once the table is full.
    oldest: usize,
}

/// The decision on a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Admission {
    /// The call is new; its id is now in the table. Answer it.
    New,
    /// The id is already in the table: the call is a duplicate.
    Seen,
    /// The id exceeds `LEN` bytes, or the table has no slots. Answer the call; a duplicate would be answered again.
    Unknown,
}

impl<const N: usize, const LEN: usize> Recent<N, LEN> {
    /// An empty table.
    pub const fn new() -> Self {
        Self { ids: Vec::new(), oldest: 0 }
    }

    /// Whether the id made of `parts` is in the table.
    pub fn contains(&self, parts: &[&[u8]]) -> bool {
        joined(parts).is_some_and(|id| self.ids.contains(&id))
    }

    /// Looks up the id made of `parts`, and adds it if it is new.
    pub fn admit(&mut self, parts: &[&[u8]]) -> Admission {
        let Some(id) = joined(parts) else { return Admission::Unknown };
        if self.ids.contains(&id) {
            return Admission::Seen;
        }
        if let Err(id) = self.ids.push(id) {
            let Some(place) = self.ids.get_mut(self.oldest) else { return Admission::Unknown };
            *place = id;
            self.oldest = self.oldest.wrapping_add(1);
            if self.oldest >= N {
                self.oldest = 0;
            }
        }
        Admission::New
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
