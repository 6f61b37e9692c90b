//! The borrowed read: the kind of a message, and the spans of its parts.
#![no_std]
#![no_main]

use nanojsonrpc::{Envelope, MAX_DEPTH};
use probe::{Expect, Shape, used};

fn job(text: &[u8], _: &mut [u8]) -> bool {
    let envelope = Envelope::parse(text);
    used(&envelope);
    envelope.is_ok()
}

probe::firmware!(job, Expect::reading(Shape::ALL, MAX_DEPTH));
