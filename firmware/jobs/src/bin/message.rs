//! Any message, and every element of a batch.
#![no_std]
#![no_main]

use nanojsonrpc::{MAX_DEPTH, Message};
use probe::{Expect, Shape, used};

fn job(text: &[u8], _: &mut [u8]) -> bool {
    let message = Message::parse(text);
    match &message {
        Ok(Message::Batch(batch)) => batch.elements().for_each(|element| used(&element)),
        other => used(other),
    }
    message.is_ok()
}

probe::firmware!(job, Expect::reading(Shape::ALL, MAX_DEPTH));
