//! A request with typed params, read and answered.
#![no_std]
#![no_main]

use nanojsonrpc::{ErrorObject, Request, Response};

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let Ok(request) = Request::parse(text) else { return false };
    let answer = match request.params::<(i32, i32)>() {
        Ok((a, b)) => Response::success(request.id, &a.wrapping_sub(b)).write(out),
        Err(_) => Response::error(request.id, ErrorObject::INVALID_PARAMS).write(out),
    };
    answer.is_ok()
}

avr::firmware!(job);
