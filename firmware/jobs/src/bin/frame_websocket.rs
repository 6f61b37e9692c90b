//! The frame `WebSocket` of a server, in a buffer of 256 bytes: the text in a masked frame.
#![no_std]
#![no_main]

use nanojsonrpc::frame::{Framer, WebSocket};
use probe::used;

fn job(text: &[u8], _: &mut [u8]) -> bool {
    let mut framer = Framer::<WebSocket, 256>::new();
    let [.., high, low] = text.len().to_be_bytes();
    // FIN and text; a mask, and a length of two bytes; a key
    let head = [0x81, 0xFE, high, low, 0x37, 0xFA, 0x21, 0x3D];
    for mut part in [&head[..], text] {
        while !part.is_empty() {
            let len = framer.push(part);
            part = part.get(len..).unwrap_or_default();
            while let Some(message) = framer.next() {
                used(&message);
            }
        }
    }
    used(&framer.finish());
    true
}

probe::firmware!(job);
