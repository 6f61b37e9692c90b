//! A held request, answered with a number or with its error.
#![no_std]
#![no_main]

use core::hint::black_box;

use nanojsonrpc::{Envelope, MAX_DEPTH, Request};
use probe::{Expect, Shape, used};

const QUESTION: &str = r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
const ANSWER: &str = r#"{"jsonrpc":"2.0","result":19,"id":1}"#;

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let mut request = Request::<64, 64>::default();
    let (len, is_request) = match Envelope::parse(text).and_then(|envelope| request.hold(&envelope)) {
        Ok(()) => {
            used(request.method.as_str());
            used(&request.params);
            (request.write_response(Ok(&black_box(19i64)), out), true)
        }
        Err(refused) => (refused.write_response(out), false),
    };
    used(&len);
    is_request
}

probe::firmware!(
    job,
    Expect::reading(&[Shape::Request, Shape::RequestWithText], MAX_DEPTH).answering(QUESTION, ANSWER)
);
