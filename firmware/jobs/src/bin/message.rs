//! Any message, and every element of a batch, each read in place.
#![no_std]
#![no_main]

use nanojsonrpc::{Dialect, MAX_DEPTH, Message};
use probe::{Expect, Shape, used};

fn job(text: &[u8], _: &mut [u8]) -> bool {
    let mut message: Message<'_> = Message::default();
    let is_read = {
        let outcome = message.parse_into(text, Dialect::JSON_RPC);
        used(&outcome);
        outcome.is_ok()
    };
    if let Message::Batch(batch) = message {
        let mut elements = batch.elements();
        while let Some(outcome) = &elements.next_into(&mut message) {
            used(outcome);
            used(&message);
        }
    } else {
        used(&message);
    }
    is_read
}

probe::firmware!(job, Expect::reading(Shape::ALL, MAX_DEPTH));
