//! Runs the tasks of embassy, and sleeps in WFI while all tasks wait.
//!
//! The executor of embassy for Cortex-M sleeps in WFE. The emulator does not implement that sleep, so the executor would spin.
#![expect(unsafe_code, reason = "exports a symbol, and polls an executor")]

use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering};

use embassy_executor::{Spawner, raw::Executor};
use static_cell::StaticCell;

static IS_PENDING: AtomicBool = AtomicBool::new(false);

// SAFETY: the executor declares this name and this signature.
#[unsafe(export_name = "__pender")]
fn pend(_: *mut ()) {
    IS_PENDING.store(true, Ordering::SeqCst);
}

/// Runs the tasks that `spawn` starts.
///
/// # Panics
/// If it is called twice.
pub fn run(spawn: impl FnOnce(Spawner)) -> ! {
    static EXECUTOR: StaticCell<Executor> = StaticCell::new();
    let executor: &'static Executor = EXECUTOR.init(Executor::new(ptr::null_mut()));
    spawn(executor.spawner());
    loop {
        // SAFETY: only this loop polls; the pender does not.
        unsafe { executor.poll() };
        // a masked interrupt also ends WFI, so no wake-up is lost between the check and the sleep
        cortex_m::interrupt::free(|_| {
            if !IS_PENDING.swap(false, Ordering::SeqCst) {
                cortex_m::asm::wfi();
            }
        });
    }
}

#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    // dependencies link panics; the device restarts, and the checks detect that by its uptime
    cortex_m::peripheral::SCB::sys_reset()
}
