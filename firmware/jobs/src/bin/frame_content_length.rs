//! Messages behind a Content-Length told apart, in a buffer of 256 bytes.
#![no_std]
#![no_main]

use nanojsonrpc::frame::{ContentLength, Framer};
use probe::used;

fn job(mut text: &[u8], _: &mut [u8]) -> bool {
    let mut framer = Framer::<ContentLength, 256>::new();
    while !text.is_empty() {
        let len = framer.push(text);
        text = text.get(len..).unwrap_or_default();
        while let Some(message) = framer.next() {
            used(&message);
        }
    }
    used(&framer.finish());
    true
}

probe::firmware!(job);
