//! Writing bytes and strings: a slice at a time, and strings in words of eight bytes.

use super::word::{bytes_below, last_chunk, needs_escape};
use crate::copy::copy;
use crate::json::Writer;
use crate::json::write::FULL;

impl Writer<'_> {
    /// `put` without growth.
    #[inline(always)]
    pub(in crate::json) fn put_within(&mut self, bytes: &[u8]) {
        if let Some(room) = self.take(bytes.len()) {
            copy(bytes, room);
        }
    }

    /// Takes the next `len` bytes of the output; `None` if there are fewer, and then marks the output as full.
    #[inline(always)]
    pub(super) fn take(&mut self, len: usize) -> Option<&mut [u8]> {
        let start = self.len;
        let end = start.wrapping_add(len);
        let room = self.out.get_mut(start..end);
        self.len = if room.is_some() { end } else { FULL };
        room
    }

    /// Appends a string with its quotation marks. Escapes only the characters that RFC 8259 §7 requires.
    ///
    /// Writes both quotation marks together with the first run of characters, which is most often the whole string; an escape takes the
    /// place of the second one.
    pub(crate) fn put_string(&mut self, text: &str) {
        let text = text.as_bytes();
        let (run, rest) = text.split_at_checked(plain_text_len(text)).unwrap_or_default();
        #[cfg(feature = "alloc")]
        if self.lacks(run.len().wrapping_add(2)) {
            return self.put_string_beyond(text);
        }
        let Some([opening, inside @ .., closing]) = self.take(run.len().wrapping_add(2)) else { return };
        (*opening, *closing) = (b'"', b'"');
        copy(run, inside);
        if !rest.is_empty() {
            self.len = self.len.wrapping_sub(1);
            self.put_from_escape(rest);
        }
    }

    /// [`put_string`](Self::put_string) at the end of the memory.
    #[cfg(feature = "alloc")]
    #[cold]
    #[inline(never)]
    fn put_string_beyond(&mut self, text: &[u8]) {
        self.put_byte(b'"');
        self.put_escaped_bytes(text);
        self.put_byte(b'"');
    }

    /// Appends the rest of a string from its first escape on. Inlined, it would make strings without escapes slower by a tenth.
    #[inline(never)]
    fn put_from_escape(&mut self, rest: &[u8]) {
        self.put_escaped_bytes(rest);
        self.put_byte(b'"');
    }
}

/// The number of bytes at the front of `text` that need no escape.
pub(in crate::json) fn plain_text_len(text: &[u8]) -> usize {
    let mut rest = text;
    while let Some((word, after)) = rest.split_first_chunk() {
        let special = needs_escape(u64::from_le_bytes(*word));
        if special != 0 {
            return text.len().wrapping_sub(rest.len()).wrapping_add(bytes_below(special));
        }
        rest = after;
    }
    // the last eight bytes overlap the words before them, which are plain
    if let (Some(last), false) = (last_chunk(text), rest.is_empty()) {
        let special = needs_escape(u64::from_le_bytes(*last));
        return text.len().wrapping_sub(8).wrapping_add(bytes_below(special));
    }
    let special = rest.iter().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\'));
    text.len().wrapping_sub(rest.len()).wrapping_add(special.unwrap_or(rest.len()))
}
