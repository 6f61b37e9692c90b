//! The job `typed` with decimal fractions in place of integers.
#![no_std]
#![no_main]

use nanojsonrpc::{Fixed, RawValue, Writer};
use probe::used;

#[derive(serde::Deserialize, serde::Serialize)]
struct Reading<'a> {
    #[serde(borrow)]
    sensor: &'a str,
    values: heapless::Vec<Fixed<i32, 2>, 8>,
    unit: Option<&'a str>,
}

const READING: &str = r#"{"sensor":"bme280-03","values":[21.53,101325.00,-0.40],"unit":"C"}"#;

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let Ok(value) = RawValue::parse(text) else { return false };
    let Ok(reading) = value.read::<Reading>() else { return false };
    let mut out = Writer::new(out);
    let written = out.value(&reading);
    used(out.written());
    written.is_ok()
}

probe::firmware!(job, probe::Expect::NO_VERDICT.answering(READING, READING));
