//! Look-ahead over a batch, so that its first elements are classified only once.

use heapless::Vec;

use crate::message::Classified;

/// The number of elements in the look-ahead of a [`Server`](super::Server). They take 5 KB of stack, so devices use none.
pub(super) const LOOKAHEAD_LEN: usize = if cfg!(target_pointer_width = "64") { 64 } else { 0 };

/// The first `N` elements of a batch, stored while room for their answers was reserved.
pub(super) struct Lookahead<'i, const N: usize> {
    /// `None` before the first element, so that a single message does not initialise this memory.
    kept: Option<Vec<(Classified<'i>, bool), N>>,
    taken: usize,
}

impl<'i, const N: usize> Lookahead<'i, N> {
    pub(super) const fn new() -> Self {
        Self { kept: None, taken: 0 }
    }

    /// Stores an element if there is room, and whether it is a [response](crate::message::Refused::is_response). Returns whether this
    /// element has filled the look-ahead.
    #[inline]
    pub(super) fn keep(&mut self, element: Classified<'i>, is_response: bool) -> bool {
        let kept = self.kept.get_or_insert_default();
        kept.push((element, is_response)).is_ok() && kept.is_full()
    }

    /// Empties the look-ahead.
    pub(super) fn clear(&mut self) {
        self.kept = None;
    }

    /// Returns the next stored element, and whether it is a response.
    #[inline]
    pub(super) fn take(&mut self) -> Option<(Classified<'i>, bool)> {
        let kept = if N == 0 { None } else { self.kept.as_ref() }?;
        let next = *kept.get(self.taken)?;
        self.taken = self.taken.wrapping_add(1);
        Some(next)
    }
}
