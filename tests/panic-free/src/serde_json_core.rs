//! Payloads through serde-json-core.

use nanojsonrpc::RawValue;

use crate::typed::Reading;
use crate::used;

#[unsafe(no_mangle)]
pub fn read_with_serde_json_core(text: &[u8], scratch: &mut [u8]) {
    let Ok(value) = RawValue::parse(text) else { return };
    used(value.read_with_serde_json_core::<Reading<'_>>(scratch).is_ok());
}
