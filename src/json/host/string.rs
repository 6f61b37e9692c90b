//! Decoding a run of characters without an escape at once.

use super::lex::validated::quote_or_backslash;
use crate::json::RawStr;

/// The number of bytes before the first escape or the closing quotation mark of a string.
pub(in crate::json) fn plain_len(inside: &[u8]) -> usize {
    quote_or_backslash(inside, 0)
}

/// The character of an escape with one letter.
pub(in crate::json) const fn unescaped(letter: u8) -> u32 {
    match letter {
        b'b' => 0x08,
        b't' => 0x09,
        b'n' => 0x0A,
        b'f' => 0x0C,
        b'r' => 0x0D,
        other => other as u32,
    }
}

impl<'a> RawStr<'a> {
    /// Passes the decoded text to `put`, in pieces: runs without an escape, and escaped characters. Decodes the string whose inside begins
    /// with `self`, up to its closing quotation mark, and returns the text after it. `None` as soon as `put` returns `None`.
    #[inline(always)]
    pub(in crate::json) fn decode_pieces(self, mut put: impl FnMut(&[u8]) -> Option<()>) -> Option<&'a [u8]> {
        let mut rest = self.as_bytes();
        loop {
            let (run, special) = rest.split_at_checked(plain_len(rest))?;
            put(run)?;
            let mut chars = RawStr::validated(special).chars();
            let Some(bytes) = chars.next_bytes() else { return Some(chars.as_slice()) };
            // U+0000 has one byte, too
            let len = 4usize.wrapping_sub((bytes | 1).leading_zeros() as usize >> 3);
            put(bytes.to_le_bytes().get(..len)?)?;
            rest = chars.as_slice();
        }
    }

    /// Appends the decoded text to `out`; `false` if `out` has too little room.
    #[inline(never)]
    pub(crate) fn append_to(self, out: &mut heapless::string::StringView) -> bool {
        match self.as_str() {
            Some(text) => out.push_str(text).is_ok(),
            None => self.chars().all(|c| out.push(c).is_ok()),
        }
    }
}

impl PartialEq<str> for RawStr<'_> {
    #[inline]
    fn eq(&self, other: &str) -> bool {
        let (raw, other_bytes) = (self.as_bytes(), other.as_bytes());
        // an escape is longer than its character
        if raw.len() <= other_bytes.len() {
            return raw == other_bytes && !other_bytes.contains(&b'\\');
        }
        let is_other = raw.first() != other_bytes.first() && raw.first() != Some(&b'\\');
        !is_other && self.is_escaped() && self.strip_prefix(other).is_some_and(Self::is_empty)
    }
}
