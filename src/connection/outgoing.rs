//! The span of an outgoing message inside its frame.

use core::ops::Range;

use crate::error::{Error, ErrorKind};
use crate::frame::{Frame, Head};
use crate::json::{RawValue, Room, copy};

/// The opcode of a message, as opposed to a reply of the frame itself.
pub(super) const MESSAGE: u8 = 0;

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
    Head::MAX_LEN..len.saturating_sub(F::tail().len())
}

/// The length of the first message of `text`, with the white space after it.
pub(super) fn first_len(text: &[u8]) -> Result<usize, Error> {
    match RawValue::parse(text) {
        Ok(_) => Ok(text.len()),
        Err(error) if error.kind() == ErrorKind::TrailingData => Ok(error.offset()),
        Err(error) => Err(error),
    }
}

/// Writes the frame around a message of `len` bytes in its [`room`], so that one write sends both. `opcode` is that of
/// [`Own::Reply`](super::Own::Reply), or [`MESSAGE`].
pub(super) fn framed<F: Frame>(output: Room<'_>, len: usize, opcode: u8) -> &[u8] {
    let end = Head::MAX_LEN.wrapping_add(len);
    let output = output.bytes(0, end.wrapping_add(F::tail().len()));
    let head = F::seal(opcode, output.get_mut(Head::MAX_LEN..end).unwrap_or_default());
    let tail = F::tail();
    let start = Head::MAX_LEN.saturating_sub(head.as_ref().len());
    let behind = end.wrapping_add(tail.len());
    if let Some(target) = output.get_mut(start..Head::MAX_LEN) {
        copy(head.as_ref(), target);
    }
    if let Some(target) = output.get_mut(end..behind) {
        copy(tail, target);
    }
    output.get(start..behind).unwrap_or_default()
}

/// A function that writes a frame. The arguments are `async` and `.await`, or empty, and the trait of the writer.
macro_rules! write_frame {
    ({ $($async:tt)* } { $($await:tt)* } $write:ident) => {
        /// Writes `frame`. Sets `is_output_broken` while only a part of it is written. `E` is the error of the reader.
        pub(super) $($async)* fn write_frame<E, W: $write>(
            writer: &mut W,
            is_output_broken: &mut bool,
            frame: &[u8],
        ) -> Result<(), ConnectionError<E, W::Error>> {
            let mut rest = frame;
            // set before the first write, because a dropped future, or a writer that unwinds, may have sent a part
            *is_output_broken = true;
            while !rest.is_empty() {
                let written = writer.write(rest)$($await)*;
                let outcome = advance(&mut rest, written);
                if outcome.is_err() {
                    *is_output_broken = rest.len() != frame.len();
                }
                outcome?;
            }
            *is_output_broken = false;
            Ok(())
        }
    };
}

pub(super) use write_frame;
