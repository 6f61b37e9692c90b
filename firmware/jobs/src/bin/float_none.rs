//! A payload read and written without floats: the job that those with floats are measured above.
#![no_std]
#![no_main]

use nanojsonrpc::{RawValue, Writer};
use probe::used;

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let Ok(value) = RawValue::parse(text) else { return false };
    used(&value);
    let mut out = Writer::new(out);
    let is_written = out.value(&value).is_ok();
    used(out.written());
    is_written
}

probe::firmware!(job, probe::Expect::NO_VERDICT.answering("21.5", "21.5"));
