//! A request with its id and method copied out.
#![no_std]
#![no_main]

use nanojsonrpc::{MAX_DEPTH, Request};
use probe::{Expect, Shape, used};

fn job(text: &[u8], _: &mut [u8]) -> bool {
    match Request::parse(text) {
        Ok(request) => {
            used(&request.id);
            used(request.method.as_str());
            used(&request.params);
            true
        }
        Err(rejection) => {
            used(&rejection);
            false
        }
    }
}

probe::firmware!(job, Expect::reading(&[Shape::Request, Shape::RequestWithText], MAX_DEPTH));
