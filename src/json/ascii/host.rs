//! A part of a text. It is checked together with the bytes after it, without a loop, because the end of a loop over a short part would be
//! mispredicted.

use ascii::{AsAsciiStr, AsciiStr};
use heapless::String;

use crate::json::offset_in;
use crate::json::word::ascii_str;

/// An ASCII part of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ascii<'a> {
    /// The text from the part to its end.
    rest: &'a [u8],
    len: usize,
}

impl<'a> Ascii<'a> {
    /// The `part` of `text`; `part` is ASCII.
    #[inline(always)]
    pub(in crate::json) fn new(text: &'a [u8], part: &'a [u8]) -> Option<Self> {
        Some(Self { rest: text.get(offset_in(text, part)..)?, len: part.len() })
    }

    /// The length in bytes.
    #[inline(always)]
    pub(crate) const fn len(self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(crate) fn as_bytes(self) -> &'a [u8] {
        self.rest.get(..self.len).unwrap_or_default()
    }

    /// Checks each byte again, because the crate has no `unsafe`. It checks a chunk of fixed size, past the end of the
    /// part: the exit of a loop over the part would be mispredicted.
    #[inline(always)]
    pub(crate) fn as_str(self) -> &'a str {
        self.in_chunk::<16>()
            .or_else(|| self.in_chunk::<32>())
            .or_else(|| self.in_chunk::<64>())
            .unwrap_or_else(|| self.alone())
    }

    /// The part, if the `N` bytes from its start on are ASCII and include the whole part.
    #[inline(always)]
    fn in_chunk<const N: usize>(self) -> Option<&'a str> {
        let chunk = self.rest.first_chunk::<N>()?.as_slice().slice_ascii(..).ok()?;
        // a slice of a `str` would test for the boundary of a character
        chunk.as_slice().get(..self.len).map(|part| <&AsciiStr>::from(part).as_str())
    }

    #[inline(never)]
    fn alone(self) -> &'a str {
        ascii_str(self.as_bytes()).unwrap_or_default()
    }

    /// Appends this part of `text` to `out`; `None` if it does not fit. Up to sixteen bytes are checked without a loop, even at the end of
    /// the text; if other bytes around them are not ASCII, `None`, too.
    #[inline(always)]
    pub(crate) fn append_to<const N: usize>(self, text: &'a [u8], out: &mut String<N>) -> Option<()> {
        let sixteen = sixteen(text, text.len().checked_sub(self.rest.len())?)?;
        let part = if self.len > 16 { ascii_str(self.as_bytes())? } else { ascii_str(&sixteen)?.get(..self.len)? };
        out.push_str(part).ok()
    }
}

/// The sixteen bytes of `text` from `at` on, with zeros past the end; `None` if the whole text has fewer.
#[inline(always)]
fn sixteen(text: &[u8], at: usize) -> Option<[u8; 16]> {
    let start = text.len().checked_sub(16)?.min(at);
    let bytes = text.get(start..)?.first_chunk()?;
    let distance = at.wrapping_sub(start);
    if distance == 0 {
        return Some(*bytes);
    }
    let shift = u32::try_from(distance).ok()?.checked_mul(8)?;
    Some(u128::from_le_bytes(*bytes).checked_shr(shift)?.to_le_bytes())
}
