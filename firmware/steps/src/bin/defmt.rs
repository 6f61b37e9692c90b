//! The job `envelope`, with what is wrong logged by defmt to where nobody listens.
#![no_std]
#![no_main]

use nanojsonrpc::{Envelope, MAX_DEPTH};
use probe::{Expect, Shape, used};

#[defmt::global_logger]
struct Nowhere;

// SAFETY: it does nothing but to let the bytes count as used.
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
