//! Concurrent handlers.

use core::future::poll_fn;
use core::pin::{Pin, pin};
use core::task::{Context, Poll};

use heapless::Vec;

use super::outgoing::room;
use super::slots::{Count, Pinned, Projected, Slot};
use crate::frame::Frame;
#[cfg(feature = "alloc")]
use crate::json::Growing;
use crate::json::Room;
use crate::message::Id;
use crate::server::{AsyncRoutes, Observer, Server};

/// A copied request or batch.
pub(super) struct Copied<const LEN: usize> {
    pub(super) text: Vec<u8, LEN>,
    /// The limit of an answer that grows.
    #[cfg(feature = "alloc")]
    pub(super) limit: Option<usize>,
}

/// The answer to a call.
pub(super) struct Answer<const LEN: usize> {
    output: [u8; LEN],
    #[cfg(feature = "alloc")]
    grown: Option<Growing>,
    /// The length of the answer in its room; `None` if there is none.
    pub(super) len: Option<usize>,
}

impl<const LEN: usize> Answer<LEN> {
    /// The output of the answer.
    pub(super) fn output(&mut self) -> Room<'_> {
        #[cfg(feature = "alloc")]
        if let Some(grown) = &mut self.grown {
            return grown.filled();
        }
        Room::of(&mut self.output)
    }
}

/// Answers the call in `text`. The future borrows nothing, because the compiler cannot prove that a list of borrowing futures is `Send`.
#[expect(clippy::manual_async_fn, reason = "the future of an `async fn` holds each argument twice")]
pub(super) fn work<F: Frame, S: AsyncRoutes<C>, H: Observer<C>, C, const MESSAGE: usize, const ANSWER: usize>(
    mut server: Server<S, H>,
    mut context: C,
    message: Copied<MESSAGE>,
) -> impl Future<Output = Answer<ANSWER>> {
    async move {
        let mut answer = Answer {
            output: [0; ANSWER],
            #[cfg(feature = "alloc")]
            grown: message.limit.map(Growing::new),
            len: None,
        };
        let room = room::<F>(answer.output());
        answer.len = server.process_in_async(&mut context, &message.text, room).await.answer().map(<[u8]>::len);
        answer
    }
}

/// Up to `COUNT` concurrent handlers.
pub(super) struct Workers<'p, W, D, const COUNT: usize>
where
    Count<COUNT>: Pinned,
{
    /// The id of the call in each slot; null for a batch, and for an id that is too long.
    ids: [Id; COUNT],
    slots: Pin<&'p mut List<W, D, COUNT>>,
}

type List<W, D, const COUNT: usize> = <Count<COUNT> as Pinned>::List<W, D>;

/// Idle slots for the futures that a function returns.
pub(super) fn idle<const COUNT: usize, A, B, C, W: Future<Output = D>, D>(
    _: &impl Fn(A, B, C) -> W,
) -> List<W, D, COUNT>
where
    Count<COUNT>: Pinned,
{
    Count::idle()
}

impl<'p, W: Future<Output = D>, D, const COUNT: usize> Workers<'p, W, D, COUNT>
where
    Count<COUNT>: Pinned,
{
    pub(super) fn new(slots: Pin<&'p mut List<W, D, COUNT>>) -> Self {
        Self { ids: [const { Id::Null }; COUNT], slots }
    }

    fn slot(&mut self, index: usize) -> Option<Pin<&mut Slot<W, D>>> {
        Count::slot(self.slots.as_mut(), index)
    }

    /// The first slot for which `predicate` holds.
    fn position(&mut self, predicate: impl Fn(&Projected<'_, W, D>) -> bool) -> Option<usize> {
        (0..COUNT).find(|index| self.slot(*index).is_some_and(|slot| predicate(&slot.project())))
    }

    /// The first idle slot.
    pub(super) fn idle(&mut self) -> Option<usize> {
        self.position(|slot| matches!(slot, Projected::Idle))
    }

    /// Whether any slot has a handler.
    pub(super) fn is_busy(&mut self) -> bool {
        self.position(|slot| !matches!(slot, Projected::Idle)).is_some()
    }

    /// Stores `future`, the handler of the call `id`, in an idle slot.
    pub(super) fn start(&mut self, index: usize, id: Id, future: W) {
        if let (Some(mut slot), Some(busy)) = (Count::slot(self.slots.as_mut(), index), self.ids.get_mut(index)) {
            *busy = id;
            slot.set(Slot::Busy { future });
        }
    }

    /// Drops the handler of the call `id`, if it waits. Returns whether it did.
    pub(super) fn cancel(&mut self, id: &Id) -> bool {
        for (index, busy) in self.ids.iter().enumerate() {
            let Some(mut slot) = Count::slot(self.slots.as_mut(), index) else { return false };
            if busy.equals(id) && matches!(slot.as_mut().project(), Projected::Busy { .. }) {
                slot.set(Slot::Idle);
                return true;
            }
        }
        false
    }

    /// Polls all handlers.
    pub(super) fn poll(&mut self, task: &mut Context<'_>) {
        for index in 0..COUNT {
            let Some(mut slot) = Count::slot(self.slots.as_mut(), index) else { return };
            let Projected::Busy { future } = slot.as_mut().project() else { continue };
            if let Poll::Ready(output) = future.poll(task) {
                slot.set(Slot::Done { output: Some(output) });
            }
        }
    }

    /// Whether any handler is done.
    pub(super) fn has_done(&mut self) -> bool {
        self.position(|slot| matches!(slot, Projected::Done { .. })).is_some()
    }

    /// Takes the output of a handler that is done, and frees its slot.
    pub(super) fn take_done(&mut self) -> Option<D> {
        let index = self.position(|slot| matches!(slot, Projected::Done { .. }))?;
        let mut slot = Count::slot(self.slots.as_mut(), index)?;
        let output = if let Projected::Done { output } = slot.as_mut().project() { output.take() } else { None };
        slot.set(Slot::Idle);
        output
    }

    /// Waits for `future`, and polls the handlers meanwhile. `future` comes first: between the choice of a route and the call of its handler
    /// no other handler runs, which could change the choice.
    pub(super) async fn alongside<T>(&mut self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        poll_fn(|task| {
            let output = future.as_mut().poll(task);
            self.poll(task);
            output
        })
        .await
    }
}
