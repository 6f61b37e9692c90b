//! A request read and answered, with a number or with its error.
#![no_std]
#![no_main]

use core::hint::black_box;

use nanojsonrpc::{MAX_DEPTH, Request, Response};
use probe::{Expect, Shape, used};

const QUESTION: &str = r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
const ANSWER: &str = r#"{"jsonrpc":"2.0","result":19,"id":1}"#;

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let (len, is_request) = match Request::parse(text) {
        Ok(request) => {
            used(request.method.as_str());
            used(&request.params);
            (Response::success(request.id, &black_box(19i64)).write(out).ok(), true)
        }
        Err(rejection) => (rejection.answer().and_then(|answer| answer.write(out).ok()), false),
    };
    used(&len);
    is_request
}

probe::firmware!(
    job,
    Expect::reading(&[Shape::Request, Shape::RequestWithText], MAX_DEPTH).answering(QUESTION, ANSWER)
);
