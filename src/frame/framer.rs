//! Bytes in, messages out.

use core::fmt;

use super::places::Places;
use super::{Frame, FrameError};
use crate::json;

/// Takes bytes in chunks of any size and hands out whole messages, which borrow from its one buffer of `N` bytes.
///
/// Where the chunks are cut never changes what comes out. Time is linear in the bytes: each is looked at once, and
/// what is unread moves to the front of the buffer at most once per refill. Nothing that a peer sends stops it: what
/// is wrong or too long is an error, reported once, and then dropped as it comes.
///
/// # Limits
/// Message: `N` bytes, and what the frame says. Stack: constant.
///
/// ```
/// use nanojsonrpc::frame::{Framer, Lines};
///
/// let mut framer = Framer::<Lines, 64>::new();
/// assert_eq!(framer.push(b"{\"id\":1}\n{\"id\""), 14);
/// assert_eq!(framer.next(), Some(Ok(&b"{\"id\":1}"[..])));
/// assert_eq!(framer.next(), None);
///
/// // or, without a copy, let the driver write where there is room
/// framer.spare()[..4].copy_from_slice(b":2}\n");
/// framer.filled(4);
/// assert_eq!(framer.next(), Some(Ok(&b"{\"id\":2}"[..])));
/// assert_eq!(framer.finish(), None);
/// ```
pub struct Framer<F, const N: usize> {
    frame: F,
    places: Places,
    bytes: [u8; N],
}

impl<F: Frame, const N: usize> Framer<F, N> {
    /// An empty one, at the front of a stream.
    pub const fn new() -> Self {
        const { assert!(N > 0, "a buffer has room for a byte") };
        Self { frame: F::NEW, places: Places::NEW, bytes: [0; N] }
    }

    /// Where the next bytes of the stream go. [`filled`](Self::filled) then says how many did.
    ///
    /// Never empty after [`next`](Self::next) has given `None`.
    pub fn spare(&mut self) -> &mut [u8] {
        let end = self.places.make_room(&mut self.bytes);
        self.bytes.get_mut(end..).unwrap_or_default()
    }

    /// Says that `len` bytes were put at the front of [`spare`](Self::spare).
    pub fn filled(&mut self, len: usize) {
        self.places.filled(len, N);
    }

    /// Copies as much of `chunk` as there is room for, and says how many bytes that was.
    ///
    /// Never 0 for a chunk that is not empty, after [`next`](Self::next) has given `None`.
    pub fn push(&mut self, chunk: &[u8]) -> usize {
        let len = copy_fitting(chunk, self.spare());
        self.filled(len);
        len
    }

    /// The next whole message, or what is wrong with the stream; `None` if more bytes are needed.
    #[expect(clippy::should_implement_trait, reason = "the message borrows the buffer")]
    pub fn next(&mut self) -> Option<Result<F::Item<'_>, FrameError>> {
        let found = self.frame.step(&mut self.bytes, &mut self.places);
        self.found(found)
    }

    /// Says that the stream has ended: what is left, or [`Truncated`](super::FrameErrorKind::Truncated) if that is half
    /// a message. To be called until it gives `None`, as [`next`](Self::next) is.
    pub fn finish(&mut self) -> Option<Result<F::Item<'_>, FrameError>> {
        let mut found = self.frame.step(&mut self.bytes, &mut self.places);
        if found.is_none() {
            found = self.frame.end(&mut self.bytes, &mut self.places);
        }
        self.found(found)
    }

    fn found(&self, found: Option<super::Found>) -> Option<Result<F::Item<'_>, FrameError>> {
        Some(found?.map(|place| self.frame.item(self.bytes.get(place).unwrap_or_default())))
    }

    /// Forgets everything, as for a new stream.
    pub fn clear(&mut self) {
        self.frame = F::NEW;
        self.places = Places::NEW;
    }

    /// The frame, which may know more about the stream.
    pub const fn frame(&self) -> &F {
        &self.frame
    }
}

/// Copies what fits.
fn copy_fitting(from: &[u8], to: &mut [u8]) -> usize {
    let len = from.len().min(to.len());
    if let (Some(from), Some(to)) = (from.get(..len), to.get_mut(..len)) {
        json::copy(from, to);
    }
    len
}

impl<F: Frame, const N: usize> Default for Framer<F, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<F: fmt::Debug, const N: usize> fmt::Debug for Framer<F, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Framer").field("frame", &self.frame).field("places", &self.places).finish_non_exhaustive()
    }
}

#[cfg(feature = "defmt")]
impl<F: defmt::Format, const N: usize> defmt::Format for Framer<F, N> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Framer({}, {})", self.frame, self.places);
    }
}
