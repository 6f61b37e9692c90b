//! The spans of a framer's buffer.

use core::ops::Range;

use super::{FrameError, FrameErrorKind};

/// What a frame has read of the buffer of a framer, and the operations on it. `bytes` is always the buffer.
///
/// The stored part of the current message, then bytes that were dropped, the unread bytes, and room.
///
/// No method panics in a release build. With a `len` beyond the unread bytes, the framer loses its place.
// The buffer is `[..start | stored part of the current message | .. | unread bytes | room]`.
//
// `start <= kept <= at <= end <= N`. The bytes between `kept` and `at` have been read and dropped.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Spans {
    start: usize,
    kept: usize,
    at: usize,
    end: usize,
    /// The offset in the stream of the first byte of the buffer.
    before: u64,
}

#[allow(clippy::len_without_is_empty, reason = "a frame compares it with the limit only")]
impl Spans {
    pub(super) const NEW: Self = Self { start: 0, kept: 0, at: 0, end: 0, before: 0 };

    /// Moves the stored and the unread bytes to the front, so that all free room is after `end`. Returns `end`.
    #[inline(never)]
    pub(super) fn make_room(&mut self, bytes: &mut [u8]) -> usize {
        let kept = self.len();
        let unread = self.end.wrapping_sub(self.at);
        move_down(bytes, self.start, 0, kept);
        move_down(bytes, self.at, kept, unread);
        self.before = self.before.wrapping_add(self.at.wrapping_sub(kept) as u64);
        (self.start, self.kept, self.at, self.end) = (0, kept, kept, kept.wrapping_add(unread));
        self.end
    }

    /// Whether no byte is unread, and a buffer of `limit` bytes has room for more.
    pub(super) const fn is_waiting(&self, limit: usize) -> bool {
        self.at == self.end && (self.len() < limit || limit == 0)
    }

    /// Adds `len` bytes after `end`, at most up to `capacity`.
    pub(super) fn filled(&mut self, len: usize, capacity: usize) {
        self.end = self.end.saturating_add(len).min(capacity);
    }

    /// Shows `len` bytes to the frame, but at most `limit` of the current message. Returns whether these are all.
    pub(super) fn show(&mut self, len: usize, limit: usize) -> bool {
        let dropped = self.at.wrapping_sub(self.len());
        self.end = limit.saturating_add(dropped).max(self.at).min(len);
        self.end == len
    }

    /// Moves the stored and the unread bytes together, and counts from the first of them. Returns their span in `bytes`.
    pub(super) fn rebase(&mut self, bytes: &mut [u8]) -> Range<usize> {
        let (start, kept) = (self.start, self.kept);
        let unread = bytes.len().wrapping_sub(self.at);
        move_down(bytes, self.at, kept, unread);
        self.before = self.before.wrapping_add(self.at.wrapping_sub(self.len()) as u64);
        (self.start, self.kept, self.at, self.end) = (0, self.len(), self.len(), self.len());
        start..kept.wrapping_add(unread)
    }

    /// The start of the current message.
    pub(super) const fn start(&self) -> usize {
        self.start
    }

    /// The stored length of the current message.
    pub const fn len(&self) -> usize {
        self.kept.wrapping_sub(self.start)
    }

    /// The stored part of the current message.
    pub fn message<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        part(bytes, self.start, self.kept)
    }

    /// The unread bytes.
    pub fn unread<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        let Some(bytes) = bytes.get(..self.end) else { return &[] };
        bytes.get(self.at..).unwrap_or_default()
    }

    /// The offset in the stream of the byte that is `back` bytes before the first unread one.
    pub(super) const fn offset(&self, back: usize) -> u64 {
        self.before.wrapping_add(self.at as u64).wrapping_sub(back as u64)
    }

    /// An error of this kind at the byte that is `back` bytes before the first unread one.
    pub const fn error(&self, kind: FrameErrorKind, back: usize) -> FrameError {
        FrameError::new(kind, self.offset(back))
    }

    /// Marks the next `len` bytes as read.
    pub const fn pass(&mut self, len: usize) {
        debug_assert!(len <= self.end.wrapping_sub(self.at), "these bytes have not arrived");
        self.at = self.at.wrapping_add(len);
    }

    /// Drops the next `len` bytes, and everything before them.
    pub const fn drop(&mut self, len: usize) {
        self.pass(len);
        (self.start, self.kept) = (self.at, self.at);
    }

    /// Stores the next `len` bytes in place: they follow directly after the stored ones.
    pub const fn keep(&mut self, len: usize) {
        self.pass(len);
        self.kept = self.at;
    }

    /// Stores the next `len` bytes: moves them directly after the stored ones.
    pub fn append(&mut self, bytes: &mut [u8], len: usize) {
        move_down(bytes, self.at, self.kept, len);
        self.pass(len);
        self.kept = self.kept.wrapping_add(len);
    }

    /// Stores `byte`, over a byte that was read and dropped.
    pub fn append_byte(&mut self, bytes: &mut [u8], byte: u8) {
        if let Some(place) = bytes.get_mut(self.kept) {
            *place = byte;
            self.kept = self.kept.wrapping_add(1);
        }
    }

    /// Truncates the stored part of the current message to `len` bytes.
    pub(super) const fn truncate(&mut self, len: usize) {
        self.kept = self.start.wrapping_add(len);
    }

    /// Removes the first `len` bytes of the current message.
    pub(super) const fn trim_start(&mut self, len: usize) {
        self.start = self.start.wrapping_add(len);
    }

    /// Ends the current message and returns its span.
    pub const fn take(&mut self) -> Range<usize> {
        let message = self.start..self.kept;
        self.drop(0);
        message
    }
}

/// The bytes from `start` up to `end`. Not inlined: each copy would check both.
#[inline(never)]
pub(super) fn part(bytes: &[u8], start: usize, end: usize) -> &[u8] {
    bytes.get(start..end).unwrap_or_default()
}

/// The number of bytes that are moved at once.
const BLOCK: usize = size_of::<usize>();

/// Moves `len` bytes towards the front. Each block is read before it is stored, so source and target may overlap.
/// `copy_within` would link a panic, and `memmove`, which is 1,586 bytes of flash on thumbv7m.
#[inline(never)]
fn move_down(bytes: &mut [u8], mut from: usize, mut to: usize, len: usize) {
    let end = from.wrapping_add(len);
    if from == to {
        return;
    }
    while end.wrapping_sub(from) >= BLOCK {
        let Some(block) = bytes.get(from..).and_then(|rest| rest.first_chunk::<BLOCK>()).copied() else { return };
        let Some(place) = bytes.get_mut(to..).and_then(|rest| rest.first_chunk_mut()) else { return };
        *place = block;
        from = from.wrapping_add(BLOCK);
        to = to.wrapping_add(BLOCK);
    }
    while from != end {
        let Some(byte) = bytes.get(from).copied() else { return };
        let Some(place) = bytes.get_mut(to) else { return };
        *place = byte;
        from = from.wrapping_add(1);
        to = to.wrapping_add(1);
    }
}

/// The number of bytes before the first LF, or of all bytes.
pub(super) fn before_line_feed(bytes: &[u8]) -> usize {
    const ONES: usize = usize::MAX / 255;
    let mut at = 0usize;
    while let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let other = usize::from_le_bytes(*word) ^ ONES.wrapping_mul(b'\n' as usize);
        // the lowest zero byte borrows first, so the lowest flag is exact
        let found = other.wrapping_sub(ONES) & !other & ONES.wrapping_mul(0x80);
        if found != 0 {
            return at.wrapping_add((found.trailing_zeros() >> 3) as usize);
        }
        at = at.wrapping_add(word.len());
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at.wrapping_add(rest.iter().take_while(|byte| **byte != b'\n').count())
}
