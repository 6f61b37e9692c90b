//! The common parts of all measured firmware.
//!
//! A firmware is one [`Job`] and one line of [`firmware!`]. It is built twice. The plain build contains only the job,
//! so its size minus that of an empty job is the size of the job. The build with the feature `bench` measures the stack
//! and the instructions of the job and prints them.
#![no_std]

#[cfg(feature = "bench")]
mod bench;
#[cfg(feature = "bench")]
#[cfg_attr(target_arch = "arm", path = "chip/cortex_m.rs")]
#[cfg_attr(target_arch = "riscv32", path = "chip/riscv.rs")]
pub mod chip;
#[cfg(feature = "bench")]
mod messages;
#[cfg(feature = "bench")]
mod more;

use core::hint::black_box;

#[cfg(feature = "bench")]
pub use bench::{instructions, run};
// the vector table and the reset handler
#[cfg(target_arch = "arm")]
use cortex_m_rt as _;
#[cfg(target_arch = "riscv32")]
use riscv_rt as _;

/// The measured function: reads a text, may write an answer, and returns whether it accepted the text.
///
/// It passes its results to [`used`], so that the optimiser removes no part of the work.
pub type Job = fn(text: &[u8], out: &mut [u8]) -> bool;

/// The expected behaviour of a job, which is checked before any measurement.
pub struct Expect {
    /// The shapes of message that it accepts; it refuses the others.
    pub reads: &'static [Shape],
    /// The maximum number of open brackets that it accepts.
    pub depth: usize,
    /// A text for this job, and the start of the answer to it.
    pub answer: Option<(&'static str, &'static str)>,
}

impl Expect {
    /// For a job that does not read its text.
    pub const NO_VERDICT: Self = Self { reads: &[], depth: 0, answer: None };

    /// For a job that accepts these shapes, and this number of open brackets.
    pub const fn reading(reads: &'static [Shape], depth: usize) -> Self {
        Self { reads, depth, answer: None }
    }

    /// For a job that also writes: its answer to `text` begins with `answer`.
    pub const fn answering(self, text: &'static str, answer: &'static str) -> Self {
        Self { answer: Some((text, answer)), ..self }
    }
}

/// The shapes of message that JSON-RPC has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Request,
    /// A request whose id is a string.
    RequestWithText,
    Notification,
    Response,
    Batch,
}

impl Shape {
    pub const ALL: &'static [Self] =
        &[Self::Request, Self::RequestWithText, Self::Notification, Self::Response, Self::Batch];
}

/// Copies the next bytes of `text` into `room`, as an interrupt would, and returns their number. It is not inlined, so that its
/// instructions do not depend on the registers that the rest of the job leaves free.
#[inline(never)]
pub fn receive(text: &mut core::slice::Iter<'_, u8>, room: &mut [u8]) -> usize {
    let mut len = 0;
    for (place, byte) in room.iter_mut().zip(text) {
        *place = *byte;
        len += 1;
    }
    len
}

/// Makes a firmware from a [`Job`]: `firmware!(job, Expect { .. })`, or `firmware!(job)` for one that reads no text.
#[macro_export]
macro_rules! firmware {
    ($job:path) => {
        $crate::firmware!($job, $crate::Expect::NO_VERDICT);
    };
    ($job:path, $expect:expr) => {
        // the entry point for the reset handler
        #[unsafe(no_mangle)]
        extern "C" fn main() -> ! {
            $crate::run($job, &$expect)
        }
    };
}

/// Makes the optimiser assume that every byte of `value` is read.
#[inline(always)]
pub fn used<T: ?Sized>(value: &T) {
    black_box(value);
}

/// Prints a number on a line of its own.
#[cfg(feature = "bench")]
pub fn print(number: u32) {
    chip::hprintln!("{}", number);
}

/// Ends the emulation.
#[cfg(feature = "bench")]
pub fn end() -> ! {
    chip::exit(true)
}

/// Calls the job with a text that is unknown to the optimiser.
#[cfg(not(feature = "bench"))]
pub fn run(job: Job, _: &Expect) -> ! {
    loop {
        black_box(black_box(job)(black_box(&[]), black_box(&mut [])));
    }
}

#[cfg(not(feature = "bench"))]
#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
