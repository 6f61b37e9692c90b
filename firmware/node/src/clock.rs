//! A timer counts the time and triggers a measurement of the temperature, a hundred times a second.

use core::sync::atomic::{AtomicU32, Ordering};

use lm3s6965::interrupt;

use crate::chip::{self, TICK_RATE};
use crate::shared::Shared;

static CLOCK: Shared<chip::Clock> = Shared::new();
static TICKS: AtomicU32 = AtomicU32::new(0);
/// The last sample, of 10 bits.
static SAMPLE: AtomicU32 = AtomicU32::new(NO_SAMPLE);
const NO_SAMPLE: u32 = u32::MAX;

pub fn start(clock: chip::Clock) {
    CLOCK.put(clock);
    chip::unmask(lm3s6965::Interrupt::TIMER_0A);
}

/// The milliseconds since the start; wraps after 497 days.
pub fn millis() -> u64 {
    u64::from(TICKS.load(Ordering::Relaxed)) * u64::from(1000 / TICK_RATE)
}

/// The temperature of the chip, in thousandths of a degree; `None` in the first 20 milliseconds.
pub fn millicelsius() -> Option<i32> {
    match SAMPLE.load(Ordering::Relaxed) {
        NO_SAMPLE => None,
        // 2.7 V at -55 degrees, and 1/75 V less for each degree above; a sample has 1024 steps up to 3 V
        sample => Some(147_500 - ((sample & 0x3FF) * 225_000 / 1024).cast_signed()),
    }
}

#[interrupt]
fn TIMER_0A() {
    CLOCK.with(|clock| {
        clock.clear.write(1);
        // the sample that the last tick has triggered
        const EMPTY: u32 = 1 << 8;
        while clock.fifo_status.read() & EMPTY == 0 {
            SAMPLE.store(clock.fifo.read(), Ordering::Relaxed);
        }
    });
    TICKS.fetch_add(1, Ordering::Relaxed);
}
