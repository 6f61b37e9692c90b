//! Bytes in, messages out.

use core::fmt;

use super::spans::Spans;
use super::{Buffer, Frame, FrameError};
use crate::json;

/// A [`FramerOver`] with a buffer of `N` bytes of its own.
///
/// The other buffers are made here too: `Framer::<Lines>::over(&mut buffer)` is a framer over a lent slice, see
/// [`over`](FramerOver::over); with the feature `alloc`, `Framer::<Lines>::growing(1 << 20)` is one over memory that grows.
pub type Framer<F, const N: usize = 0> = FramerOver<F, [u8; N]>;

/// Takes bytes in chunks of any size and hands out whole messages, which borrow from its one buffer.
///
/// The cuts between chunks never change the messages. Time is linear in the bytes: each is looked at once, and
/// unread bytes move to the front of the buffer at most once per refill. No input stops it: a broken or too long message
/// is an error, reported once, and dropped as it arrives.
///
/// # Limits
/// Message: the length of the buffer, or the length to which it grows, with [`ContentLength`](super::ContentLength) and [`Values`](super::Values), one less
/// with [`Lines`](super::Lines) and [`Events`](super::Events), which need a byte for the end of a message. Stack: constant.
///
/// | constructor | the buffer |
/// |---|---|
/// | [`Framer::<Lines, 512>::new()`](Self::new) | 512 bytes in the framer itself |
/// | [`Framer::<Lines>::over(&mut buffer)`](Self::over) | a lent slice: a static, a part of a pool |
/// | `Framer::<Lines>::growing(1 << 20)` | with the feature `alloc`: memory that grows with the messages, up to 1 MiB |
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
pub struct FramerOver<F, B> {
    frame: F,
    spans: Spans,
    /// Whether the other direction of the stream ends inside a message: kept here, because this outlives a connection.
    #[cfg(feature = "embedded-io")]
    pub(crate) is_output_broken: bool,
    /// How many calls have been made by [`Connection::call`](crate::connection::Connection::call), for the same reason.
    #[cfg(all(feature = "embedded-io", feature = "serde"))]
    pub(crate) calls: u32,
    buffer: B,
}

impl<F: Frame, const N: usize> FramerOver<F, [u8; N]> {
    /// An empty one with a buffer of `N` bytes of its own, at the front of a stream.
    pub const fn new() -> Self {
        const { assert!(N > 0, "a buffer has room for a byte") };
        Self::with([0; N])
    }
}

impl<F: Frame> FramerOver<F, [u8; 0]> {
    /// An empty framer over a borrowed buffer, at the front of a stream: for buffers of a length that is known at run time, or that
    /// are too long for the stack.
    ///
    /// # Limits
    /// Message: the length of `buffer`, see [`FramerOver`]. No message fits an empty one; a connection with it is at its end.
    ///
    /// ```
    /// use nanojsonrpc::frame::{Framer, FramerOver, Lines};
    ///
    /// let mut buffer = [0; 64];
    /// let mut framer: FramerOver<Lines, &mut [u8]> = Framer::<Lines>::over(&mut buffer[..32]);
    /// framer.push(b"{\"id\":1}\n");
    /// assert_eq!(framer.next(), Some(Ok(&b"{\"id\":1}"[..])));
    /// ```
    pub const fn over(buffer: &mut [u8]) -> FramerOver<F, &mut [u8]> {
        FramerOver::with(buffer)
    }

    /// An empty framer at the front of a stream, with a buffer that grows with the messages up to `limit` bytes: for rare long
    /// messages, or many streams.
    ///
    /// Memory is allocated when bytes come that need it, not when a length is declared, and doubles each time. It stays
    /// until the framer is dropped.
    ///
    /// # Limits
    /// Message: `limit` bytes, see [`FramerOver`]. If no memory is left, the program ends as a `Vec` ends it.
    ///
    /// ```
    /// use nanojsonrpc::frame::{FrameErrorKind, Framer, FramerOver, Growing, Lines};
    ///
    /// let mut framer: FramerOver<Lines, Growing> = Framer::<Lines>::growing(1 << 20);
    /// let line = ["\"", &"a".repeat(100_000), "\"\n"].concat();
    /// let mut rest = line.as_bytes();
    /// while !rest.is_empty() {
    ///     assert_eq!(framer.next(), None);
    ///     rest = &rest[framer.push(rest)..];
    /// }
    /// assert_eq!(framer.next().and_then(Result::ok).map(<[u8]>::len), Some(100_002));
    /// ```
    #[cfg(feature = "alloc")]
    pub const fn growing(limit: usize) -> FramerOver<F, super::Growing> {
        FramerOver::with(super::Growing::new(limit))
    }
}

impl<F: Frame, B> FramerOver<F, B> {
    const fn with(buffer: B) -> Self {
        Self {
            frame: F::NEW,
            spans: Spans::NEW,
            #[cfg(feature = "embedded-io")]
            is_output_broken: false,
            #[cfg(all(feature = "embedded-io", feature = "serde"))]
            calls: 0,
            buffer,
        }
    }
}

impl<F: Frame, B: Buffer> FramerOver<F, B> {
    /// Where the next bytes of the stream go. [`filled`](Self::filled) then says how many did.
    ///
    /// Never empty after [`next`](Self::next) has given `None`.
    pub fn spare(&mut self) -> &mut [u8] {
        let end = self.spans.make_room(self.buffer.bytes_mut());
        self.buffer.spare(end)
    }

    /// Says that `len` bytes were put at the front of [`spare`](Self::spare).
    pub fn filled(&mut self, len: usize) {
        self.spans.filled(len, self.buffer.bytes().len());
    }

    /// Copies as much of `chunk` as there is room for, and says how many bytes that was.
    ///
    /// Never 0 for a chunk that is not empty, after [`next`](Self::next) has given `None`.
    pub fn push(&mut self, chunk: &[u8]) -> usize {
        let len = copy_fitting(chunk, self.spare());
        self.filled(len);
        len
    }

    /// The next whole message, or a fault of the stream; `None` if more bytes are needed.
    #[expect(clippy::should_implement_trait, reason = "the message borrows the buffer")]
    pub fn next(&mut self) -> Option<Result<F::Item<'_>, FrameError>> {
        let found = self.step();
        self.found(found)
    }

    /// Returns the rest of a stream that has ended, or [`Truncated`](super::FrameErrorKind::Truncated) if that is half a message.
    /// Call it until it returns `None`, as [`next`](Self::next).
    pub fn finish(&mut self) -> Option<Result<F::Item<'_>, FrameError>> {
        let mut found = self.step();
        if found.is_none() {
            found = self.frame.end(self.buffer.bytes_mut(), &mut self.spans);
        }
        self.found(found)
    }

    fn step(&mut self) -> Option<super::Found> {
        let limit = self.buffer.limit();
        self.frame.step(self.buffer.bytes_mut(), limit, &mut self.spans)
    }

    /// Where the next whole message is; see [`next`](Self::next) and [`finish`](Self::finish).
    #[cfg(feature = "embedded-io")]
    pub(crate) fn next_span(&mut self, has_ended: bool) -> Option<super::Found> {
        let found = self.step();
        if found.is_none() && has_ended { self.frame.end(self.buffer.bytes_mut(), &mut self.spans) } else { found }
    }

    /// The most bytes that the buffer can hold.
    #[cfg(feature = "embedded-io")]
    pub(crate) fn limit(&self) -> usize {
        self.buffer.limit()
    }

    /// The message at a place that was found last.
    #[cfg(feature = "embedded-io")]
    pub(crate) fn text(&self, place: core::ops::Range<usize>) -> &[u8] {
        self.buffer.bytes().get(place).unwrap_or_default()
    }

    fn found(&self, found: Option<super::Found>) -> Option<Result<F::Item<'_>, FrameError>> {
        Some(found?.map(|place| self.frame.item(self.buffer.bytes().get(place).unwrap_or_default())))
    }

    /// Forgets everything, as for a new stream; with it, that a connection has sent a message in part.
    pub fn clear(&mut self) {
        self.frame = F::NEW;
        self.spans = Spans::NEW;
        #[cfg(feature = "embedded-io")]
        {
            self.is_output_broken = false;
        }
    }

    /// The frame, which may know more about the stream.
    pub const fn frame(&self) -> &F {
        &self.frame
    }
}

/// Copies as many bytes as fit.
fn copy_fitting(from: &[u8], to: &mut [u8]) -> usize {
    let len = from.len().min(to.len());
    if let (Some(from), Some(to)) = (from.get(..len), to.get_mut(..len)) {
        json::copy(from, to);
    }
    len
}

impl<F: Frame, const N: usize> Default for FramerOver<F, [u8; N]> {
    fn default() -> Self {
        Self::new()
    }
}

impl<F: fmt::Debug, B> fmt::Debug for FramerOver<F, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Framer").field("frame", &self.frame).field("spans", &self.spans).finish_non_exhaustive()
    }
}

#[cfg(feature = "defmt")]
impl<F: defmt::Format, B> defmt::Format for FramerOver<F, B> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Framer({}, {})", self.frame, self.spans);
    }
}
