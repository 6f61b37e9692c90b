//! A client that calls, matches a response, and ends late calls.
#![no_std]
#![no_main]

use core::hint::black_box;

use nanojsonrpc::client::{Answer, Client};
use nanojsonrpc::{MAX_DEPTH, Response, Writer};
use probe::{Expect, Shape, used};

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let mut client: Client<u32, 8, 20> = Client::new();
    let mut out = Writer::new(out);
    let id = client.until(500).call("subtract", &[black_box(42), 23], 7, &mut out);
    used(&id);
    used(out.written());
    let response = Response::parse(text);
    if let Ok(response) = &response {
        let answer = client.accept(response);
        used(&answer);
        used(&matches!(answer, Answer::To(_)));
    }
    client.expire(black_box(600)).for_each(|late| used(&late));
    response.is_ok()
}

probe::firmware!(job, Expect::reading(&[Shape::Response], MAX_DEPTH));
