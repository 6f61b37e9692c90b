//! A fixed number of pinned slots for futures of one type.
//!
//! Safe code cannot pin the elements of an array, so the slots form a list, and the list is pinned as a whole.

use core::pin::Pin;

use pin_project_lite::pin_project;

pin_project! {
    /// A slot for a future, and afterwards for its output.
    #[derive(Debug)]
    #[project = Projected]
    pub(super) enum Slot<W, D> {
        Idle,
        Busy { #[pin] future: W },
        Done { output: Option<D> },
    }
}

pin_project! {
    /// A slot, and the rest of the list.
    #[derive(Debug)]
    pub(super) struct Node<W, D, R> {
        #[pin]
        slot: Slot<W, D>,
        #[pin]
        rest: R,
    }
}

/// The end of the list.
#[derive(Debug)]
pub(super) struct End;

/// A number at the type level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count<const N: usize>;

/// A number of slots, from 1 to 16.
#[diagnostic::on_unimplemented(
    message = "a connection has 1 to 16 concurrent handlers, not `{Self}`",
    label = "`COUNT` is not in 1 to 16"
)]
pub(super) trait Pinned {
    /// The list of this many slots.
    type List<W, D>;

    /// The list with all slots idle.
    fn idle<W, D>() -> Self::List<W, D>;

    /// The slot at `index`; `None` beyond the end of the list.
    fn slot<W, D>(list: Pin<&mut Self::List<W, D>>, index: usize) -> Option<Pin<&mut Slot<W, D>>>;
}

impl Pinned for Count<1> {
    type List<W, D> = Node<W, D, End>;

    fn idle<W, D>() -> Self::List<W, D> {
        Node { slot: Slot::Idle, rest: End }
    }

    fn slot<W, D>(list: Pin<&mut Self::List<W, D>>, index: usize) -> Option<Pin<&mut Slot<W, D>>> {
        if index == 0 { Some(list.project().slot) } else { None }
    }
}

macro_rules! pinned {
    ($($count:literal)*) => {$(
        impl Pinned for Count<$count> {
            type List<W, D> = Node<W, D, <Count<{ $count - 1 }> as Pinned>::List<W, D>>;

            fn idle<W, D>() -> Self::List<W, D> {
                Node { slot: Slot::Idle, rest: <Count<{ $count - 1 }>>::idle() }
            }

            fn slot<W, D>(list: Pin<&mut Self::List<W, D>>, index: usize) -> Option<Pin<&mut Slot<W, D>>> {
                let node = list.project();
                match index.checked_sub(1) {
                    Some(index) => <Count<{ $count - 1 }>>::slot(node.rest, index),
                    None => Some(node.slot),
                }
            }
        }
    )*};
}

pinned!(2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
