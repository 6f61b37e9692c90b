//! Cuts a stream into messages, with any frame, in a buffer of 256 bytes.

use nanojsonrpc::frame::{Frame, Framer};
use probe::used;

pub fn job<F: Frame>(mut text: &[u8], _: &mut [u8]) -> bool {
    let mut framer = Framer::<F, 256>::new();
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
