//! Handlers that wait.

use core::future::poll_fn;
use core::marker::PhantomData;
use core::pin::{Pin, pin};
use core::task::{Context, Poll};

use heapless::Vec;

use super::places::{Count, Pinned, Place, Places, Projected};
use super::room;
use crate::frame::Frame;
use crate::message::Id;
use crate::server::{AsyncRoutes, Observer, Server};

/// The outcome of a call.
pub(super) struct Answer<const LEN: usize> {
    pub(super) output: [u8; LEN],
    /// The length of the answer, which stands in its room.
    pub(super) len: Option<usize>,
    pub(super) lacked_room: u32,
}

/// Answers a call. It borrows nothing, because the compiler cannot tell that a list of futures that do is `Send`.
pub(super) async fn work<F: Frame, S: AsyncRoutes<C>, H: Observer<C>, C, const MESSAGE: usize, const ANSWER: usize>(
    mut server: Server<S, H>,
    mut context: C,
    text: Vec<u8, MESSAGE>,
) -> Answer<ANSWER> {
    let mut output = [0; ANSWER];
    let len = server.process_async(&mut context, &text, room::<F>(&mut output)).await.map(<[u8]>::len);
    Answer { output, len, lacked_room: server.lacked_room() }
}

/// Handlers that wait, up to `COUNT`.
pub(super) struct Workers<'p, L, W, D, const COUNT: usize> {
    /// Which call is answered in which place: null of a batch, and of an id that is too long.
    ids: [Id; COUNT],
    places: Pin<&'p mut L>,
    /// Of the list.
    futures: PhantomData<(W, D)>,
}

/// Idle places for the futures that a function makes.
pub(super) const fn idle<const COUNT: usize, A, B, C, W: Future<Output = D>, D>(
    _: &impl Fn(A, B, C) -> W,
) -> <Count<COUNT> as Pinned>::List<W, D>
where
    Count<COUNT>: Pinned,
{
    <<Count<COUNT> as Pinned>::List<W, D> as Places<W, D>>::IDLE
}

impl<'p, L: Places<W, D>, W: Future<Output = D>, D, const COUNT: usize> Workers<'p, L, W, D, COUNT> {
    pub(super) fn new(places: Pin<&'p mut L>) -> Self {
        Self { ids: [const { Id::Null }; COUNT], places, futures: PhantomData }
    }

    /// The first place in such a state.
    fn position(&mut self, is_so: impl Fn(&Projected<'_, W, D>) -> bool) -> Option<usize> {
        (0..COUNT).find(|index| self.places.as_mut().at(*index).is_some_and(|place| is_so(&place.project())))
    }

    /// A place without a handler.
    pub(super) fn idle(&mut self) -> Option<usize> {
        self.position(|place| matches!(place, Projected::Idle))
    }

    /// Whether any place has a handler.
    pub(super) fn is_busy(&mut self) -> bool {
        self.position(|place| !matches!(place, Projected::Idle)).is_some()
    }

    /// Waits for `future` in a place that is idle, for the call with this id.
    pub(super) fn start(&mut self, index: usize, id: Id, future: W) {
        if let (Some(mut place), Some(slot)) = (self.places.as_mut().at(index), self.ids.get_mut(index)) {
            *slot = id;
            place.set(Place::Busy { future });
        }
    }

    /// Drops the handler of the call with this id, if it waits.
    pub(super) fn cancel(&mut self, id: &Id) -> bool {
        for (index, busy) in self.ids.iter().enumerate() {
            let Some(mut place) = self.places.as_mut().at(index) else { return false };
            if busy.equals(id) && matches!(place.as_mut().project(), Projected::Busy { .. }) {
                place.set(Place::Idle);
                return true;
            }
        }
        false
    }

    /// Lets all handlers go on.
    pub(super) fn poll(&mut self, task: &mut Context<'_>) {
        for index in 0..COUNT {
            let Some(mut place) = self.places.as_mut().at(index) else { return };
            let Projected::Busy { future } = place.as_mut().project() else { continue };
            if let Poll::Ready(output) = future.poll(task) {
                place.set(Place::Done { output: Some(output) });
            }
        }
    }

    /// Whether any handler is done.
    pub(super) fn has_done(&mut self) -> bool {
        self.position(|place| matches!(place, Projected::Done { .. })).is_some()
    }

    /// The output of a handler that is done. Its place is idle again.
    pub(super) fn take_done(&mut self) -> Option<D> {
        let index = self.position(|place| matches!(place, Projected::Done { .. }))?;
        let mut place = self.places.as_mut().at(index)?;
        let output = if let Projected::Done { output } = place.as_mut().project() { output.take() } else { None };
        place.set(Place::Idle);
        output
    }

    /// Waits for `future`, while the handlers go on.
    pub(super) async fn alongside<T>(&mut self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        poll_fn(|task| {
            self.poll(task);
            future.as_mut().poll(task)
        })
        .await
    }
}
