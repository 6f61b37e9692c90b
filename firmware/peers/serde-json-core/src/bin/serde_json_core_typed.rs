//! The job `typed` done by serde-json-core.
#![no_std]
#![no_main]

use probe::used;

#[derive(serde::Deserialize, serde::Serialize)]
struct Reading<'a> {
    #[serde(borrow)]
    sensor: &'a str,
    values: heapless::Vec<i32, 8>,
    unit: Option<&'a str>,
}

const READING: &str = r#"{"sensor":"bme280-03","values":[21375,101325,-40],"unit":"C"}"#;

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let Ok((reading, _)) = serde_json_core::from_slice::<Reading>(text) else { return false };
    let written = serde_json_core::to_slice(&reading, out);
    used(out);
    written.is_ok()
}

probe::firmware!(job, probe::Expect::NO_VERDICT.answering(READING, READING));
