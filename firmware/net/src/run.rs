//! Runs the tasks of embassy, and sleeps in WFI while all of them wait.
//!
//! The executor for Cortex-M of embassy sleeps in WFE, which the emulator does not: it spins.
#![expect(unsafe_code, reason = "exports a symbol, and polls an executor")]

use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering};

use embassy_executor::{Spawner, raw::Executor};
use static_cell::StaticCell;

static IS_PENDING: AtomicBool = AtomicBool::new(false);

// SAFETY: the name and the signature are those that the executor declares.
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
        // SAFETY: only this loop polls, and the pender does not.
        unsafe { executor.poll() };
        // a masked interrupt ends WFI, too, so no wake-up is lost between the check and the sleep
        cortex_m::interrupt::free(|_| {
            if !IS_PENDING.swap(false, Ordering::SeqCst) {
                cortex_m::asm::wfi();
            }
        });
    }
}

#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    // the frameworks link panics; a device starts again, and the checks notice it by the uptime
    cortex_m::peripheral::SCB::sys_reset()
}
