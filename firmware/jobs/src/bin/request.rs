//! A request, held: with copies of its id and method.
#![no_std]
#![no_main]

use nanojsonrpc::{Envelope, MAX_DEPTH, Request};
use probe::{Expect, Shape, used};

fn job(text: &[u8], _: &mut [u8]) -> bool {
    let mut request = Request::<64, 64>::default();
    let outcome = Envelope::parse(text).and_then(|envelope| request.hold(&envelope));
    used(&outcome);
    used(&request.id);
    used(request.method.as_str());
    used(&request.params);
    outcome.is_ok()
}

probe::firmware!(job, Expect::reading(&[Shape::Request, Shape::RequestWithText], MAX_DEPTH));
