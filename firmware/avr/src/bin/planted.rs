//! Panics on some input, to check that the search for panics finds one.
#![no_std]
#![no_main]

fn job(text: &[u8], out: &mut [u8]) -> bool {
    text[0] == out[0]
}

avr::firmware!(job);
