//! Writes messages completely or not at all.

use crate::json::{ToJson, Writer};
use crate::message::{Dialect, put_call, put_end};

/// Appends a request, or a notification if `number` is `None`.
pub(crate) fn put_numbered(
    method: &str,
    params: &(impl ToJson + ?Sized),
    number: Option<i64>,
    dialect: Dialect,
    out: &mut Writer<'_>,
) {
    put_call(method, Some(params), dialect, out);
    match number {
        Some(number) => put_end(|out| out.put_signed(number), out),
        None => out.put_byte(b'}'),
    }
}

/// The deadline of a message, and the bracket or comma before it.
#[derive(Clone, Copy)]
pub(super) struct Sending {
    pub(super) deadline: Option<u32>,
    /// The bracket or comma before the message in a batch; empty outside of a batch.
    pub(super) opening: &'static [u8],
}

impl Sending {
    pub(super) const fn alone(deadline: Option<u32>) -> Self {
        Self { deadline, opening: b"" }
    }
}
