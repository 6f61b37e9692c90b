//! Writes messages completely or not at all.

use crate::error::Error;
use crate::json::{ToJson, Writer};
use crate::message::{Method, write_call};

/// Writes a request, or a notification if `number` is `None`; see [`write_call`].
pub(crate) fn write(
    method: &str,
    params: &(impl ToJson + ?Sized),
    number: Option<i64>,
    allowed: u32,
    out: &mut Writer<'_>,
) -> Result<(), Error> {
    write_call(&Method::<0>::from(method), Some(params), allowed, out)?;
    let before = out.len();
    if let Some(number) = number {
        out.put(b",\"id\":");
        out.put_signed(number);
    }
    out.put_byte(b'}');
    out.finish(before)
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

    /// Appends the opening and the output of `write`. On an error, appends nothing.
    pub(crate) fn write(
        self,
        out: &mut Writer<'_>,
        write: impl FnOnce(&mut Writer<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        out.whole(|out| {
            out.bytes(self.opening)?;
            write(out)?;
            if self.opening.is_empty() { Ok(()) } else { out.reserve_bracket() }
        })
    }
}
