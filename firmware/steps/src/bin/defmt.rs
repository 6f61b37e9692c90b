//! The job `envelope`, with its errors logged by defmt to a logger that drops them.
#![no_std]
#![no_main]

use nanojsonrpc::{Envelope, MAX_DEPTH};
use probe::{Expect, Shape, used};

#[defmt::global_logger]
struct Nowhere;

// SAFETY: the logger only marks its bytes as used.
unsafe impl defmt::Logger for Nowhere {
    fn acquire() {}

    unsafe fn flush() {}

    unsafe fn release() {}

    unsafe fn write(bytes: &[u8]) {
        used(bytes);
    }
}

fn job(text: &[u8], _: &mut [u8]) -> bool {
    let envelope = Envelope::parse(text);
    used(&envelope);
    if let Err(refused) = &envelope {
        defmt::error!("{}", refused.error);
    }
    envelope.is_ok()
}

probe::firmware!(job, Expect::reading(Shape::ALL, MAX_DEPTH));
