//! The kind of a message, from a struct of serde. One type for all ids needs a self-describing format, which
//! serde-json-core is not, so these ids are integers. Batches need other types.
#![no_std]
#![no_main]

use probe::{Expect, Shape, used};
use serde::de::IgnoredAny;

#[derive(serde::Deserialize)]
struct Envelope<'a> {
    jsonrpc: &'a str,
    method: Option<&'a str>,
    params: Option<IgnoredAny>,
    id: Option<i64>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

fn job(text: &[u8], _: &mut [u8]) -> bool {
    let Ok((envelope, len)) = serde_json_core::from_slice::<Envelope>(text) else { return false };
    used(&envelope.id);
    used(&envelope.params);
    let is_call = envelope.method.is_some();
    let is_answer = envelope.result.is_some() != envelope.error.is_some();
    envelope.jsonrpc == "2.0" && is_call != is_answer && len == text.len()
}

probe::firmware!(job, Expect::reading(&[Shape::Request, Shape::Notification, Shape::Response], 63));
