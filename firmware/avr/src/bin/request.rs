//! A request with copies of its id and method.
#![no_std]
#![no_main]

use core::hint::black_box;

use nanojsonrpc::Request;

fn job(text: &[u8], _: &mut [u8]) -> bool {
    let request = Request::parse(text);
    black_box(&request).is_ok()
}

avr::firmware!(job);
