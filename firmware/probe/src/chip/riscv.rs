//! RISC-V: the register `minstret` counts, and the debugger of semihosting prints.

use core::arch::asm;
use core::hint::black_box;

use crate::Job;

pub(crate) use semihosting::println as hprintln;

/// The end of the statics.
pub(crate) fn heap_start() -> *mut u32 {
    riscv_rt::heap_start().cast()
}

/// Instructions from before the call to after it.
#[inline(never)]
pub(crate) fn ticks(job: Job, text: &[u8], out: &mut [u8]) -> u32 {
    let start = retired();
    black_box(black_box(job)(black_box(text), black_box(out)));
    retired() - start
}

#[inline(always)]
fn retired() -> u32 {
    let count: u32;
    // SAFETY: reads a register.
    unsafe { asm!("csrr {}, minstret", out(reg) count, options(nomem, nostack, preserves_flags)) };
    count
}

/// Executes two instructions `ROUNDS` times.
#[inline(always)]
pub(crate) fn spin<const ROUNDS: u32>() {
    // SAFETY: counts a register down to zero.
    unsafe { asm!("2: addi {0}, {0}, -1", "bnez {0}, 2b", inout(reg) ROUNDS => _, options(nomem, nostack)) };
}

/// The stack pointer.
#[inline(always)]
pub(crate) fn stack_pointer() -> *mut u32 {
    let top: *mut u32;
    // SAFETY: reads a register.
    unsafe { asm!("mv {}, sp", out(reg) top, options(nomem, nostack, preserves_flags)) };
    top
}

pub fn exit(is_success: bool) -> ! {
    semihosting::process::exit(i32::from(!is_success))
}
