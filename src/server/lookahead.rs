//! Look-ahead over a batch, so that its first elements are classified only once.

use heapless::Vec;

use crate::error::Error;
use crate::message::Envelope;

/// The number of elements in the look-ahead of a [`Server`](super::Server). They take 6 KB of stack, so devices use none.
pub(super) const LOOKAHEAD_LEN: usize = if cfg!(target_pointer_width = "64") { 64 } else { 0 };

/// The first `N` elements of a batch, stored while room for their answers was reserved.
pub(super) struct Lookahead<'i, const N: usize> {
    /// `None` before the first element, so that a single message does not initialise this memory.
    kept: Option<Vec<(Envelope<'i>, Result<(), Error>), N>>,
    taken: usize,
}

impl<'i, const N: usize> Lookahead<'i, N> {
    pub(super) const fn new() -> Self {
        Self { kept: None, taken: 0 }
    }

    /// Stores an element if there is room. Returns whether this element has filled the look-ahead.
    #[inline]
    pub(super) fn keep(&mut self, envelope: Envelope<'i>, outcome: Result<(), Error>) -> bool {
        let kept = self.kept.get_or_insert_default();
        kept.push((envelope, outcome)).is_ok() && kept.is_full()
    }

    /// Empties the look-ahead.
    pub(super) fn clear(&mut self) {
        if N != 0 {
            self.kept = None;
        }
    }

    /// Puts the next stored element into `envelope`, and returns its outcome.
    #[inline]
    pub(super) fn take(&mut self, envelope: &mut Envelope<'i>) -> Option<Result<(), Error>> {
        let kept = if N == 0 { None } else { self.kept.as_ref() }?;
        let outcome;
        (*envelope, outcome) = *kept.get(self.taken)?;
        self.taken = self.taken.wrapping_add(1);
        Some(outcome)
    }
}
