//! A logger for defmt on the host. It has a package of its own because loggers are `unsafe`, which the crate that uses it in
//! its tests forbids.

use std::cell::RefCell;

thread_local! {
    static LOG: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

#[defmt::global_logger]
struct Kept;

// SAFETY: each thread has a log of its own, which only that thread reads and writes, so it needs no lock.
unsafe impl defmt::Logger for Kept {
    fn acquire() {}

    unsafe fn flush() {}

    unsafe fn release() {}

    unsafe fn write(bytes: &[u8]) {
        LOG.with_borrow_mut(|log| log.extend_from_slice(bytes));
    }
}

defmt::timestamp!("");

#[defmt::panic_handler]
fn panic() -> ! {
    panic!("defmt was given what it cannot log")
}

/// The bytes that a device sends to log `value`: the address of each format string, and its arguments.
pub fn logged(value: &impl defmt::Format) -> Vec<u8> {
    LOG.take();
    defmt::println!("{}", value);
    LOG.take()
}
