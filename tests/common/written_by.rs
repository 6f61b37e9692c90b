//! A value that a closure writes: a type of the tests that implements `ToJson` itself.
// Each user takes its own part of this.
#![allow(dead_code)]

use nanojsonrpc::{
    ToJson,
    json::{ValueWriter, Written},
};

struct WrittenBy<F>(F);

impl<F: for<'o> Fn(ValueWriter<'o, '_>) -> Written<'o>> ToJson for WrittenBy<F> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        (self.0)(out)
    }
}

pub(crate) fn written_by(write: impl for<'o> Fn(ValueWriter<'o, '_>) -> Written<'o>) -> impl ToJson {
    WrittenBy(write)
}
