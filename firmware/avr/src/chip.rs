//! The registers of an ATmega328P that the jobs use. All `unsafe` is here.

use core::arch::asm;
use core::fmt::{self, Write};
use core::hint::black_box;

// ATmega328P data sheet, register summary: addresses in the data space
const STACK_POINTER: *const u16 = 0x5D as *const u16;
const TIMER_1_CONTROL: *mut u8 = 0x81 as *mut u8;
const TIMER_1: *mut u16 = 0x84 as *mut u16;
const SERIAL_STATUS: *mut u8 = 0xC0 as *mut u8;
const SERIAL_CONTROL: *mut u8 = 0xC1 as *mut u8;
const SERIAL_DATA: *mut u8 = 0xC6 as *mut u8;

const TRANSMITTER_ENABLED: u8 = 1 << 3;
const DATA_REGISTER_EMPTY: u8 = 1 << 5;
/// Timer 1 counts every eighth cycle.
const EVERY_EIGHTH_CYCLE: u8 = 0b010;

/// The measured function: reads a text, may write an answer, and returns whether it accepted the text.
pub type Job = fn(text: &[u8], out: &mut [u8]) -> bool;

/// The serial port, which simavr shows on standard output.
pub struct Serial;

impl Write for Serial {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(send);
        Ok(())
    }
}

/// Waits until the transmitter takes a byte, and sends it.
pub fn send(byte: u8) {
    // SAFETY: registers of the serial port, which no other code uses.
    unsafe {
        SERIAL_CONTROL.write_volatile(TRANSMITTER_ENABLED);
        while SERIAL_STATUS.read_volatile() & DATA_REGISTER_EMPTY == 0 {}
        SERIAL_DATA.write_volatile(byte);
    }
}

/// Sends `number` in decimal, without a formatter, which would take half of the flash.
pub fn send_number(number: u32) {
    let mut digits = [0; 10];
    let mut rest = number;
    let mut first = digits.len();
    while rest != 0 || first == digits.len() {
        first = first.saturating_sub(1);
        if let Some(digit) = digits.get_mut(first) {
            *digit = b'0' + (rest % 10) as u8;
        }
        rest /= 10;
    }
    digits.iter().skip(first).for_each(|digit| send(*digit));
}

/// Sends a line of words and numbers.
pub fn send_line(name: &str, number: u32) {
    name.bytes().for_each(send);
    send(b' ');
    send_number(number);
    send(b'\n');
}

/// The byte of program memory at `at`.
pub fn program_byte(at: *const u8) -> u8 {
    let byte: u8;
    // SAFETY: reads a byte of the flash, all of which may be read.
    unsafe { asm!("lpm {}, Z", out(reg) byte, in("Z") at, options(pure, readonly, nostack, preserves_flags)) };
    byte
}

/// Ends the emulation: simavr stops at a sleep from which no interrupt can wake.
pub fn stop() -> ! {
    loop {
        // SAFETY: no memory is touched.
        unsafe { asm!("cli", "sleep", options(nomem, nostack)) };
    }
}

unsafe extern "C" {
    /// The end of the statics.
    static mut _end: u8;
}

/// The bytes of stack that `job` uses, without the stack of the caller: fills the free stack with a pattern, and then
/// counts the overwritten bytes.
#[inline(never)]
pub fn stack(job: Job, text: &[u8], out: &mut [u8]) -> u32 {
    const PAINT: u8 = 0xC5;
    // before the pattern is written, because these may be calls that overwrite it
    let (job, text, out) = (black_box(job), black_box(text), black_box(out));
    let bottom = &raw mut _end;
    // SAFETY: reads a register.
    let top = unsafe { STACK_POINTER.read_volatile() } as usize;
    let mut at = bottom;
    while at.addr() <= top {
        // SAFETY: between the end of the statics and the stack pointer there is free RAM.
        unsafe { at.write_volatile(PAINT) };
        at = at.wrapping_add(1);
    }
    black_box(job(text, out));
    at = bottom;
    // SAFETY: as above.
    while at.addr() <= top && unsafe { at.read_volatile() } == PAINT {
        at = at.wrapping_add(1);
    }
    if at == bottom {
        send_line("full", 0);
        stop();
    }
    (top + 1 - at.addr()) as u32
}

/// The cycles that `job` takes, in steps of eight, without the call itself.
pub fn cycles(job: Job, text: &[u8], out: &mut [u8]) -> u32 {
    let call = ticks(|_, _| true, text, out);
    8 * u32::from(ticks(job, text, out).saturating_sub(call))
}

#[inline(never)]
fn ticks(job: Job, text: &[u8], out: &mut [u8]) -> u16 {
    // SAFETY: no other code uses the timer.
    unsafe {
        TIMER_1_CONTROL.write_volatile(EVERY_EIGHTH_CYCLE);
        TIMER_1.write_volatile(0);
    }
    black_box(black_box(job)(black_box(text), black_box(out)));
    // SAFETY: as above.
    unsafe { TIMER_1.read_volatile() }
}

/// Calls the job with a text that is unknown to the optimiser.
#[cfg(not(feature = "bench"))]
pub fn run(job: Job) -> ! {
    loop {
        black_box(black_box(job)(black_box(&[]), black_box(&mut [])));
    }
}

/// Sends the costs of the job, a line `metric value` for each number, and ends the emulation.
#[cfg(feature = "bench")]
pub fn run(job: Job) -> ! {
    const REQUEST: &[u8] = br#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
    const HEAD: &[u8] = br#"{"jsonrpc":"2.0","method":"m","id":"a","params":"#;
    const DEPTH: usize = nanojsonrpc::MAX_DEPTH - 1;
    let mut deepest = [b'['; HEAD.len() + 2 * DEPTH + 1];
    for (place, byte) in deepest.iter_mut().zip(HEAD) {
        *place = *byte;
    }
    deepest.iter_mut().skip(HEAD.len() + DEPTH).for_each(|place| *place = b']');
    let [.., last] = &mut deepest;
    *last = b'}';
    let mut out = [0; 80];
    let accepts = [REQUEST, &deepest].map(|text| black_box(job)(text, &mut out));
    let refuses = !black_box(job)(REQUEST.get(1..).unwrap_or_default(), &mut out);
    send_line("accepts", accepts.map(u32::from).iter().sum());
    send_line("refuses", refuses.into());
    let flat = stack(job, REQUEST, &mut out);
    let deep = stack(job, &deepest, &mut out);
    let broken = stack(job, br#"{"jsonrpc":"2.0","method":1,"id":"a"}"#, &mut out);
    send_line("stack", flat.max(deep).max(broken));
    send_line("cycles", cycles(job, REQUEST, &mut out));
    stop()
}

#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    #[cfg(feature = "bench")]
    send_line("panicked", 0);
    stop()
}

/// Makes a firmware from a [`Job`].
#[macro_export]
macro_rules! firmware {
    ($job:path) => {
        #[unsafe(no_mangle)]
        extern "C" fn main() -> ! {
            $crate::chip::run($job)
        }
    };
}
