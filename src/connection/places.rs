//! Pinned places for futures of one type, as many as a constant says.
//!
//! Safe code cannot pin the elements of an array, so the places are a list that is pinned as a whole.

use core::pin::Pin;

use pin_project_lite::pin_project;

pin_project! {
    /// A place for a future, and then for its output.
    #[derive(Debug)]
    #[project = Projected]
    pub enum Place<W, D> {
        Idle,
        Busy { #[pin] future: W },
        Done { output: Option<D> },
    }
}

/// A list of places.
pub trait Places<W, D>: Sized {
    /// All of them idle.
    const IDLE: Self;

    /// The place at `index`, if the list is that long.
    fn at(self: Pin<&mut Self>, index: usize) -> Option<Pin<&mut Place<W, D>>>;
}

/// No place.
#[derive(Debug)]
pub struct End;

impl<W, D> Places<W, D> for End {
    const IDLE: Self = Self;

    fn at(self: Pin<&mut Self>, _: usize) -> Option<Pin<&mut Place<W, D>>> {
        None
    }
}

pin_project! {
    /// A place, and the rest of the list.
    #[derive(Debug)]
    pub struct Node<W, D, R> {
        #[pin]
        place: Place<W, D>,
        #[pin]
        rest: R,
    }
}

impl<W, D, R: Places<W, D>> Places<W, D> for Node<W, D, R> {
    const IDLE: Self = Self { place: Place::Idle, rest: R::IDLE };

    fn at(self: Pin<&mut Self>, index: usize) -> Option<Pin<&mut Place<W, D>>> {
        let node = self.project();
        match index.checked_sub(1) {
            Some(index) => node.rest.at(index),
            None => Some(node.place),
        }
    }
}

/// A number.
#[derive(Clone, Copy, Debug)]
pub struct Count<const N: usize>;

/// A number of places, from 1 to 16.
pub trait Pinned {
    /// The list of so many places.
    type List<W, D>: Places<W, D>;
}

macro_rules! pinned {
    ($($count:literal)*) => {$(
        impl Pinned for Count<$count> {
            type List<W, D> = Node<W, D, <Count<{ $count - 1 }> as Pinned>::List<W, D>>;
        }
    )*};
}

impl Pinned for Count<1> {
    type List<W, D> = Node<W, D, End>;
}

pinned!(2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
