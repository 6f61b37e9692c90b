//! Server-sent events told apart, in a buffer of 256 bytes.
#![no_std]
#![no_main]

use nanojsonrpc::frame::{Events, Framer};
use probe::used;

fn job(mut text: &[u8], _: &mut [u8]) -> bool {
    let mut framer = Framer::<Events, 256>::new();
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
