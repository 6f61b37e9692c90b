//! Panics on some input, so that the search for panics can be seen to find one.
#![no_std]
#![no_main]

fn job(text: &[u8], out: &mut [u8]) -> bool {
    text[0] == out[0]
}

avr::firmware!(job);
