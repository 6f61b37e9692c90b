//! A payload written unread, and an `f32` after it.
#![no_std]
#![no_main]

use nanojsonrpc::{RawValue, Writer};
use probe::used;

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let Ok(value) = RawValue::parse(text) else { return false };
    used(&value);
    // the first bytes of the text are the bits of the float
    let float = f32::from_le_bytes(text.first_chunk().copied().unwrap_or_default());
    let mut out = Writer::new(out);
    let is_written = out.value(&value).and_then(|()| out.value(&float)).is_ok();
    used(out.written());
    is_written
}

probe::firmware!(job, probe::Expect::NO_VERDICT.answering("21.5", "21.56.489164e-7"));
