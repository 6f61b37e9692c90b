//! How far a text is valid, so that the plain pass need not read all of it again to say what is wrong.

use super::super::scan::{Start, VALUE};
use super::value::{NONE, Open};

/// The place from which the plain pass can go on. Whoever refuses says it.
pub(super) struct Reached(Start);

impl Reached {
    /// The front of the text.
    pub(super) const fn nothing() -> Self {
        Self(Start::FRONT)
    }

    /// Refuses the token at `at`, where `expect` may come next and `open` are open.
    #[cold]
    #[inline(never)]
    pub(super) fn token<T>(&mut self, at: usize, open: Open, expect: u32) -> Option<T> {
        self.0 = Start { at, open, expect, in_string: false };
        None
    }

    /// Refuses the string that is read up to `at`, between two of its chars. What is around it need not be known, because
    /// it does not end.
    #[cold]
    #[inline(never)]
    pub(super) fn char<T>(&mut self, at: usize) -> Option<T> {
        self.0 = Start { at, open: NONE, expect: VALUE, in_string: true };
        None
    }

    /// Remembers `start`, before which everything is valid, in case that what comes is refused.
    #[inline(always)]
    pub(super) const fn remember(&mut self, start: Start) {
        self.0 = start;
    }

    /// Where to go on.
    pub(super) const fn start(&self) -> Start {
        self.0
    }
}
