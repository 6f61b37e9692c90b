//! Prints digests of floats that are read and written, which `check` compares with those of the host.
#![no_std]
#![no_main]

use avr::floats::Floats;

#[cfg(feature = "bench")]
#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    Floats::default().for_each(|digest| probe::print(digest));
    probe::end()
}

#[cfg(not(feature = "bench"))]
fn job(_: &[u8], _: &mut [u8]) -> bool {
    Floats::default().for_each(|digest| probe::used(&digest));
    true
}

#[cfg(not(feature = "bench"))]
probe::firmware!(job);
