//! Does nothing: what any firmware costs.
#![no_std]
#![no_main]

fn job(_: &[u8], _: &mut [u8]) -> bool {
    true
}

probe::firmware!(job);
