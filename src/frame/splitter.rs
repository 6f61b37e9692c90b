//! The splitter: a framer without a buffer.

use core::ops::Range;

use super::front::Front;
use super::spans::Spans;
use super::{Found, Frame, FrameErrorKind};

/// A framer without a buffer: finds messages in a buffer that the program fills at its end and cuts at its front. A program that owns its
/// messages, such as a codec of tokio, splits them off without a copy; other programs use a [`Framer`](super::Framer), which is this
/// splitter with a buffer.
///
/// Call [`next`](Self::next) with all bytes that were not cut off. After each call, take the message, then keep only the bytes in
/// [`kept`](Self::kept).
///
/// # Limits
/// Message: the `limit` of the call; as for a [`Framer`](super::Framer) with a buffer of that length. The buffer grows with the received
/// bytes only: without a whole message in it, to at most `limit` bytes.
///
/// ```
/// use nanojsonrpc::frame::{Lines, Splitter};
///
/// let (mut splitter, mut buffer) = (Splitter::<Lines>::new(), Vec::new());
/// let mut messages = Vec::new();
/// for chunk in ["{\"id\":1}\n{\"i", "d\":2}\n"] {
///     buffer.extend_from_slice(chunk.as_bytes());
///     loop {
///         let found = splitter.next(&mut buffer, 64);
///         let is_found = found.is_some();
///         messages.extend(found.map(|found| found.map(|message| buffer[message].to_vec())));
///         let kept = splitter.kept(&mut buffer);
///         buffer.truncate(kept.end);
///         buffer.drain(..kept.start);
///         if !is_found {
///             break;
///         }
///     }
/// }
/// assert_eq!(messages, [Ok(b"{\"id\":1}".to_vec()), Ok(b"{\"id\":2}".to_vec())]);
/// ```
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Splitter<F> {
    pub(super) frame: F,
    pub(super) spans: Spans,
    front: Front,
}

impl<F: Frame> Splitter<F> {
    pub(super) const NEW: Self = Self { frame: F::NEW, spans: Spans::NEW, front: Front::Unclear };

    /// A splitter at the front of a stream.
    pub const fn new() -> Self {
        Self::NEW
    }

    /// The span of the next message in `bytes`, or a fault of the stream; `None` if more bytes are needed. `limit`: the same in each call;
    /// 0 counts as 1. A limit below the received part of a message refuses that message.
    pub fn next(&mut self, bytes: &mut [u8], limit: usize) -> Option<Found> {
        loop {
            let limit = self.at_least_one_more(limit);
            let is_whole = self.spans.show(bytes.len(), limit);
            let found = self.step(bytes, limit, false);
            if found.is_some() || is_whole {
                return found;
            }
        }
    }

    /// Ends the stream, as [`FramerOver::finish`](super::FramerOver::finish). Call it until it returns `None`.
    pub fn finish(&mut self, bytes: &mut [u8], limit: usize) -> Option<Found> {
        let found = self.next(bytes, limit);
        if found.is_some() { found } else { self.step_or_end(bytes, self.at_least_one_more(limit)) }
    }

    /// The limit with which the frame sees another byte: without one it would wait for ever.
    fn at_least_one_more(&self, limit: usize) -> usize {
        let (len, limit) = (self.spans.len(), limit.max(1));
        if len > limit { len.wrapping_add(1) } else { limit }
    }

    /// The bytes that the next call needs. The program cuts off all others: the caller's next buffer begins with the first of them.
    pub fn kept(&mut self, bytes: &mut [u8]) -> Range<usize> {
        self.spans.rebase(bytes)
    }

    /// As [`FramerOver::is_over`](super::FramerOver::is_over).
    pub fn is_over(&self) -> bool {
        F::IS_BARE && self.front == Front::Over || self.frame.is_over()
    }

    /// The frame, for its own state: [`Events::last_event_id`](super::Events::last_event_id), for example.
    pub const fn frame(&self) -> &F {
        &self.frame
    }

    pub(super) fn step_or_end(&mut self, bytes: &mut [u8], limit: usize) -> Option<Found> {
        let mut found = self.step(bytes, limit, true);
        if found.is_none() {
            found = self.frame.end(bytes, &mut self.spans);
        }
        if found.is_none() {
            self.spans.drop(0);
            if !self.is_over() {
                // the next bytes are the front of another stream
                self.front = Front::Unclear;
            }
        }
        found
    }

    pub(super) fn step(&mut self, bytes: &mut [u8], limit: usize, has_ended: bool) -> Option<Found> {
        if F::IS_BARE {
            if let Some(is_other) = self.front.step(bytes, limit, &mut self.spans, has_ended) {
                return is_other.then(|| Err(self.spans.error(FrameErrorKind::OtherProtocol, 0)));
            }
        }
        let found = self.frame.step(bytes, limit, &mut self.spans);
        debug_assert!(
            found.is_some() || self.spans.is_waiting(limit),
            "the frame waits, with unread bytes or a full buffer"
        );
        found
    }

    /// Begins a new stream.
    pub(super) fn clear(&mut self) {
        self.frame.restart();
        self.spans = Spans::NEW;
        self.front = Front::Unclear;
    }
}

impl<F: Frame> Default for Splitter<F> {
    fn default() -> Self {
        Self::new()
    }
}
