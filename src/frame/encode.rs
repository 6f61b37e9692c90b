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

/// Replaces every CR and LF by a space.
pub(super) fn replace_line_ends(message: &mut [u8]) {
    for byte in message {
        if matches!(byte, b'\r' | b'\n') {
            *byte = b' ';
        }
    }
}
