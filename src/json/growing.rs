//! Memory that grows, for framers and for outputs.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use crate::copy::copy;

/// Memory that grows up to a limit: the buffer of a [framer](crate::frame::FramerOver::growing), or an [`Output`](crate::Output).
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use nanojsonrpc::{Growing, Router, Server};
///
/// let mut server = Server::new(Router::new().request("zeros", |_: &mut (), (count,): (usize,)| Ok(vec![0; count])));
/// let mut output = Growing::new(4096);
/// let answer = server.process(&mut (), br#"{"jsonrpc":"2.0","method":"zeros","params":[2000],"id":1}"#, &mut output).answer();
/// assert_eq!(answer.map(<[u8]>::len), Some(r#"{"jsonrpc":"2.0","result":,"id":1}"#.len() + 4001));
/// let answer = server.process(&mut (), br#"{"jsonrpc":"2.0","method":"zeros","params":[5000],"id":2}"#, &mut output).answer();
/// let too_long = br#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"answer too long: 10035 bytes"},"id":2}"#;
/// assert_eq!(answer, Some(&too_long[..]));
/// # }
/// ```
///
/// # Limits
/// An answer is too long if it exceeds the limit. In a batch, the message with its length takes room of the results after it, which may then
/// be too long, too. Each step at least doubles the memory. While an output grows, up to twice its new length is allocated. Before its next use, an output
/// frees what it has beyond 64 KiB. If an allocation fails, the program aborts as with a `Vec`.
pub struct Growing {
    pub(super) bytes: Vec<u8>,
    pub(super) limit: usize,
    pub(super) growth: Growth,
}

/// The longer memory that a writer has moved to. The shorter one stays allocated until the writer is gone, because its bytes may be
/// borrowed.
#[derive(Debug)]
pub(crate) struct Growth {
    bytes: Vec<u8>,
    /// The number of bytes before the text of the writer.
    before: usize,
    /// The greatest length of the text.
    pub(super) limit: usize,
    /// Whether the writer counts the bytes of a text, instead of writing it.
    pub(super) count: Option<Count>,
    next: Option<Box<Growth>>,
}

/// The state of a writer that counts the bytes of a text.
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Count {
    /// The last byte, if it may be an opening bracket.
    pub(super) last: u8,
    /// The number of bytes that need an escape inside a string, since `Writer::begin_again`.
    pub(super) escapes: usize,
}

impl Growing {
    /// The length of the first allocation.
    const FIRST: usize = 1024;
    /// The length that an output keeps for its next use.
    const KEPT: usize = 64 * 1024;

    /// Empty memory that grows up to `limit` bytes.
    pub const fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit, growth: Growth::new(0, 0) }
    }

    /// The greatest length.
    pub(crate) const fn limit(&self) -> usize {
        self.limit
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Doubles the memory, up to the limit.
    pub(crate) fn double(&mut self) {
        let len = self.bytes.len();
        lengthen(&mut self.bytes, len.saturating_mul(2).max(Self::FIRST).min(self.limit));
    }

    /// Frees the memory that is not kept for the next use.
    pub(super) fn release(bytes: &mut Vec<u8>) {
        if bytes.len() > Self::KEPT {
            bytes.truncate(Self::KEPT);
            bytes.shrink_to(Self::KEPT);
        }
    }
}

/// Lengthens `bytes` to `len`. `resize` alone may reserve more.
pub(super) fn lengthen(bytes: &mut Vec<u8>, len: usize) {
    bytes.reserve_exact(len.saturating_sub(bytes.len()));
    bytes.resize(len.max(bytes.len()), 0);
}

impl Growth {
    const fn new(before: usize, limit: usize) -> Self {
        Self { bytes: Vec::new(), before, limit, count: None, next: None }
    }

    /// Begins a text of up to `limit` bytes, with `before` bytes before it.
    pub(super) fn begin(&mut self, before: usize, limit: usize) {
        *self = Self::new(before, limit);
    }

    /// Moves the `text` of a writer with `room` bytes into memory for `len` bytes or more. Returns that memory, and the growth of the next
    /// step.
    pub(super) fn grow(&mut self, text: &[u8], room: usize, len: usize) -> (&mut [u8], &mut Self) {
        let Self { bytes, before, limit, next, .. } = self;
        let doubled = before.saturating_add(room).saturating_mul(2).max(Growing::FIRST).saturating_sub(*before);
        *bytes = alloc::vec![0; before.saturating_add(doubled.min(*limit).max(len))];
        let memory = bytes.get_mut(*before..).unwrap_or_default();
        copy(text, memory);
        (memory, next.insert(Box::new(Self::new(*before, *limit))))
    }

    /// Moves the text of a writer that has grown back behind the bytes before it.
    pub(super) fn settle(&mut self, bytes: &mut Vec<u8>) {
        let mut grown = core::mem::take(&mut self.bytes);
        let mut next = self.next.take();
        while let Some(mut growth) = next {
            if !growth.bytes.is_empty() {
                grown = core::mem::take(&mut growth.bytes);
            }
            next = growth.next.take();
        }
        if !grown.is_empty() {
            copy(bytes.get(..self.before).unwrap_or(bytes), &mut grown);
            *bytes = grown;
        }
    }
}

impl fmt::Debug for Growing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Growing").field("len", &self.bytes.len()).field("limit", &self.limit).finish()
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Growing {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Growing {{ len: {=usize}, limit: {=usize} }}", self.bytes.len(), self.limit);
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Growth {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Growth {{ limit: {=usize} }}", self.limit);
    }
}

#[cfg(test)]
mod tests {
    use super::Growing;

    #[test]
    fn debug_shows_length_and_limit() {
        let growing = Growing { bytes: alloc::vec![0; 2], ..Growing::new(3) };
        assert_eq!(alloc::format!("{growing:?}"), "Growing { len: 2, limit: 3 }");
    }
}
