//! Outgoing messages: each is written into the output, with room for its frame.

use core::ops::Range;

use super::{Connection, control};
use crate::copy::copy;
use crate::error::{Error, ErrorKind};
use crate::frame::{Buffer, Control, Found, Frame, Head, escape_line_separators};
use crate::json::{Elements, RawValue, Room, trim_start};
use crate::message::ToMessage;

/// The opcode of a message, as opposed to a reply of the frame itself.
pub(super) const MESSAGE: u8 = 0;

/// The greatest length of a close: two bytes of its header, and a mask.
#[cfg(feature = "websocket")]
pub(super) const MAX_CLOSE_LEN: usize = 6 + crate::frame::websocket::MAX_CONTROL_LEN;

/// The room for an outgoing message: the output less the room for its frame.
pub(super) fn room<F: Frame>(output: Room<'_>) -> Room<'_> {
    reply_room::<F>(output).unwrap_or_default()
}

/// The [`room`] for a reply of the frame itself. A reply without payload fits any room, but its frame needs an output of
/// [`Head::MAX_LEN`].
pub(super) fn reply_room<F: Frame>(output: Room<'_>) -> Result<Room<'_>, Error> {
    let place = place::<F>(output.len());
    output.part(place.start, place.end).ok_or(Error::new(ErrorKind::OutputFull, 0))
}

/// The span of the [`room`] in an output of `len` bytes.
pub(super) fn place<F: Frame>(len: usize) -> Range<usize> {
    let mut end = len.saturating_sub(F::tail().len());
    if F::ESCAPES_LINE_SEPARATORS {
        // of a message that consists of line separators, the escapes are as long as two messages
        end = Head::MAX_LEN.wrapping_add(end.saturating_sub(Head::MAX_LEN) / 2);
    }
    Head::MAX_LEN..end.min(Head::MAX_LEN.saturating_add(F::MAX_MESSAGE_LEN))
}

/// Escapes the line separators in the first `len` bytes of the [`room`], if the frame needs it. Returns the new length.
pub(super) fn escaped<F: Frame>(output: Room<'_>, len: usize) -> usize {
    if !F::ESCAPES_LINE_SEPARATORS {
        return len;
    }
    escape_line_separators(output.bytes(Head::MAX_LEN, len.wrapping_mul(2)), len)
}

/// The length of the first message of `text`, which is validated, with the white space after it.
pub(super) fn first_len(text: &[u8]) -> usize {
    let first = Elements::within(text, text.len()).next().filter(|first| !first.as_bytes().is_empty());
    let Some(first) = first else { return text.len() };
    let end = first.offset().wrapping_add(first.as_bytes().len());
    text.len().wrapping_sub(trim_start(text.get(end..).unwrap_or_default()).len())
}

/// Writes the frame around a message of `len` bytes in its [`room`], so that one write sends both. `opcode` is that of
/// [`Control::Reply`], or [`MESSAGE`].
#[cfg_attr(not(target_pointer_width = "64"), inline(never))]
pub(super) fn framed<F: Frame>(mut output: Room<'_>, len: usize, opcode: u8) -> &[u8] {
    let len = escaped::<F>(output.reborrow(), len);
    let end = Head::MAX_LEN.wrapping_add(len);
    let tail = F::tail();
    let behind = end.wrapping_add(tail.len());
    let output = output.bytes(0, behind);
    let start = F::seal(opcode, output.get_mut(..end).unwrap_or_default());
    copy(tail, output.get_mut(end..behind).unwrap_or_default());
    output.get(start..behind).unwrap_or_default()
}

impl<R, W, F: Frame, B: Buffer> Connection<'_, R, W, F, B> {
    /// Writes the reply to a message or fault that belongs to the frame only into the room for outgoing messages.
    /// Returns its opcode and length; no opcode if nothing is sent; `None` if the message is for a server.
    pub(super) fn put_control(&mut self, found: &Found) -> Result<Option<(Option<u8>, usize)>, Error> {
        match control(self.framer, found) {
            Control::No => Ok(None),
            Control::Idle => Ok(Some((None, 0))),
            Control::Reply(opcode, payload) => {
                let mut out = reply_room::<F>(self.output.reborrow())?.into_writer();
                out.bytes(payload)?;
                Ok(Some((Some(opcode), out.len())))
            }
        }
    }

    /// Writes `message` into the room for outgoing messages, and returns its length.
    pub(super) fn put(&mut self, message: &(impl ToMessage + ?Sized)) -> Result<usize, Error> {
        let mut out = room::<F>(self.output.reborrow()).into_writer();
        out.message(message)?;
        Ok(out.len())
    }

    /// Writes the text of a message into the room for outgoing messages, and returns its length.
    pub(super) fn put_text(&mut self, text: &[u8]) -> Result<usize, Error> {
        let mut out = room::<F>(self.output.reborrow()).into_writer();
        out.bytes(text)?;
        Ok(out.len())
    }

    /// Validates `text` and checks that each of its messages fits, so that either all of them are sent or none.
    pub(super) fn check_text(&mut self, text: &[u8]) -> Result<(), Error> {
        let mut rest = text;
        while !rest.is_empty() {
            let before = text.len().wrapping_sub(rest.len());
            let len = match RawValue::parse(rest) {
                Ok(_) => rest.len(),
                Err(error) if error.kind() == ErrorKind::TrailingData => error.offset(),
                Err(error) => return Err(Error::new(error.kind(), error.offset().wrapping_add(before))),
            };
            let (first, behind) = rest.split_at_checked(len).unwrap_or_default();
            self.put_text(first)?;
            rest = behind;
        }
        Ok(())
    }
}
