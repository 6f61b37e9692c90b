//! Cortex-M: SysTick counts, and the debugger of semihosting prints.

use core::arch::asm;
use core::hint::black_box;

use cortex_m::peripheral::{SYST, syst::SystClkSource};
use cortex_m_semihosting::debug;

use crate::Job;

pub(crate) use cortex_m_rt::heap_start;
pub use cortex_m_semihosting::hprintln;

/// SysTick ticks from before the call to after it.
#[inline(never)]
pub(crate) fn ticks(job: Job, text: &[u8], out: &mut [u8]) -> u32 {
    const RELOAD: u32 = 0xFF_FFFF;
    // SAFETY: nothing else uses the timer.
    let mut timer = unsafe { cortex_m::Peripherals::steal() }.SYST;
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(RELOAD);
    timer.clear_current();
    timer.enable_counter();
    black_box(black_box(job)(black_box(text), black_box(out)));
    let now = SYST::get_current();
    assert!(!timer.has_wrapped(), "too long for 24 bits of SysTick: about 650,000 instructions or more");
    timer.disable_counter();
    RELOAD - now
}

/// Executes two instructions `ROUNDS` times.
#[inline(always)]
pub(crate) fn spin<const ROUNDS: u32>() {
    // SAFETY: counts a register down to zero.
    unsafe { asm!("2: subs r0, #1", "bne 2b", inout("r0") ROUNDS => _, options(nomem, nostack)) };
}

/// The stack pointer.
#[inline(always)]
pub(crate) fn stack_pointer() -> *mut u32 {
    let top: *mut u32;
    // SAFETY: reads a register.
    unsafe { asm!("mov {}, sp", out(reg) top, options(nomem, nostack, preserves_flags)) };
    top
}

pub fn exit(is_success: bool) -> ! {
    debug::exit(if is_success { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE });
    loop {
        cortex_m::asm::wfi();
    }
}
