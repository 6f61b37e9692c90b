//! Nothing, to be subtracted from the others.
#![no_std]
#![no_main]

fn job(_: &[u8], _: &mut [u8]) -> bool {
    true
}

avr::firmware!(job);
