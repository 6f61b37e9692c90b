//! A request read and answered, by serde-json-core. Its ids are unsigned integers.
#![no_std]
#![no_main]

use core::hint::black_box;

use json_rpc_types::{Error, ErrorCode, Request, Response, Version};
use probe::{Expect, Shape, used};
use serde::de::IgnoredAny;

type Answer = Response<i64, i64, &'static str>;

const QUESTION: &str = r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
const ANSWER: &str = r#"{"jsonrpc":"2.0","result":19,"id":1}"#;

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let (answer, is_read) = match serde_json_core::from_slice::<Request<IgnoredAny, &str>>(text) {
        Ok((request, len)) if len == text.len() => {
            used(request.method);
            used(&request.params);
            (Answer::result(Version::V2, black_box(19), request.id), true)
        }
        _ => {
            let error = Error { code: ErrorCode::ParseError, message: "Parse error", data: None };
            (Answer::error(Version::V2, error, None), false)
        }
    };
    used(&serde_json_core::to_slice(&answer, out));
    is_read
}

probe::firmware!(job, Expect::reading(&[Shape::Request, Shape::Notification], 63).answering(QUESTION, ANSWER));
