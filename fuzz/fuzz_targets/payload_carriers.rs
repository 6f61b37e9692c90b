//! Reads any value through each way in which serde buffers (flatten, untagged, tags), with both deserializers. Checks that only
//! validated text becomes a value, and that the output is JSON.
#![no_main]

#[path = "../../tests/json/carriers.rs"]
mod carriers;
// a part of it is for the other targets
#[allow(dead_code)]
mod grammar;
#[allow(dead_code)]
mod reference;

use libfuzzer_sys::fuzz_target;
use nanojsonrpc::RawValue;

fuzz_target!(|input: &[u8]| {
    let Some(text) = grammar::text(input) else { return };
    // the carriers stand around it, and serde_json reads texts
    if let (Ok(value), true) = (RawValue::parse(&text), text.len() < 1 << 10) {
        if reference::depths(&text).max() < Some(nanojsonrpc::MAX_DEPTH - 8) {
            carriers::every_carrier_holds(value.as_json());
        }
    }
});
