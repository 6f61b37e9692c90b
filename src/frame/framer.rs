//! The framer: chunks of bytes in, messages out.

use core::fmt;

use super::spans::part;
use super::{Buffer, Frame, FrameError, Splitter};
use crate::copy::copy;

/// A [`FramerOver`] with its own buffer of `N` bytes.
///
/// The constructors for other buffers have this name, too: `Framer::<Lines>::over(&mut buffer)` makes a framer over a
/// borrowed slice, see [`over`](FramerOver::over); with the feature `alloc`, `Framer::<Lines>::growing(1 << 20)` makes
/// one over growing memory.
pub type Framer<F, const N: usize = 0> = FramerOver<F, [u8; N]>;

/// Takes bytes in chunks of any size and returns whole messages, which borrow from its one buffer.
///
/// The messages do not depend on the cuts between chunks. Time is linear in the bytes: each byte is read once, and unread bytes move to the
/// front of the buffer at most once per refill. Exception: while the stream may begin as HTTP, each chunk is read together with the bytes
/// before it, at most 1,024 bytes. No input stops a framer: it reports a faulty or too long message once, and drops its bytes.
///
/// # Limits
/// Message: the length of the buffer, or the limit of one that grows, with [`ContentLength`](super::ContentLength) and
/// [`Values`](super::Values); one byte less with [`Lines`](super::Lines) and [`Events`](super::Events), which need it for the end of the
/// message. The documentation of each frame has the exact limit. Stack: constant.
///
/// | constructor | the buffer |
/// |---|---|
/// | [`Framer::<Lines, 512>::new()`](Self::new) | 512 bytes in the framer itself |
/// | [`Framer::<Lines>::over(&mut buffer)`](Self::over) | a borrowed slice: a static, a part of a pool |
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
    splitter: Splitter<F>,
    /// Whether the output of the stream ends inside a message. This mark and the next two are stored here, because a framer outlives a
    /// connection and its futures.
    #[cfg(feature = "embedded-io")]
    pub(crate) is_output_broken: bool,
    /// Whether a message was written since the last flush.
    #[cfg(feature = "embedded-io")]
    pub(crate) is_unflushed: bool,
    /// Whether an unreadable text was answered, and no message was read since.
    #[cfg(feature = "embedded-io")]
    pub(crate) has_answered_unreadable: bool,
    /// The number of calls by [`Connection::call`](crate::connection::Connection::call). Stored here, because a framer outlives a
    /// connection.
    #[cfg(all(feature = "embedded-io", feature = "serde"))]
    pub(crate) calls: u32,
    buffer: B,
}

impl<F: Frame, const N: usize> FramerOver<F, [u8; N]> {
    /// An empty framer with its own buffer of `N` bytes, at the front of a stream.
    pub const fn new() -> Self {
        const { assert!(N > 0, "this framer has no buffer: write its length, as in `Framer::<Lines, 512>::new()`") };
        Self::with([0; N])
    }
}

impl<F: Frame> FramerOver<F, [u8; 0]> {
    /// An empty framer over a borrowed buffer, at the front of a stream: for a buffer with a length that is not known
    /// at compile time, or too long for the stack.
    ///
    /// # Limits
    /// Message: the length of `buffer`, see [`FramerOver`]. No message fits an empty buffer: a connection with such a framer reads nothing
    /// and reports the end of the stream.
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

    /// An empty framer with a buffer that grows with the messages up to `limit` bytes, at the front of a stream: for
    /// rare long messages, or many streams.
    ///
    /// The framer allocates memory when received bytes need it, not when a header declares a length. Each allocation doubles the buffer.
    /// The framer keeps the memory until it is dropped.
    ///
    /// # Limits
    /// Message: `limit` bytes, see [`FramerOver`]. If an allocation fails, the program aborts as with a `Vec`.
    ///
    /// ```
    /// use nanojsonrpc::Growing;
    /// use nanojsonrpc::frame::{Framer, FramerOver, Lines};
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
    pub const fn growing(limit: usize) -> FramerOver<F, crate::Growing> {
        FramerOver::with(crate::Growing::new(limit))
    }
}

impl<F: Frame, B> FramerOver<F, B> {
    const fn with(buffer: B) -> Self {
        Self {
            splitter: Splitter::NEW,
            #[cfg(feature = "embedded-io")]
            is_output_broken: false,
            #[cfg(feature = "embedded-io")]
            is_unflushed: false,
            #[cfg(feature = "embedded-io")]
            has_answered_unreadable: false,
            #[cfg(all(feature = "embedded-io", feature = "serde"))]
            calls: 0,
            buffer,
        }
    }
}

impl<F: Frame, B: Buffer> FramerOver<F, B> {
    /// The free room for the next bytes of the stream. Write bytes to its front, then call [`filled`](Self::filled)
    /// with their number.
    ///
    /// After [`next`](Self::next) has returned `None`, the slice is not empty, unless the buffer has length 0.
    pub fn spare(&mut self) -> &mut [u8] {
        let end = self.splitter.spans.make_room(self.buffer.bytes_mut());
        self.buffer.spare(end)
    }

    /// Adds the `len` bytes that were written to the front of [`spare`](Self::spare).
    pub fn filled(&mut self, len: usize) {
        self.splitter.spans.filled(len, self.buffer.bytes().len());
    }

    /// Copies the front of `chunk` into the free room, and returns the number of copied bytes.
    ///
    /// After [`next`](Self::next) has returned `None`, the number is 0 only for an empty chunk or an empty buffer.
    pub fn push(&mut self, chunk: &[u8]) -> usize {
        let len = copy_fitting(chunk, self.spare());
        self.filled(len);
        len
    }

    /// The next whole message, or a fault of the stream; `None` if more bytes are needed.
    #[expect(clippy::should_implement_trait, reason = "the message borrows the buffer")]
    pub fn next(&mut self) -> Option<Result<F::Item<'_>, FrameError>> {
        let found = self.step(false);
        self.found(found)
    }

    /// Ends the stream: the next message, or [`Truncated`](super::FrameErrorKind::Truncated) if the last one is
    /// incomplete. Call it until it returns `None`, as [`next`](Self::next).
    pub fn finish(&mut self) -> Option<Result<F::Item<'_>, FrameError>> {
        let found = self.step(true);
        self.found(found)
    }

    /// Whether the stream is over by the rules of the frame: after a close of a [`WebSocket`](crate#features), after
    /// [`OtherProtocol`](super::FrameErrorKind::OtherProtocol) or [`Unseparated`](super::FrameErrorKind::Unseparated). The framer then
    /// ignores all input until it is [cleared](Self::clear), and a connection sends nothing.
    ///
    /// ```
    /// use nanojsonrpc::frame::{FrameErrorKind, Framer, Lines};
    ///
    /// let mut framer = Framer::<Lines, 64>::new();
    /// framer.push(b"POST / HTTP/1.1\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"x\"}");
    /// assert!(framer.next().is_some_and(|found| found.is_err_and(|error| error.kind() == FrameErrorKind::OtherProtocol)));
    /// assert!(framer.is_over() && framer.next().is_none() && framer.finish().is_none());
    /// ```
    pub fn is_over(&self) -> bool {
        self.splitter.is_over()
    }

    fn step(&mut self, has_ended: bool) -> Option<super::Found> {
        let limit = self.buffer.limit();
        let bytes = self.buffer.bytes_mut();
        if has_ended { self.splitter.step_or_end(bytes, limit) } else { self.splitter.step(bytes, limit, false) }
    }

    /// The span of the next whole message; see [`next`](Self::next) and [`finish`](Self::finish).
    #[cfg(feature = "embedded-io")]
    pub(crate) fn next_span(&mut self, has_ended: bool) -> Option<super::Found> {
        self.step(has_ended)
    }

    /// The greatest length of the buffer.
    #[cfg(feature = "embedded-io")]
    pub(crate) fn limit(&self) -> usize {
        self.buffer.limit()
    }

    /// The span of the front of the message that was refused last: its bytes in the buffer, from the first one. Empty if no message had begun.
    /// With [`Events`](super::Events), the value of the field in which the fault is may follow. Valid after
    /// [`TooLong`](super::FrameErrorKind::TooLong), [`NotJson`](super::FrameErrorKind::NotJson) or
    /// [`Truncated`](super::FrameErrorKind::Truncated) until the next message or fault is looked for, or bytes are added.
    #[cfg(feature = "embedded-io")]
    pub(crate) fn lost(&self) -> core::ops::Range<usize> {
        let start = self.splitter.spans.start();
        start..start.wrapping_add(self.splitter.spans.len())
    }

    /// The message at the span that was found last.
    #[cfg(feature = "embedded-io")]
    pub(crate) fn text(&self, place: core::ops::Range<usize>) -> &[u8] {
        part(self.buffer.bytes(), place.start, place.end)
    }

    // inlined, because the item would be returned through memory
    #[inline(always)]
    fn found(&self, found: Option<super::Found>) -> Option<Result<F::Item<'_>, FrameError>> {
        Some(found?.map(|place| self.splitter.frame.item(part(self.buffer.bytes(), place.start, place.end))))
    }

    /// Resets the framer for a new stream: drops all bytes, also whole messages that [`next`](Self::next) has not returned. Also removes the
    /// marks of a connection: that it has sent a part of a message, has written without a flush, or has answered an unreadable text.
    /// [`Events`](super::Events) keeps its last id and the time to wait, for a
    /// reconnect.
    pub fn clear(&mut self) {
        self.splitter.clear();
        #[cfg(feature = "embedded-io")]
        {
            (self.is_output_broken, self.is_unflushed, self.has_answered_unreadable) = (false, false, false);
        }
    }

    /// The frame, for its own state: [`Events::last_event_id`](super::Events::last_event_id), for example.
    pub const fn frame(&self) -> &F {
        &self.splitter.frame
    }
}

/// Copies the bytes that fit, and returns their number.
fn copy_fitting(from: &[u8], to: &mut [u8]) -> usize {
    let len = from.len().min(to.len());
    if let (Some(from), Some(to)) = (from.get(..len), to.get_mut(..len)) {
        copy(from, to);
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
        f.debug_struct("Framer")
            .field("frame", &self.splitter.frame)
            .field("spans", &self.splitter.spans)
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "defmt")]
impl<F: defmt::Format, B> defmt::Format for FramerOver<F, B> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Framer({}, {})", self.splitter.frame, self.splitter.spans);
    }
}

#[cfg(all(test, feature = "embedded-io"))]
mod tests {
    extern crate std;

    use std::format;
    use std::string::String;
    use std::vec::Vec;

    use super::{Frame, Framer};
    use crate::frame::{ContentLength, Events, Lines, Values};

    /// The front of each refused message of `stream`, which arrives in chunks of `size` bytes.
    fn lost<F: Frame>(stream: &[u8], size: usize) -> Vec<String> {
        let mut framer = Framer::<F, 16>::new();
        let mut lost = Vec::new();
        let mut take = |framer: &mut Framer<F, 16>, has_ended: bool| {
            while let Some(found) = framer.next_span(has_ended) {
                if found.is_err_and(|error| error.loses_message()) {
                    lost.push(String::from_utf8_lossy(framer.text(framer.lost())).into_owned());
                }
            }
            assert!(!has_ended || framer.lost().is_empty());
        };
        for mut chunk in stream.chunks(size) {
            while !chunk.is_empty() {
                let taken = framer.push(chunk);
                chunk = chunk.get(taken..).unwrap_or_default();
                take(&mut framer, false);
            }
        }
        take(&mut framer, true);
        lost
    }

    #[track_caller]
    fn shows<F: Frame>(stream: &str, expected: &[&str]) {
        for size in [1, 2, 3, 7, usize::MAX] {
            assert_eq!(lost::<F>(stream.as_bytes(), size), expected, "chunks of {size}: {stream}");
        }
    }

    #[test]
    fn the_front_of_a_refused_message_is_shown() {
        shows::<Lines>(
            "1\n{\"method\":\"measure\"}\n{\"id\":1}\n{\"result\":[1,2,3,4]",
            &["{\"method\":\"measu", "{\"result\":[1,2,3"],
        );
        shows::<Values>("[1]{\"method\":\"measure\"}[2]", &["{\"method\":\"measu"]);
        shows::<Values>("[1] {\"id\":1,\"r\":nan}\n[2]{\"id\":3", &["{\"id\":1,\"r\":n", "{\"id\":3"]);
        shows::<Values>("Boot\n[1]\n\u{feff}tru", &["", "tru"]);
        let header = "Content-Length: 17\r\n\r\n";
        shows::<ContentLength>(&format!("{header}[1,2,3,4,5,6,7,8]{header}[1,2"), &["[1,2,3,4,5,6,7,8", "[1,2"]);
        shows::<ContentLength>("Content-Length: 1", &[""]);
        shows::<Events>("data:[1,2,3,4,5,6,7,8]\nid:1\n\ndata:[1\ndata:,2", &["[1,2,3,4,5,6,7,", "[1\n,2"]);
    }

    #[cfg(feature = "websocket")]
    #[test]
    fn the_front_of_a_refused_message_of_a_websocket_is_shown_without_its_mask() {
        use crate::frame::WebSocket;

        let frame = |first: u8, text: &str| {
            let payload = text.bytes().zip([1, 2, 3, 4].into_iter().cycle()).map(|(byte, key)| byte ^ key);
            [first, 0x80 | u8::try_from(text.len()).unwrap_or_default(), 1, 2, 3, 4]
                .into_iter()
                .chain(payload)
                .collect()
        };
        let long: Vec<u8> = frame(0x81, "{\"method\":\"measure\"}");
        let fragments = [frame(0x01, "[1,2,3,4,"), frame(0x80, "5,6,7,8,9]")].concat();
        let ping = [frame(0x01, "[1,2,3,4,"), frame(0x89, "12345678")].concat();
        let stream = [long, frame(0x81, "[1]"), fragments, ping, frame(0x80, "5]"), frame(0x81, "[2")].concat();
        let cut = stream.get(..stream.len().wrapping_sub(1)).unwrap_or_default();
        for size in [1, 2, 3, 7, usize::MAX] {
            let expected = ["{\"method\":\"measu", "[1,2,3,4,", "[1,2,3,4,", "["];
            assert_eq!(lost::<WebSocket>(cut, size), expected, "chunks of {size}");
        }
    }
}
