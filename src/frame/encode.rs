//! The bytes around a message.

use core::ops::Range;

use crate::copy::copy;
use crate::error::{Error, ErrorKind};

/// The bytes before a message, in a fixed array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Head {
    bytes: [u8; Self::MAX_LEN],
    len: u8,
}

impl Head {
    /// The longest head of any frame: `Content-Length: ` with twenty digits and two line ends.
    pub const MAX_LEN: usize = 40;

    /// The longest [tail](super::Frame::tail) of any frame.
    pub const MAX_TAIL_LEN: usize = 4;

    /// A head of these bytes; more than [`MAX_LEN`](Self::MAX_LEN) do not compile.
    ///
    /// ```
    /// use nanojsonrpc::frame::Head;
    ///
    /// assert_eq!(Head::new(8_u16.to_be_bytes()).as_ref(), [0, 8]);
    /// ```
    pub fn new<const N: usize>(bytes: [u8; N]) -> Self {
        const { assert!(N <= Self::MAX_LEN, "this head is too long") };
        Self::of(&[&bytes])
    }

    /// Writes the head before the byte at [`MAX_LEN`](Self::MAX_LEN), and returns its offset.
    pub(super) fn put_before(&self, output: &mut [u8]) -> usize {
        let start = Self::MAX_LEN.saturating_sub(self.len.into());
        copy(self.as_ref(), output.get_mut(start..Self::MAX_LEN).unwrap_or_default());
        start
    }

    pub(super) const NONE: Self = Self { bytes: [0; Self::MAX_LEN], len: 0 };

    pub(super) fn of(parts: &[&[u8]]) -> Self {
        let mut head = Self::NONE;
        for byte in parts.iter().copied().flatten() {
            if let Some(place) = head.bytes.get_mut(usize::from(head.len)) {
                *place = *byte;
                head.len = head.len.wrapping_add(1);
            }
        }
        head
    }
}

impl AsRef<[u8]> for Head {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }
}

/// The decimal digits of `number`, at the end of `buffer`.
pub(super) fn digits(mut number: usize, buffer: &mut [u8; 20]) -> &[u8] {
    let mut first = buffer.len();
    for (place, byte) in buffer.iter_mut().enumerate().rev() {
        *byte = b'0' | (number % 10).to_le_bytes()[0];
        number /= 10;
        first = place;
        if number == 0 {
            break;
        }
    }
    buffer.get(first..).unwrap_or_default()
}

/// Appends parts to a borrowed buffer, each whole or not at all.
pub(super) struct Out<'o> {
    bytes: &'o mut [u8],
    len: usize,
}

impl<'o> Out<'o> {
    pub(super) fn new(bytes: &'o mut [u8]) -> Self {
        Self { bytes, len: 0 }
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    pub(super) fn put(&mut self, part: &[u8]) -> Result<(), Error> {
        let end = self.len.wrapping_add(part.len());
        let full = Error::new(ErrorKind::OutputFull, self.bytes.len());
        copy(part, self.bytes.get_mut(self.len..end).ok_or(full)?);
        self.len = end;
        Ok(())
    }
}

/// Writes the three parts to the front of `out`. Returns the span of the message there, and the length of all parts.
pub(super) fn around(head: &[u8], message: &[u8], tail: &[u8], out: &mut [u8]) -> Result<(Range<usize>, usize), Error> {
    let mut out = Out::new(out);
    out.put(head)?;
    out.put(message)?;
    out.put(tail)?;
    let end = head.len().wrapping_add(message.len());
    Ok((head.len()..end, out.len()))
}

/// The bit of LF.
pub(super) const LINE_FEED: u32 = 1 << b'\n';
/// The bits of CR and LF.
pub(super) const LINE_ENDS: u32 = LINE_FEED | 1 << b'\r';

/// The characters to replace in a message: its ends, and the CR that a reader takes for a part of a line end.
pub(super) const fn line_ends(ends: u32) -> u32 {
    if ends & LINE_FEED == 0 { ends } else { ends | LINE_ENDS }
}

/// Whether `byte` is one of the control characters with these bits.
pub(super) const fn is_in(controls: u32, byte: u8) -> bool {
    byte < b' ' && controls >> byte & 1 != 0
}

/// Replaces each of these control characters by a space.
pub(super) fn replace(message: &mut [u8], controls: u32) {
    for byte in message {
        if is_in(controls, *byte) {
            *byte = b' ';
        }
    }
}

/// Replaces U+2028 and U+2029 in the first `len` bytes by escapes. Returns the new length; the length only, if `bytes` is shorter.
pub(crate) fn escape_line_separators(bytes: &mut [u8], len: usize) -> usize {
    let is_separator = |text: &[u8]| matches!(text, [.., 0xE2, 0x80, 0xA8 | 0xA9]);
    let text = bytes.get(..len).unwrap_or_default();
    let count = text.windows(3).filter(|text| is_separator(text)).count();
    let whole = len.wrapping_add(count.wrapping_mul(3));
    let (mut from, mut to) = (len, whole);
    // from the last byte to the first separator, so that no byte is overwritten before it has moved
    while from != to && whole <= bytes.len() {
        let text = bytes.get(..from).unwrap_or_default();
        let Some(last) = text.last().copied() else { break };
        let mut moved = [b'\\', b'u', b'2', b'0', b'2', last];
        let is_escaped = is_separator(text);
        let kept = if is_escaped {
            // A8 is 8, A9 is 9
            let [.., digit] = &mut moved;
            *digit = b'0' | last & 0x0F;
            from = from.wrapping_sub(3);
            &moved[..]
        } else {
            from = from.wrapping_sub(1);
            moved.get(5..).unwrap_or_default()
        };
        let end = to;
        to = to.wrapping_sub(kept.len());
        copy(kept, bytes.get_mut(to..end).unwrap_or_default());
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::{LINE_ENDS, LINE_FEED, line_ends};

    #[test]
    fn a_line_feed_as_an_end_takes_the_carriage_return_along() {
        assert_eq!((line_ends(LINE_FEED | 1), line_ends(1 << 3)), (LINE_ENDS | 1, 1 << 3));
    }
}
