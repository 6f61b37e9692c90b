//! The time driver for embassy: 100 ticks per second.
//!
//! The emulator loses ticks while its process waits for a processor. At 1,000 ticks per second, it lost a sixth of them.

use core::cell::{Cell, RefCell};
use core::task::Waker;

use cortex_m::peripheral::{SYST, syst::SystClkSource};
use critical_section::Mutex;
use embassy_time_driver::{Driver, TICK_HZ};
use embassy_time_queue_utils::Queue;

use crate::chip::CORE_CLOCK;

struct Clock {
    ticks: Mutex<Cell<u64>>,
    next: Mutex<Cell<u64>>,
    queue: Mutex<RefCell<Queue>>,
}

embassy_time_driver::time_driver_impl!(static CLOCK: Clock = Clock {
    ticks: Mutex::new(Cell::new(0)),
    next: Mutex::new(Cell::new(u64::MAX)),
    queue: Mutex::new(RefCell::new(Queue::new())),
});

impl Driver for Clock {
    fn now(&self) -> u64 {
        critical_section::with(|section| self.ticks.borrow(section).get())
    }

    fn schedule_wake(&self, at: u64, waker: &Waker) {
        critical_section::with(|section| {
            let mut queue = self.queue.borrow_ref_mut(section);
            if queue.schedule_wake(at, waker) {
                self.next.borrow(section).set(queue.next_expiration(self.ticks.borrow(section).get()));
            }
        });
    }
}

#[cortex_m_rt::exception]
fn SysTick() {
    critical_section::with(|section| {
        let ticks = CLOCK.ticks.borrow(section);
        ticks.set(ticks.get() + 1);
        let next = CLOCK.next.borrow(section);
        if next.get() <= ticks.get() {
            next.set(CLOCK.queue.borrow_ref_mut(section).next_expiration(ticks.get()));
        }
    });
}

pub fn start(mut timer: SYST) {
    const PERIOD: u32 = CORE_CLOCK / TICK_HZ as u32;
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(PERIOD - 1);
    timer.clear_current();
    timer.enable_counter();
    timer.enable_interrupt();
}
