//! The job `lazy` with floats.
#![no_std]
#![no_main]

use nanojsonrpc::RawValue;
use probe::used;

fn job(text: &[u8], _: &mut [u8]) -> bool {
    let Ok(value) = RawValue::parse(text) else { return false };
    used(&value.get("sensor").and_then(RawValue::as_str_raw));
    for value in value.get("values").into_iter().flat_map(RawValue::elements) {
        used(&value.as_f64());
    }
    true
}

probe::firmware!(job, probe::Expect::reading(probe::Shape::ALL, nanojsonrpc::MAX_DEPTH));
