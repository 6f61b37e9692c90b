//! The reading half of a WebSocket for both sides. RFC 6455 §5.2.

use core::ops::Range;

use super::opcode::{CLOSE, CONTINUATION, TEXT};
use super::utf8::Utf8;
use super::{Close, mask};
use crate::frame::spans::Spans;
use crate::frame::{Found, FrameErrorKind};

/// The header bit of the last fragment of a message.
const FIN: u8 = 0x80;
/// The header bit of a masked payload.
const MASK: u8 = 0x80;

/// The part of [`WebSocket`](super::WebSocket) that does not depend on its side. The buffer holds the fragments of the current message
/// without headers, followed by the payload of a control frame between them.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Reader {
    state: State,
    /// The first byte of the current header.
    first: u8,
    /// The opcode of the current message; 0 between messages.
    message: u8,
    /// The opcode of the last complete message or control frame.
    found: u8,
    /// Whether the current message is too long and is being dropped.
    is_dropping: bool,
    /// Whether the current payload is not stored.
    is_skipped: bool,
    /// Whether a fault was returned last: the next step drops the stored part of its message, which is still shown as lost.
    is_faulty: bool,
    /// The number of missing bytes of the length, or of the key.
    wanted: u8,
    utf8: Utf8,
    /// The masking key for the next byte of the payload.
    key: u32,
    /// In a header, the length of the payload as read so far; in a payload, the number of its missing bytes; after a close, its code.
    len: u32,
    /// The stored length of the message when the current control frame began.
    stored: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum State {
    /// Before the first byte of a header.
    First,
    /// Before the second byte of a header.
    Second,
    /// In an extended length of 16 or 64 bits.
    Length,
    Key,
    Payload,
    /// After a close or a fault.
    Over,
}

impl Reader {
    pub(super) const NEW: Self = Self {
        state: State::First,
        first: 0,
        message: 0,
        found: 0,
        is_dropping: false,
        is_skipped: false,
        is_faulty: false,
        wanted: 0,
        utf8: Utf8::NEW,
        key: 0,
        len: 0,
        stored: 0,
    };

    /// The opcode of the last complete message or control frame.
    pub(super) const fn found(&self) -> u8 {
        self.found
    }

    /// Whether the reader has seen a close or a fault, after which it ignores all input.
    pub(super) const fn is_over(&self) -> bool {
        matches!(self.state, State::Over)
    }

    /// The code of the close of the peer.
    #[expect(clippy::cast_possible_truncation, reason = "a code has 16 bits")]
    pub(super) const fn close_code(&self) -> Option<u16> {
        if self.is_over() && self.found == CLOSE { Some(self.len as u16) } else { None }
    }

    const fn opcode(&self) -> u8 {
        self.first & 0x0F
    }

    const fn is_control(&self) -> bool {
        self.opcode() >= CLOSE
    }

    #[inline(never)]
    pub(super) fn step(&mut self, bytes: &mut [u8], limit: usize, spans: &mut Spans, is_masked: bool) -> Option<Found> {
        if core::mem::take(&mut self.is_faulty) {
            spans.drop(0);
        }
        loop {
            let unread = spans.unread(bytes);
            let (outcome, back) = match self.state {
                State::Over => {
                    spans.drop(unread.len());
                    return None;
                }
                State::Payload => {
                    let len = unread.len().min(usize::try_from(self.len).unwrap_or(usize::MAX));
                    // `len` is at most `self.len`
                    self.len = self.len.wrapping_sub(u32::try_from(len).unwrap_or_default());
                    let wrong = self.payload(bytes, len, spans);
                    if wrong != 0 {
                        (Err(FrameErrorKind::InvalidUtf8), wrong)
                    } else if self.is_full(limit, spans) {
                        (self.is_dropping, self.is_skipped) = (true, true);
                        let behind_len = if is_masked { 5 } else { 1 };
                        (Err(FrameErrorKind::TooLong), spans.len().wrapping_sub(self.stored).wrapping_add(behind_len))
                    } else if self.len != 0 {
                        return None;
                    } else {
                        match self.ended(bytes, spans) {
                            Ok(Some(found)) => return Some(Ok(found)),
                            Ok(None) => continue,
                            Err((fault, back)) => (Err(fault), back),
                        }
                    }
                }
                _ => {
                    let byte = *unread.first()?;
                    spans.pass(1);
                    (self.header(byte, limit, spans, is_masked), 1)
                }
            };
            if let Err(kind) = outcome {
                self.is_faulty = true;
                if kind != FrameErrorKind::TooLong {
                    self.state = State::Over;
                }
                return Some(Err(spans.error(kind, back)));
            }
        }
    }

    /// Reads one byte of a header.
    #[inline(never)]
    fn header(&mut self, byte: u8, limit: usize, spans: &mut Spans, is_masked: bool) -> Result<(), FrameErrorKind> {
        let fault = match self.state {
            State::First => {
                self.first = byte;
                self.state = State::Second;
                let opcode = self.opcode();
                // "Opcodes 3 to 7 and 11 to 15 are reserved"
                const OPCODES: u16 = 0b111_0000_0111;
                if byte & 0x70 != 0 {
                    FrameErrorKind::ReservedBit
                } else if OPCODES >> opcode & 1 == 0 {
                    FrameErrorKind::ReservedOpcode
                } else if self.is_control() {
                    if byte & FIN != 0 {
                        return Ok(());
                    }
                    FrameErrorKind::FragmentedControl
                } else if opcode == CONTINUATION {
                    if self.message != 0 {
                        return Ok(());
                    }
                    FrameErrorKind::UnexpectedContinuation
                } else if self.message == 0 {
                    self.message = opcode;
                    self.utf8 = Utf8::NEW;
                    return Ok(());
                } else {
                    FrameErrorKind::UnfinishedMessage
                }
            }
            State::Second => {
                let len = byte & !MASK;
                self.len = u32::from(len);
                if (byte & MASK != 0) != is_masked {
                    if is_masked { FrameErrorKind::MissingMask } else { FrameErrorKind::UnexpectedMask }
                } else if len > 125 {
                    self.state = State::Length;
                    self.wanted = if len == 126 { 2 } else { 8 };
                    self.len = 0;
                    if !self.is_control() {
                        return Ok(());
                    }
                    FrameErrorKind::ControlTooLong
                } else {
                    return self.sized(limit, spans, is_masked);
                }
            }
            State::Length => {
                let is_too_large = self.len >> 24 != 0;
                let is_first_of_8 = self.wanted == 8;
                self.wanted = self.wanted.wrapping_sub(1);
                self.len = self.len << 8 | u32::from(byte);
                // "The minimal number of bytes MUST be used to encode the length"; `wanted` is 2 here only in an 8-byte length
                if is_first_of_8 && byte >= 0x80 {
                    FrameErrorKind::LengthOutOfRange
                } else if is_too_large {
                    FrameErrorKind::FrameTooLarge
                } else if self.wanted == 2 && self.len == 0 || self.wanted == 0 && self.len < 126 {
                    FrameErrorKind::LengthNotMinimal
                } else if self.wanted != 0 {
                    return Ok(());
                } else {
                    return self.sized(limit, spans, is_masked);
                }
            }
            _ => {
                self.key = self.key >> 8 | u32::from(byte) << 24;
                self.wanted = self.wanted.wrapping_sub(1);
                if self.wanted == 0 {
                    self.state = State::Payload;
                }
                return Ok(());
            }
        };
        Err(fault)
    }

    /// Whether the payload of a message has filled the buffer before its end. A control frame has had room for all of it,
    /// so only a limit that is lowered meanwhile is less; a payload that is skipped takes none.
    const fn is_full(&self, limit: usize, spans: &Spans) -> bool {
        let is_whole = self.len == 0 && self.first & FIN != 0;
        spans.len() >= limit && !is_whole && !self.is_control()
    }

    /// Called at the end of the length: reserves room for the payload. A message whose first frame has no room is
    /// reported when its front has filled the buffer.
    fn sized(&mut self, limit: usize, spans: &Spans, is_masked: bool) -> Result<(), FrameErrorKind> {
        self.key = 0;
        self.wanted = 4;
        self.state = if is_masked { State::Key } else { State::Payload };
        // All fragments but the last leave one byte free for the next header.
        let (len, is_last) = (self.len, self.first & FIN != 0);
        let fits = |stored: usize| {
            let room = limit.wrapping_sub(stored);
            usize::try_from(len).is_ok_and(|len| len < room || is_last && len == room)
        };
        self.stored = spans.len();
        self.is_skipped = self.is_dropping && !self.is_control();
        if self.is_skipped || self.stored == 0 && !self.is_control() || fits(self.stored) {
            return Ok(());
        }
        // If a control frame does not fit after the stored fragments, their message is dropped to make room.
        self.is_dropping = self.message != 0;
        self.stored = 0;
        self.is_skipped = !self.is_control() || !fits(0);
        Err(FrameErrorKind::TooLong)
    }

    /// Reads `len` bytes of the payload. If text is not UTF-8, returns the distance from its first wrong byte to the end; otherwise 0.
    #[inline(never)]
    fn payload(&mut self, bytes: &mut [u8], len: usize, spans: &mut Spans) -> usize {
        if self.is_skipped {
            spans.pass(len);
            return 0;
        }
        if spans.len() == 0 {
            // the payload stays in place
            spans.drop(0);
        }
        let start = spans.start().wrapping_add(spans.len());
        spans.append(bytes, len);
        let payload = bytes.get_mut(start..start.wrapping_add(len)).unwrap_or_default();
        self.key = mask::apply(payload, self.key);
        if self.message != TEXT || self.is_control() { 0 } else { len.wrapping_sub(self.utf8.take(payload)) }
    }

    /// Called at the end of a frame. Returns the span of the message or control frame that it completes. The error is a fault, and its
    /// distance from the first unread byte.
    #[inline(never)]
    fn ended(&mut self, bytes: &[u8], spans: &mut Spans) -> Result<Option<Range<usize>>, (FrameErrorKind, usize)> {
        self.state = State::First;
        if self.is_control() {
            let start = spans.start();
            let place = start.wrapping_add(self.stored)..start.wrapping_add(spans.len());
            spans.truncate(self.stored);
            if self.opcode() == CLOSE {
                self.len = check_close(bytes.get(place.clone()).unwrap_or_default())?.into();
                self.state = State::Over;
            }
            self.found = self.opcode();
            return Ok(if self.is_skipped { None } else { Some(place) });
        }
        if self.first & FIN == 0 {
            return Ok(None);
        }
        self.found = core::mem::take(&mut self.message);
        if core::mem::take(&mut self.is_dropping) {
            return Ok(None);
        }
        if self.found == TEXT && !self.utf8.is_between() {
            return Err((FrameErrorKind::InvalidUtf8, 1));
        }
        Ok(Some(spans.take()))
    }

    /// Called at the end of the stream.
    pub(super) fn end(&mut self, spans: &mut Spans) -> Option<Found> {
        let Self { state, message, is_dropping, is_skipped, .. } = *self;
        let is_between = match state {
            State::First => message == 0 || is_dropping,
            State::Over => true,
            State::Payload => is_skipped,
            _ => is_dropping,
        };
        if state != State::Over {
            *self = Self { is_faulty: !is_between, ..Self::NEW };
        }
        if is_between { None } else { Some(Err(spans.error(FrameErrorKind::Truncated, 0))) }
    }
}

/// Checks the payload of a close, which is empty, or a code and a reason. Returns the code.
fn check_close(payload: &[u8]) -> Result<u16, (FrameErrorKind, usize)> {
    let (code, reason) = match payload {
        [] => return Ok(Close::NO_CODE),
        [high, low, reason @ ..] => (u16::from_be_bytes([*high, *low]), reason),
        _ => return Err((FrameErrorKind::InvalidClose, 1)),
    };
    if !is_close_code(code) {
        return Err((FrameErrorKind::InvalidCloseCode, payload.len()));
    }
    let mut utf8 = Utf8::NEW;
    let wrong = reason.len().wrapping_sub(utf8.take(reason));
    if wrong != 0 {
        return Err((FrameErrorKind::InvalidUtf8, wrong));
    }
    if utf8.is_between() { Ok(code) } else { Err((FrameErrorKind::InvalidUtf8, 1)) }
}

/// Whether a close may contain this code: a code of the standard and its registry, or of libraries and applications, but not a code that
/// stands for a missing close or code. RFC 6455 §7.4.
pub(super) const fn is_close_code(code: u16) -> bool {
    matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999)
}
