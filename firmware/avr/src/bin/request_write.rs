//! A request, read in place and answered with a number or with its error.
#![no_std]
#![no_main]

use core::hint::black_box;

use nanojsonrpc::{Dialect, Request};

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let mut request = Request::<64, 64>::default();
    let (len, is_request) = match request.parse_into(text, Dialect::JSON_RPC) {
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
