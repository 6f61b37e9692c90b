//! A request read and answered, with a number or with its error.
#![no_std]
#![no_main]

use core::hint::black_box;

use nanojsonrpc::{Request, Response};

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let (len, is_request) = match Request::parse(text) {
        Ok(request) => {
            black_box(request.method.as_str());
            black_box(&request.params);
            (Response::success(request.id, &black_box(19i64)).write(out).ok(), true)
        }
        Err(rejection) => (rejection.answer().and_then(|answer| answer.write(out).ok()), false),
    };
    black_box(&len);
    is_request
}

avr::firmware!(job);
