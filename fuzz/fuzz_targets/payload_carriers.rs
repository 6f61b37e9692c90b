//! On any value, flattened, untagged, tagged inside and beside, by our deserializer and by serde_json's, read as every type
//! of ours that serde reads: only validated text becomes a part, and the output is JSON.
#![no_main]

#[path = "../../tests/payload/carriers.rs"]
mod carriers;
// a part of it is for the other targets
#[allow(dead_code)]
mod grammar;

use libfuzzer_sys::fuzz_target;
use nanojsonrpc::RawValue;

fuzz_target!(|input: &[u8]| {
    let Some(text) = grammar::text(input) else { return };
    // the carriers stand around it, and serde_json reads texts
    if let (Ok(value), true) = (RawValue::parse(&text), text.len() < 1 << 10) {
        if depth(&text) + 8 < nanojsonrpc::MAX_DEPTH {
            carriers::every_carrier_holds(value.as_json());
        }
    }
});

/// How many brackets a text has that open, at most, at once.
fn depth(text: &[u8]) -> usize {
    text.iter().filter(|byte| matches!(byte, b'[' | b'{')).count()
}
