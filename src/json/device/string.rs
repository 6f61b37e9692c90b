//! Decoding byte by byte.

use crate::json::RawStr;

/// The number of bytes before the first escape or the closing quotation mark of a string.
#[cfg(feature = "serde")]
pub(in crate::json) fn plain_len(inside: &[u8]) -> usize {
    inside.iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(inside.len())
}

/// Whether a byte of `text` is a backslash.
pub(in crate::json) fn has_backslash(text: &[u8]) -> bool {
    text.contains(&b'\\')
}

/// The character of an escape with one letter: 8 to 16 bytes of flash less than a `match`.
#[inline(always)]
pub(in crate::json) fn unescaped(letter: u8) -> u32 {
    // U+0008 to U+000D; U+000B has no letter
    let control = (8..).zip(b"btn\0fr").find(|(_, known)| **known == letter);
    control.map_or(u32::from(letter), |(code_point, _)| code_point)
}

impl<'a> RawStr<'a> {
    /// Passes the decoded text to `put`, byte by byte. Decodes the string whose inside begins with `self`, up to its closing quotation mark,
    /// and returns the text after it. `None` as soon as `put` returns `None`.
    #[inline(always)]
    pub(in crate::json) fn decode_pieces(self, mut put: impl FnMut(&[u8]) -> Option<()>) -> Option<&'a [u8]> {
        let mut chars = self.chars();
        while let Some(mut bytes) = chars.next_bytes() {
            loop {
                let [byte, ..] = bytes.to_le_bytes();
                put(&[byte])?;
                bytes >>= 8;
                if bytes == 0 {
                    break;
                }
            }
        }
        Some(chars.as_slice())
    }

    /// Appends the decoded text to `out`; `false` if `out` has too little room.
    ///
    /// Writes in place, and is one function for all capacities: moving a string of 64 bytes links `memcpy`, 900 bytes
    /// of flash.
    #[inline(never)]
    pub(crate) fn append_to(self, out: &mut heapless::string::StringView) -> bool {
        self.chars().all(|c| {
            // each length of a character is a separate case, because the loop over an unknown number of bytes links `memcpy`
            let pushed = match c {
                '\u{80}'..='\u{7FF}' => out.push(c),
                '\u{800}'..='\u{FFFF}' => out.push(c),
                '\u{10000}'.. => out.push(c),
                _ => out.push(c),
            };
            pushed.is_ok()
        })
    }
}

impl PartialEq<str> for RawStr<'_> {
    fn eq(&self, other: &str) -> bool {
        self.strip_prefix(other).is_some_and(Self::is_empty)
    }
}
