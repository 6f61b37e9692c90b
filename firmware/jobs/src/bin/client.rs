//! A client that calls, matches a response, and ends late calls.
#![no_std]
#![no_main]

use core::hint::black_box;

use nanojsonrpc::client::{Answer, Client};
use nanojsonrpc::{Envelope, MAX_DEPTH, Writer};
use probe::{Expect, Shape, used};

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let mut client: Client<u32, 8, 0> = Client::new();
    let mut out = Writer::new(out);
    let id = client.until(500).call("subtract", &[black_box(42), 23], 7, &mut out);
    used(&id);
    used(out.written());
    let envelope = Envelope::parse(text);
    let mut is_response = false;
    if let Ok(envelope) = &envelope {
        let answer = client.accept(envelope);
        is_response = answer.is_some();
        used(&answer);
        used(&matches!(answer, Some(Answer::To(_))));
        used(&envelope.result());
        used(&envelope.error_object());
    }
    client.expire(black_box(600)).for_each(|late| used(&late));
    is_response
}

probe::firmware!(job, Expect::reading(&[Shape::Response], MAX_DEPTH));
