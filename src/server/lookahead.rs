//! Elements of a batch that need not be judged twice.

use heapless::Vec;

use crate::message::Judged;

/// How many elements a [`Server`](super::Server) keeps. They take 5 KB of stack, which devices do not have.
pub(super) const LOOKAHEAD_LEN: usize = if cfg!(target_pointer_width = "64") { 64 } else { 0 };

/// The first `N` elements of a batch, as they were judged when room was kept for their answers.
pub(super) struct Lookahead<'i, const N: usize> {
    /// `None` before the first, because what is not there need not be initialised.
    kept: Option<Vec<(Judged<'i>, bool), N>>,
    taken: usize,
}

impl<'i, const N: usize> Lookahead<'i, N> {
    pub(super) const fn new() -> Self {
        Self { kept: None, taken: 0 }
    }

    /// Keeps an element, and whether it is a [response](crate::Refused::is_response), if there is room for it; whether it is the last
    /// that is kept.
    #[inline]
    pub(super) fn keep(&mut self, element: Judged<'i>, is_response: bool) -> bool {
        let kept = self.kept.get_or_insert_default();
        kept.push((element, is_response)).is_ok() && kept.is_full()
    }

    /// Drops the kept elements.
    pub(super) fn clear(&mut self) {
        self.kept = None;
    }

    /// The next element that was kept, and whether it is a response.
    #[inline]
    pub(super) fn take(&mut self) -> Option<(Judged<'i>, bool)> {
        let kept = if N == 0 { None } else { self.kept.as_ref() }?;
        let next = *kept.get(self.taken)?;
        self.taken = self.taken.wrapping_add(1);
        Some(next)
    }
}
