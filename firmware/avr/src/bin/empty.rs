//! Does nothing: its size is subtracted from that of the other jobs.
#![no_std]
#![no_main]

fn job(_: &[u8], _: &mut [u8]) -> bool {
    true
}

avr::firmware!(job);
