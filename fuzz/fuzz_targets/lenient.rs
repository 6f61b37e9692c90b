//! On any bytes, the lenient dialect reads the same as a reference over `serde_json`; each setting alone reads no more than all of them,
//! and what the strict dialect reads is read by all.
#![no_main]

#[path = "../../tests/message/lenient_reference.rs"]
mod lenient_reference;
// a part of it is for the other targets
#[allow(dead_code)]
mod reference;

use libfuzzer_sys::fuzz_target;
use nanojsonrpc::{Dialect, Envelope, EnvelopeKind, ErrorCode, MAX_DEPTH, Refused};
use reference::{ERROR_OBJECT, Members, depths};
use serde_json::Value;

const ENVELOPE: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

/// The settings of the dialect, each alone.
const SETTINGS: [Dialect; 5] = [
    Dialect::JSON_RPC.with_any_version(),
    Dialect::JSON_RPC.with_any_params(),
    Dialect::JSON_RPC.with_any_outcome(),
    Dialect::JSON_RPC.with_any_spelling(),
    Dialect::JSON_RPC.with_null_id_as_notification(),
];

fuzz_target!(|text: &[u8]| {
    let lenient = Envelope::parse_as(text, Dialect::LENIENT);
    for dialect in SETTINGS.into_iter().chain([Dialect::JSON_RPC]) {
        let one = Envelope::parse_as(text, dialect);
        assert!(one.is_err() || lenient.is_ok(), "{dialect:?}: {one:?}");
        if let (Err(one), Err(all)) = (one, lenient) {
            // each dialect refuses the same texts as no JSON
            let is_syntax = |refused: Refused<'_>| refused.code() == ErrorCode::PARSE_ERROR;
            assert_eq!(is_syntax(one), is_syntax(all), "{dialect:?}");
        }
    }
    // serde_json has other limits for numbers and levels
    let Ok(value) = serde_json::from_slice::<Value>(text) else { return };
    if depths(text).any(|depth| depth > MAX_DEPTH) {
        return;
    }
    match (&value, lenient.map(|message| message.batch())) {
        (Value::Array(elements), Ok(Some(batch))) => {
            let parts: Vec<&serde_json::value::RawValue> = serde_json::from_slice(text).unwrap();
            assert!(elements.len() == parts.len() && elements.len() == batch.count());
            for (message, part) in batch.elements().zip(parts) {
                check(message, part.get().as_bytes());
            }
        }
        (Value::Array(elements), message) => assert!(elements.is_empty() && message.is_err()),
        _ => check(lenient, text),
    }
});

/// Compares the reading of one value with that of the reference.
fn check(message: Result<Envelope<'_>, Refused<'_>>, text: &[u8]) {
    let value: Value = serde_json::from_slice(text).unwrap();
    let repeats = Members::of(text).is_some_and(|members| {
        let error = members.get("error").and_then(|error| Members::of(error.as_bytes()));
        members.repeat(&ENVELOPE).is_some() || error.is_some_and(|error| error.repeat(&ERROR_OBJECT).is_some())
    });
    let expected = lenient_reference::reference(&value).filter(|_| !repeats);
    let read = message.ok().map(|message| {
        let payload = message.params().or(message.result()).or(message.error());
        assert_ne!(message.kind(), EnvelopeKind::Batch);
        (message.kind(), payload.map(|payload| serde_json::from_str(payload.as_json()).unwrap()))
    });
    assert_eq!(read, expected);
}
