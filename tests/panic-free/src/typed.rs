//! Payloads of user types, through serde.

use nanojsonrpc::{
    ErrorObject, Fixed, Notification, Params, PayloadError, RawValue, Request, Response, Writer, json::Deserializer,
};

use crate::used;

#[derive(serde::Deserialize, serde::Serialize)]
pub(crate) struct Reading<'a> {
    #[serde(borrow)]
    sensor: &'a str,
    values: heapless::Vec<i32, 8>,
    level: Fixed<i32, 2>,
    unit: Option<Unit>,
    note: heapless::String<16>,
    place: (i8, u64, bool, char),
}

#[derive(serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Unit {
    Celsius,
    Scaled { factor: u32 },
    Named(heapless::String<8>),
}

#[unsafe(no_mangle)]
pub fn floats(text: &[u8], single: f32, double: f64, out: &mut [u8]) {
    let Ok(value) = RawValue::parse(text) else { return };
    #[cfg(any(feature = "floats", not(target_pointer_width = "64")))]
    used(value.read::<(f32, Option<f64>)>().is_ok());
    #[cfg(not(any(feature = "floats", not(target_pointer_width = "64"))))]
    used(value);
    used(Writer::new(out).value(&(single, double)));
}

fn problem(problem: PayloadError) {
    used((problem.kind(), problem.offset(), problem.expected(), problem.capacity(), problem.error()));
}

#[unsafe(no_mangle)]
pub fn read_and_write(text: &[u8], scratch: &mut [u8], out: &mut [u8]) {
    let Ok(value) = RawValue::parse(text) else { return };
    match value.read::<Reading<'_>>() {
        Ok(reading) => used(Writer::new(out).value(&reading)),
        Err(error) => problem(error),
    }
    value.read_with::<Reading<'_>>(scratch).map_or_else(problem, |reading| used(&reading));
    let mut deserializer = Deserializer::new(value);
    if let Err(fault) = serde::Deserialize::deserialize(&mut deserializer).map(|reading: Reading<'_>| used(&reading)) {
        problem(deserializer.explain(fault));
    }
    used(Params::from(Some(value)).read::<(u8, i128, ())>());
}

#[unsafe(no_mangle)]
pub fn read_with_scratch<'a>(text: &'a [u8], scratch: &'a mut [u8]) {
    let Ok(value) = RawValue::parse(text) else { return };
    used(Deserializer::with_scratch(value, scratch).read::<Reading<'_>>().is_ok());
}

#[unsafe(no_mangle)]
pub fn payloads_with_scratch<'a>(text: &'a [u8], scratch: &'a mut [u8], other: &'a mut [u8]) {
    if let Ok(request) = Request::parse(text) {
        used(Params::from(request.params).read_with::<Reading<'_>>(scratch).is_ok());
        used(request.params_with::<Reading<'_>>(other).is_ok());
    } else if let Ok(notification) = Notification::parse(text) {
        used(notification.params_with::<Reading<'_>>(scratch).is_ok());
    } else if let Ok(response) = Response::parse(text) {
        used(response.result_with::<Reading<'_>>(scratch).is_ok());
        used(response.outcome.map_err(|error: ErrorObject<'_>| error.data_with::<Unit>(other).is_ok()));
    }
}

#[unsafe(no_mangle)]
pub fn payloads(text: &[u8]) {
    if let Ok(request) = Request::parse(text) {
        used(request.params::<(i64, i64)>());
    }
    if let Ok(notification) = Notification::parse(text) {
        used(notification.params::<Reading<'_>>().is_ok());
    }
    if let Ok(response) = Response::parse(text) {
        used(response.result::<u32>().is_ok());
        used(response.outcome.map_err(|error: ErrorObject<'_>| error.data::<u8>()));
    }
}
