//! A call as it was written, to tell its answer and its echo.

use core::num::NonZeroU32;

use super::Addressee;
use crate::json::{RawValue, Writer};
use crate::message::Envelope;

/// A call in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(crate) struct Sent {
    pub(crate) id: i64,
    /// Of the text, without white space, which a frame may change. Not 0, so that an `Option` of a call is not longer: 236 bytes of flash in
    /// a client of MCP, without which `memset` is linked.
    checksum: NonZeroU32,
}

impl Sent {
    /// The call `id`, which `out` has after `before` bytes.
    // not inlined: four callers in a client of MCP, 136 bytes of flash
    #[inline(never)]
    pub(crate) fn written(id: i64, before: usize, out: &Writer<'_>) -> Self {
        Self { id, checksum: checksum(out.written().get(before..).unwrap_or_default()) }
    }

    /// Whether `call`, whose text is `text`, is this call, which a line has returned.
    pub(crate) fn is_echo(&self, call: &Envelope<'_>, text: &[u8]) -> bool {
        checksum(text) == self.checksum && call.id().and_then(RawValue::as_i64) == Some(self.id)
    }
}

/// FNV-1a.
#[inline(never)]
fn checksum(text: &[u8]) -> NonZeroU32 {
    let bytes = text.iter().filter(|byte| **byte > b' ');
    NonZeroU32::MIN | bytes.fold(0x811C_9DC5, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// The number that `id` spells, and whether it is spelled as a client writes it.
pub(crate) fn number_of(id: RawValue<'_>) -> Option<(i64, bool)> {
    Addressee::Call(id).number()
}
