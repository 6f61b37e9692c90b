//! A server-sent event, and its encoder.

use super::encode::Out;
use crate::error::{Error, ErrorKind};

/// A server-sent event. Its fields are the received bytes: UTF-8, if the peer follows the standard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Event<'b> {
    /// The name; `message` if the event has none.
    pub event: &'b [u8],
    /// The last id in the stream, of this event or an earlier one; empty if there was no id.
    pub id: &'b [u8],
    /// The message.
    pub data: &'b [u8],
}

impl Event<'_> {
    /// Writes the event to the front of `out`, and returns its length.
    ///
    /// `event` is omitted if it is `message` or empty, `id` if it is empty. Each line of `data` becomes a line of the
    /// event; a reader gets CR and CRLF back as LF.
    ///
    /// # Errors
    /// [`OutputFull`](ErrorKind::OutputFull) if the event does not fit; [`InvalidValue`](ErrorKind::InvalidValue) if a
    /// CR, LF or NUL is in `event` or `id`. Then `out` counts as unwritten.
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, Error> {
        let mut out = Out::new(out);
        let event = if self.event == DEFAULT_NAME { b"" } else { self.event };
        for (name, value) in [(&b"event: "[..], event), (b"id: ", self.id)] {
            if value.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
                return Err(Error::new(ErrorKind::InvalidValue, 0));
            }
            if !value.is_empty() {
                out.put(name)?;
                out.put(value)?;
                out.put(b"\n")?;
            }
        }
        let mut rest = self.data;
        loop {
            let (line, behind) = rest.split_at_checked(line_len(rest)).unwrap_or_default();
            out.put(b"data: ")?;
            out.put(line)?;
            out.put(b"\n")?;
            rest = match behind {
                [b'\r', b'\n', rest @ ..] | [_, rest @ ..] => rest,
                [] => break,
            };
        }
        out.put(b"\n")?;
        Ok(out.len())
    }
}

impl AsRef<[u8]> for Event<'_> {
    fn as_ref(&self) -> &[u8] {
        self.data
    }
}

/// The default name of an event.
pub(super) const DEFAULT_NAME: &[u8] = b"message";

/// The number of bytes before the first CR or LF, or of all bytes. Not inlined: on devices this saves an instruction for each byte.
#[inline(never)]
pub(super) fn line_len(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| !matches!(byte, b'\r' | b'\n')).count()
}
