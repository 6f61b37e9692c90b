//! The borrowed read: the kind of a message, and the spans of its parts.
#![no_std]
#![no_main]

use core::hint::black_box;

use nanojsonrpc::Envelope;

fn job(text: &[u8], _: &mut [u8]) -> bool {
    let envelope = Envelope::parse(text);
    black_box(&envelope).is_ok()
}

avr::firmware!(job);
