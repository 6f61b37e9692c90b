//! The slots for connections, and the rules of eviction.
//!
//! smoltcp refuses a connection if no socket listens. So there are two more slots than connections: while one of them is in a handshake,
//! the other one listens. Three rules ensure this:
//!
//! 1. If no slot listens, the oldest handshake or closing connection is dropped, but never the newest.
//! 2. If more than [`CONNECTIONS`] are open, one is closed: the oldest of those without a message so far, or else the one whose last
//!    message is the oldest.
//! 3. A handshake never closes an open connection, so a flood of half-open connections closes none.

use core::cell::{Cell, RefCell};
use core::future::poll_fn;
use core::task::Poll;

use embassy_sync::waitqueue::WakerRegistration;

use crate::board::count;

/// The maximum number of open connections.
pub const CONNECTIONS: usize = 6;
/// The number of slots, one socket each.
pub const SLOTS: usize = CONNECTIONS + 2;

/// The phase of a slot.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The slot listens, or is about to.
    Listening,
    /// The slot is in a handshake, or closes its connection.
    Between,
    /// The slot has a connection that has received no complete message.
    Fresh,
    /// The slot has a connection that has received a complete message.
    Used,
}

impl Phase {
    const fn is_open(self) -> bool {
        matches!(self, Self::Fresh | Self::Used)
    }
}

struct Slot {
    phase: Cell<Phase>,
    /// The serial number of the last change of phase or message; the lowest one is the oldest.
    entry: Cell<u64>,
    must_leave: Cell<bool>,
    waker: RefCell<WakerRegistration>,
}

impl Slot {
    const fn new() -> Self {
        Self {
            phase: Cell::new(Phase::Listening),
            entry: Cell::new(0),
            must_leave: Cell::new(false),
            waker: RefCell::new(WakerRegistration::new()),
        }
    }
}

/// All slots.
pub struct Slots {
    slots: [Slot; SLOTS],
    entries: Cell<u64>,
}

impl Slots {
    pub const fn new() -> Self {
        Self { slots: [const { Slot::new() }; SLOTS], entries: Cell::new(0) }
    }

    /// Records the phase of `slot`, and evicts a connection if the rules above require it.
    pub fn enter(&self, slot: usize, phase: Phase) {
        self.entries.set(self.entries.get() + 1);
        self.slots[slot].entry.set(self.entries.get());
        let before = self.slots[slot].phase.replace(phase);
        if matches!(phase, Phase::Listening) {
            self.slots[slot].must_leave.set(false);
        }
        let is_listening = |slot: &Slot| slot.phase.get() == Phase::Listening || slot.must_leave.get();
        if phase == Phase::Between && !self.slots.iter().any(is_listening) {
            let is_gone = self.evict(slot, |phase| (phase == Phase::Between).then_some(0));
            if is_gone && before == Phase::Listening {
                count(|counts| counts.half_open += 1);
            }
        }
        let open = self.open();
        if phase.is_open() && !before.is_open() && open > CONNECTIONS {
            let is_gone = self.evict(slot, |phase| phase.is_open().then_some(u8::from(phase == Phase::Used)));
            if is_gone {
                count(|counts| counts.evicted += 1);
            }
        }
        count(|counts| counts.connections = u32::try_from(open.min(CONNECTIONS)).unwrap_or_default());
    }

    /// The number of open connections, without evicted ones.
    fn open(&self) -> usize {
        self.slots.iter().filter(|slot| slot.phase.get().is_open() && !slot.must_leave.get()).count()
    }

    /// Evicts the oldest slot of the lowest rank, but not `newest`. Returns whether there is one.
    fn evict(&self, newest: usize, rank: impl Fn(Phase) -> Option<u8>) -> bool {
        let others = self.slots.iter().enumerate().filter(|(at, slot)| *at != newest && !slot.must_leave.get());
        let ranked = others.filter_map(|(_, slot)| Some(((rank(slot.phase.get())?, slot.entry.get()), slot)));
        let victim = ranked.min_by_key(|(key, _)| *key);
        let Some((_, slot)) = victim else { return false };
        slot.must_leave.set(true);
        slot.waker.borrow_mut().wake();
        true
    }

    /// Waits until `slot` is evicted.
    pub async fn leave(&self, slot: usize) {
        let slot = &self.slots[slot];
        poll_fn(|cx| {
            slot.waker.borrow_mut().register(cx.waker());
            if slot.must_leave.get() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

impl Default for Slots {
    fn default() -> Self {
        Self::new()
    }
}
