//! Writing messages, whole or not at all.

use crate::error::Error;
use crate::json::{ToJson, Writer};
use crate::message::{Method, write_call};

/// Writes a request, or a notification if there is no number.
pub(super) fn write(
    method: &str,
    params: &(impl ToJson + ?Sized),
    number: Option<i64>,
    out: &mut Writer<'_>,
) -> Result<(), Error> {
    // "params [...] MAY be omitted", and must not be null (JSON-RPC 2.0 §4.2)
    let params = if is_null(params) { None } else { Some(params) };
    write_call(&Method::<0>::from(method), params, out)?;
    if let Some(number) = number {
        out.bytes(b",\"id\":")?;
        out.signed(number)?;
    }
    out.bytes(b"}")
}

/// Whether `params` are written as null. Others are told from it by four bytes.
fn is_null(params: &(impl ToJson + ?Sized)) -> bool {
    let mut room = [0; 4];
    let mut out = Writer::new(&mut room);
    params.write_json(&mut out).is_ok() && out.written() == b"null"
}

/// How a message is sent.
#[derive(Clone, Copy)]
pub(super) struct Sending {
    pub(super) deadline: Option<u32>,
    /// What stands before it in a batch; nothing if it is sent alone.
    pub(super) opening: &'static [u8],
}

impl Sending {
    pub(super) const fn alone(deadline: Option<u32>) -> Self {
        Self { deadline, opening: b"" }
    }

    /// Appends what `write` writes, or nothing.
    pub(super) fn write(
        self,
        out: &mut Writer<'_>,
        write: impl FnOnce(&mut Writer<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        out.whole(|out| {
            out.bytes(self.opening)?;
            write(out)?;
            if !self.opening.is_empty() {
                // room for the closing bracket
                let end = out.len();
                out.bytes(b"]")?;
                out.truncate(end);
            }
            Ok(())
        })
    }
}
