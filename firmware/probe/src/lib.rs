//! What every measured firmware shares.
//!
//! A firmware is one [`Job`] and one line of [`firmware!`]. It is built twice: plain, where it holds the job and nothing
//! else, so that its size above that of the job that does nothing is the job's own; and with the feature `bench`,
//! where it measures the job's stack and instructions and prints them.
#![no_std]

#[cfg(feature = "bench")]
mod bench;
#[cfg(feature = "bench")]
mod messages;

use core::hint::black_box;

#[cfg(feature = "bench")]
pub use bench::run;
// the vector table and the reset handler
use cortex_m_rt as _;

/// What is measured: reads a text, may write an answer, and says whether the text was what it reads.
///
/// It hands what it learned to [`used`], so that no part of the work can be optimised away.
pub type Job = fn(text: &[u8], out: &mut [u8]) -> bool;

/// What a job is expected to do, checked before anything is measured.
pub struct Expect {
    /// The shapes of message that it accepts; it refuses the others.
    pub reads: &'static [Shape],
    /// The most brackets that it accepts open at once.
    pub depth: usize,
    /// A text of its own, and how what it writes then begins.
    pub answer: Option<(&'static str, &'static str)>,
}

impl Expect {
    /// Of a job that does not look at its text.
    pub const NO_VERDICT: Self = Self { reads: &[], depth: 0, answer: None };

    /// Of a job that accepts these shapes, and this many brackets open at once.
    pub const fn reading(reads: &'static [Shape], depth: usize) -> Self {
        Self { reads, depth, answer: None }
    }

    /// Of one that also writes: `answer`, and perhaps more, when it gets `text`.
    pub const fn answering(self, text: &'static str, answer: &'static str) -> Self {
        Self { answer: Some((text, answer)), ..self }
    }
}

/// The shapes of message that JSON-RPC has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Request,
    /// A request with a string for an id.
    RequestWithText,
    Notification,
    Response,
    Batch,
}

impl Shape {
    pub const ALL: &'static [Self] =
        &[Self::Request, Self::RequestWithText, Self::Notification, Self::Response, Self::Batch];
}

/// Makes a firmware of a [`Job`]: `firmware!(job, Expect { .. })`, or `firmware!(job)` for one that judges nothing.
#[macro_export]
macro_rules! firmware {
    ($job:path) => {
        $crate::firmware!($job, $crate::Expect::NO_VERDICT);
    };
    ($job:path, $expect:expr) => {
        // what cortex-m-rt's reset handler calls
        #[unsafe(no_mangle)]
        extern "C" fn main() -> ! {
            $crate::run($job, &$expect)
        }
    };
}

/// Something reads every byte of `value`, as far as the optimiser can tell.
#[inline(always)]
pub fn used<T: ?Sized>(value: &T) {
    black_box(value);
}

/// Calls the job, with nothing known of its text.
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
