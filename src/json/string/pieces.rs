//! Decoding into a buffer.

use super::RawStr;
use crate::copy::copy;

impl<'a> RawStr<'a> {
    /// Decodes the string whose inside begins with `self`, up to its closing quotation mark, into the front of `buffer`, and
    /// shortens `buffer` to the rest. Returns the decoded text and the text after the string; `None`, with `buffer` unchanged, if
    /// it is too short.
    pub(crate) fn decode_to_front<'b>(self, buffer: &mut &'b mut [u8]) -> Option<(&'b str, &'a [u8])> {
        let mut len = 0usize;
        let behind = self.decode_pieces(|piece| {
            let end = len.wrapping_add(piece.len());
            copy(piece, buffer.get_mut(len..end)?);
            len = end;
            Some(())
        })?;
        let (front, rest) = core::mem::take(buffer).split_at_mut_checked(len)?;
        *buffer = rest;
        Some((core::str::from_utf8(front).ok()?, behind))
    }

    /// Decodes into `room`; `None` if `room` is too short.
    #[cfg(all(feature = "serde", not(feature = "alloc")))]
    pub(crate) fn decode_to(self, room: &mut heapless::vec::VecView<u8>) -> Option<&str> {
        self.decode_pieces(|piece| room.extend_from_slice(piece).ok())?;
        core::str::from_utf8(room).ok()
    }

    /// Decodes the string whose inside begins with `self`, up to its closing quotation mark. Returns the decoded text and the text after the
    /// string.
    #[cfg(all(feature = "serde", feature = "alloc"))]
    pub(crate) fn decode_owned(self) -> Option<(alloc::string::String, &'a [u8])> {
        let mut text = alloc::vec::Vec::new();
        let behind = self.decode_pieces(|piece| {
            match piece {
                // most escaped characters; no call of `memcpy`
                [byte] => text.push(*byte),
                piece => text.extend_from_slice(piece),
            }
            Some(())
        })?;
        Some((alloc::string::String::from_utf8(text).ok()?, behind))
    }
}

#[cfg(all(test, feature = "serde"))]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test stops")]
mod tests {
    extern crate std;

    use std::format;
    use std::string::String;

    use crate::json::RawStr;
    use crate::json::machine::plain_len;

    #[test]
    fn every_end_of_a_string_is_found_in_every_lane() {
        // Miri is slow
        for byte in (0..=u8::MAX).step_by(if cfg!(miri) { 67 } else { 1 }) {
            for lane in (0..40).step_by(if cfg!(miri) { 7 } else { 1 }) {
                for fill in [b'a', 0x21, 0x23, 0x5B, 0x5D, 0x7F, 0x80, 0xFF] {
                    let mut text = [fill; 40];
                    text[lane] = byte;
                    let ends = byte == b'"' || byte == b'\\';
                    for len in [lane + 1, 40] {
                        assert_eq!(plain_len(&text[..len]), if ends { lane } else { len }, "{byte:#x} in lane {lane}");
                    }
                    // the bytes after the end do not matter
                    text[lane..].fill(b'"');
                    assert_eq!(plain_len(&text), lane);
                }
            }
        }
    }

    #[test]
    fn decoding_in_pieces_is_decoding_character_by_character() {
        for run in 0..if cfg!(miri) { 3 } else { 40 } {
            for escape in [r"\n", r#"\""#, r"\\", r"\/", r"\u0000", r"\u00e9", r"\u20AC", r"\ud83d\uDE00", "é", ""] {
                let text = format!("{:a<run$}{escape}{:b<2$}{escape}", "", "", run % 7);
                let inside = RawStr::validated(text.as_bytes());
                let expected: String = inside.chars().collect();
                let mut buffer = [0; 64];
                assert_eq!(inside.decode(&mut buffer), Ok(&expected[..]), "{text}");
                assert_eq!(inside.decode(&mut buffer[..expected.len()]), Ok(&expected[..]), "{text}");
                if let Some(short) = expected.len().checked_sub(1) {
                    assert!(inside.decode(&mut buffer[..short]).is_err(), "{text}");
                }
                let closed = format!("{text}\",[\"\\n\"]");
                let (mut room, opened) = (&mut buffer[..], RawStr::validated(closed.as_bytes()));
                assert_eq!(opened.decode_to_front(&mut room), Some((&expected[..], &br#",["\n"]"#[..])), "{text}");
                assert_eq!(room.len(), 64 - expected.len(), "{text}");
            }
        }
    }
}
