//! Frames of one's own: COBS, and a length before each message.

use core::mem::{replace, take};

use nanojsonrpc::Error;
use nanojsonrpc::frame::{Decode, Found, Frame, FrameErrorKind, Head, Spans};

/// Consistent Overhead Byte Stuffing: a frame ends with 0, and no other byte of it is 0. For serial lines, where a reader finds the next
/// frame after any fault. S. Cheshire and M. Baker, 1999.
#[derive(Debug)]
pub(crate) struct Cobs {
    /// The number of missing bytes of the current block.
    missing: u8,
    /// Whether a 0 follows the current block, if it is not the last.
    has_zero: bool,
    /// Whether a block of the current frame has begun.
    has_begun: bool,
    /// Whether the rest of a frame is dropped.
    is_dropping: bool,
}

impl Cobs {
    /// The number of bytes in a block without a 0.
    const BLOCK: usize = 254;

    /// The number of blocks of a message without a 0; a JSON text has none.
    const fn blocks(len: usize) -> usize {
        (len / Self::BLOCK).saturating_add(1)
    }
}

/// The byte before a block of `len` bytes.
fn count(len: usize) -> u8 {
    u8::try_from(len).map_or(u8::MAX, |len| len.saturating_add(1))
}

impl Decode for Cobs {
    const NEW: Self = Self { missing: 0, has_zero: false, has_begun: false, is_dropping: false };

    fn step(&mut self, bytes: &mut [u8], limit: usize, spans: &mut Spans) -> Option<Found> {
        loop {
            if self.is_dropping {
                spans.drop(0);
            }
            let byte = *spans.unread(bytes).first()?;
            if byte == 0 {
                spans.pass(1);
                let Self { missing, has_begun, is_dropping, .. } = replace(self, Self::NEW);
                if is_dropping || !has_begun {
                    spans.drop(0);
                } else if missing != 0 {
                    return Some(Err(spans.error(FrameErrorKind::Malformed, 1)));
                } else {
                    return Some(Ok(spans.take()));
                }
                continue;
            }
            if self.is_dropping {
                spans.drop(1);
                continue;
            }
            if self.missing != 0 {
                self.missing = self.missing.wrapping_sub(1);
                spans.append(bytes, 1);
            } else if self.has_begun {
                spans.pass(1);
                if take(&mut self.has_zero) {
                    spans.append_byte(bytes, 0);
                }
                (self.missing, self.has_zero) = (byte.wrapping_sub(1), byte != u8::MAX);
            } else {
                // drops the part of a frame that was refused
                spans.drop(1);
                (self.missing, self.has_zero, self.has_begun) = (byte.wrapping_sub(1), byte != u8::MAX, true);
            }
            if spans.len() >= limit {
                self.is_dropping = true;
                return Some(Err(spans.error(FrameErrorKind::TooLong, 0)));
            }
        }
    }

    fn end(&mut self, _: &mut [u8], spans: &mut Spans) -> Option<Found> {
        let Self { has_begun, is_dropping, .. } = replace(self, Self::NEW);
        (has_begun && !is_dropping).then(|| Err(spans.error(FrameErrorKind::Truncated, 0)))
    }
}

impl Frame for Cobs {
    type Item<'b> = &'b [u8];

    /// The lengths of the blocks take the room of a head.
    const MAX_MESSAGE_LEN: usize = Self::BLOCK.wrapping_mul(Head::MAX_LEN).wrapping_sub(1);

    /// The length of the first block; a longer message has more blocks, see `encode_in_place`.
    fn head(len: usize) -> Head {
        Head::new([count(len)])
    }

    fn tail() -> &'static [u8] {
        &[0]
    }

    /// Does nothing: a JSON text has no 0.
    fn replace_line_ends(_: &mut [u8]) {}

    /// Moves each block to the front, behind its length.
    fn encode_in_place(output: &mut [u8]) -> usize {
        let len = output.len().saturating_sub(Head::MAX_LEN);
        let start = Head::MAX_LEN.saturating_sub(Self::blocks(len));
        let (mut from, mut to) = (Head::MAX_LEN, start);
        for _ in 0..Self::blocks(len) {
            let block = Self::BLOCK.min(output.len().saturating_sub(from));
            if let Some(place) = output.get_mut(to) {
                *place = count(block);
            }
            // towards the front, so no byte is overwritten before it is read
            for at in 0..block {
                let byte = output.get(from.saturating_add(at)).copied();
                if let (Some(byte), Some(place)) = (byte, output.get_mut(to.saturating_add(at).saturating_add(1))) {
                    *place = byte;
                }
            }
            (from, to) = (from.saturating_add(block), to.saturating_add(block).saturating_add(1));
        }
        start
    }

    fn encode(message: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let full = Error::output_full(out.len());
        let len = Self::blocks(message.len()).saturating_add(message.len()).saturating_add(1);
        let frame = out.get_mut(..len).ok_or(full)?;
        let (mut frame, mut rest) = (frame.iter_mut(), message);
        for _ in 0..Self::blocks(message.len()) {
            let (block, behind) = rest.split_at_checked(Self::BLOCK).unwrap_or((rest, &[]));
            let bytes = [count(block.len())].into_iter().chain(block.iter().copied());
            frame.by_ref().zip(bytes).for_each(|(place, byte)| *place = byte);
            rest = behind;
        }
        frame.for_each(|place| *place = 0);
        Ok(len)
    }

    fn item<'b>(&'b self, message: &'b [u8]) -> &'b [u8] {
        message
    }
}

/// Four bytes before each message are its length, the highest first.
#[derive(Debug)]
pub(crate) struct LengthPrefix {
    /// The length, as far as it was read; then the number of missing bytes of the message.
    len: u32,
    /// The number of missing bytes of the length.
    missing: u8,
    is_dropping: bool,
}

impl Decode for LengthPrefix {
    const NEW: Self = Self { len: 0, missing: 4, is_dropping: false };

    fn step(&mut self, bytes: &mut [u8], limit: usize, spans: &mut Spans) -> Option<Found> {
        loop {
            let unread = spans.unread(bytes);
            if self.missing != 0 {
                self.len = self.len << 8 | u32::from(*unread.first()?);
                self.missing = self.missing.wrapping_sub(1);
                spans.drop(1);
                continue;
            }
            let len = unread.len().min(usize::try_from(self.len).unwrap_or(usize::MAX));
            // at most `self.len`
            self.len = self.len.wrapping_sub(u32::try_from(len).unwrap_or_default());
            if self.is_dropping {
                spans.drop(len)
            } else {
                spans.keep(len)
            }
            if self.len != 0 {
                if self.is_dropping || spans.len() < limit {
                    return None;
                }
                self.is_dropping = true;
                return Some(Err(spans.error(FrameErrorKind::TooLong, 0)));
            }
            let is_dropping = replace(self, Self::NEW).is_dropping;
            if !is_dropping {
                return Some(Ok(spans.take()));
            }
        }
    }

    fn end(&mut self, _: &mut [u8], spans: &mut Spans) -> Option<Found> {
        let Self { missing, is_dropping, .. } = replace(self, Self::NEW);
        (missing != 4 && !is_dropping).then(|| Err(spans.error(FrameErrorKind::Truncated, 0)))
    }
}

impl Frame for LengthPrefix {
    type Item<'b> = &'b [u8];

    fn head(len: usize) -> Head {
        Head::new(u32::try_from(len).unwrap_or(u32::MAX).to_be_bytes())
    }

    fn tail() -> &'static [u8] {
        b""
    }

    /// Does nothing: a message may contain any bytes.
    fn replace_line_ends(_: &mut [u8]) {}

    fn item<'b>(&'b self, message: &'b [u8]) -> &'b [u8] {
        message
    }
}
