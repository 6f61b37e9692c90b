//! Measures a job under QEMU and prints a line `metric value` for each number.
//!
//! With QEMU's `-icount`, each instruction takes a fixed time, so the timer of the chip counts instructions, and two runs give equal
//! numbers.

use core::hint::black_box;

use crate::chip::{self, exit, hprintln, ticks};
use crate::messages::{self, MESSAGES, Text};
use crate::more::MORE;
use crate::{Expect, Job, Shape};

/// Prints the costs of `job`, and ends the emulation.
pub fn run(job: Job, expect: &Expect) -> ! {
    let mut text = Text::new();
    let mut bench = Bench::new(job, expect);
    for message in MESSAGES {
        text.clear();
        (message.write)(&mut text);
        assert_eq!(text.len(), message.len, "{}", message.name);
        let is_accepted = bench.check(&text, Some(message.shape), message.name);
        hprintln!("{}.is-read {}", message.name, u8::from(is_accepted));
        hprintln!("{} {}", message.name, bench.instructions(&text));
        text.break_last_byte();
        bench.check(&text, None, message.name);
        hprintln!("{}.late-error {}", message.name, bench.instructions(&text));
    }
    if let Some((question, answer)) = expect.answer {
        text.clear();
        text.push(question);
        bench.check_answer(&text, answer);
        hprintln!("answer {}", bench.instructions(&text));
    }
    for (name, depth) in [("stack.flat", 2), ("stack.deepest", expect.depth)] {
        text.clear();
        messages::nested(&mut text, depth);
        bench.check(&text, Some(Shape::Request), name);
        hprintln!("{} {}", name, bench.stack(&text));
    }
    hprintln!("stack {}", bench.peak);
    let (mut room, mut peak) = ([0; 2048], bench.peak);
    for more in MORE {
        text.clear();
        text.push(more);
        peak = stack(job, &text, &mut room).max(peak);
    }
    hprintln!("stack.more {}", peak);
    exit(true)
}

/// A job, the overhead to subtract from its numbers, and its peak use of the stack.
struct Bench<'e> {
    job: Job,
    expect: &'e Expect,
    out: [u8; 256],
    clock: Clock,
    peak: usize,
}

impl<'e> Bench<'e> {
    fn new(job: Job, expect: &'e Expect) -> Self {
        Self { job, expect, out: [0; 256], clock: Clock::new(), peak: 0 }
    }

    /// Checks that the job accepts or refuses `text` as expected; the shape of a broken text is `None`. Records the
    /// stack, and returns whether the job has accepted the text.
    fn check(&mut self, text: &[u8], shape: Option<Shape>, name: &str) -> bool {
        let is_accepted = (self.job)(text, &mut self.out);
        if !self.expect.reads.is_empty() {
            let is_expected = shape.is_some_and(|shape| self.expect.reads.contains(&shape));
            assert_eq!(is_accepted, is_expected, "the verdict on {name}");
        }
        self.peak = self.stack(text).max(self.peak);
        is_accepted
    }

    /// Checks that the job writes the expected answer. Records the stack.
    fn check_answer(&mut self, text: &[u8], answer: &str) {
        self.out.fill(0);
        (self.job)(text, &mut self.out);
        let written = &self.out[..answer.len()];
        assert_eq!(core::str::from_utf8(written), Ok(answer), "the answer");
        self.peak = self.stack(text).max(self.peak);
    }

    /// The instructions of the job, without those of the call.
    fn instructions(&mut self, text: &[u8]) -> u64 {
        self.clock.instructions(self.job, text, &mut self.out)
    }

    /// The bytes of stack that the job uses, without the stack of the caller.
    fn stack(&mut self, text: &[u8]) -> usize {
        stack(self.job, text, &mut self.out)
    }
}

/// The timer, as a counter of instructions.
struct Clock {
    /// Ticks for [`SPAN`] instructions.
    span: u32,
    /// Ticks for calling a job that does nothing.
    call: u32,
}

impl Clock {
    fn new() -> Self {
        let mut out = [0; 256];
        let span = ticks(spin::<LONG>, &[], &mut out) - ticks(spin::<SHORT>, &[], &mut out);
        Self { span, call: ticks(nothing, &[], &mut out) }
    }

    fn instructions(&self, job: Job, text: &[u8], out: &mut [u8]) -> u64 {
        let ticks = u64::from(ticks(job, text, out) - self.call);
        let span = u64::from(self.span);
        (ticks * u64::from(SPAN) + span / 2) / span
    }
}

/// The instructions of `job`, without those of the call.
pub fn instructions(job: Job, text: &[u8], out: &mut [u8]) -> u64 {
    Clock::new().instructions(job, text, out)
}

#[inline(never)]
fn nothing(_: &[u8], _: &mut [u8]) -> bool {
    true
}

const SHORT: u32 = 1_000;
const LONG: u32 = 11_000;
/// The instructions by which `spin::<LONG>` is longer than `spin::<SHORT>`.
const SPAN: u32 = 2 * (LONG - SHORT);

/// Executes [`chip::spin`].
#[inline(never)]
fn spin<const ROUNDS: u32>(_: &[u8], _: &mut [u8]) -> bool {
    chip::spin::<ROUNDS>();
    true
}

/// Fills the free stack with a pattern, calls `job`, and counts the overwritten bytes.
#[inline(never)]
fn stack(job: Job, text: &[u8], out: &mut [u8]) -> usize {
    const PAINT: u32 = 0xC0DE_CAFE;
    // before the pattern is written, because these may be calls that overwrite it
    let (job, text, out) = (black_box(job), black_box(text), black_box(out));
    let (bottom, top) = (chip::heap_start(), chip::stack_pointer());
    let mut word = bottom;
    while word < top {
        // SAFETY: between the end of the statics and the stack pointer there is free RAM.
        unsafe { word.write_volatile(PAINT) };
        word = word.wrapping_add(1);
    }
    let verdict = job(text, out);
    word = bottom;
    // SAFETY: as above.
    while word < top && unsafe { word.read_volatile() } == PAINT {
        word = word.wrapping_add(1);
    }
    black_box(verdict);
    assert!(word > bottom, "the stack is full");
    top.addr() - word.addr()
}

#[panic_handler]
fn panicked(info: &core::panic::PanicInfo<'_>) -> ! {
    hprintln!("{}", info);
    exit(false)
}
