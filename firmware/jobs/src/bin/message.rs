//! Any message, and every element of a batch, each held.
#![no_std]
#![no_main]

use nanojsonrpc::{Dialect, Envelopes, MAX_DEPTH, Message};
use probe::{Expect, Shape, used};

fn job(text: &[u8], _: &mut [u8]) -> bool {
    let mut message: Message<'_> = Message::default();
    let mut messages = Envelopes::new(text, Dialect::JSON_RPC);
    let mut is_read = true;
    while let Some(read) = &messages.next() {
        let outcome = match read {
            Ok(envelope) => message.hold(envelope),
            Err(refused) => Err(*refused),
        };
        is_read = messages.is_batch() || outcome.is_ok();
        used(&outcome);
        used(&message);
    }
    is_read
}

probe::firmware!(job, Expect::reading(Shape::ALL, MAX_DEPTH));
