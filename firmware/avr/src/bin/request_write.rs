//! A held request, answered with a number or with its error.
#![no_std]
#![no_main]

use core::hint::black_box;

use nanojsonrpc::{Envelope, Request};

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let mut request = Request::<64, 64>::default();
    let (len, is_request) = match Envelope::parse(text).and_then(|envelope| request.hold(&envelope)) {
        Ok(()) => {
            black_box(request.method.as_str());
            black_box(&request.params);
            (request.write_response(Ok(&black_box(19i64)), out), true)
        }
        Err(refused) => (refused.write_response(out), false),
    };
    black_box(&len);
    is_request
}

avr::firmware!(job);
