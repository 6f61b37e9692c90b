//! A payload read as an `f32` and written unread.
#![no_std]
#![no_main]

use nanojsonrpc::{RawValue, Writer};
use probe::used;

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let Ok(value) = RawValue::parse(text) else { return false };
    used(&value.as_f32());
    let mut out = Writer::new(out);
    let is_written = out.value(&value).is_ok();
    used(out.written());
    is_written
}

probe::firmware!(job, probe::Expect::NO_VERDICT.answering("21.5", "21.5"));
