//! One of two futures.
//!
//! An `async` block that awaits one of two futures nests them more deeply: for the compiler, a future inside it counts as five levels of
//! types, and the limit is 128 levels.

use core::pin::Pin;
use core::task::{Context, Poll};

use pin_project_lite::pin_project;

pin_project! {
    /// The future of the earlier entries of a list, or that of its last entry.
    #[project = Projected]
    pub(crate) enum OneOf<A, B> {
        Earlier { #[pin] future: A },
        Last { #[pin] future: B },
    }
}

/// Returns whether an entry has taken the call.
impl<A: Future<Output = bool>, B: Future> Future for OneOf<A, B> {
    type Output = bool;

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<bool> {
        match self.project() {
            Projected::Earlier { future } => future.poll(task),
            Projected::Last { future } => future.poll(task).map(|_| true),
        }
    }
}
