//! Incremental validation of UTF-8. RFC 3629 §4.

use crate::json::whole_characters;

/// Validates UTF-8 text that arrives in pieces.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Utf8 {
    /// The number of missing bytes of the current character.
    missing: u8,
    /// The allowed range of the next byte of the character.
    least: u8,
    most: u8,
}

impl Utf8 {
    pub(super) const NEW: Self = Self { missing: 0, least: 0x80, most: 0xBF };

    /// Whether the text ends at the end of a character.
    pub(super) const fn is_between(self) -> bool {
        self.missing == 0
    }

    /// Reads `bytes`, and returns the number of them before the first one that cannot follow the text so far.
    pub(super) fn take(&mut self, bytes: &[u8]) -> usize {
        let mut state = *self;
        let mut rest = bytes;
        loop {
            if state.missing == 0 {
                rest = rest.get(whole_characters(rest)..).unwrap_or_default();
            }
            let Some((byte, behind)) = rest.split_first() else { break };
            if !state.next(*byte) {
                break;
            }
            rest = behind;
        }
        *self = state;
        bytes.len().wrapping_sub(rest.len())
    }

    /// Reads a byte, and returns whether it is allowed here.
    ///
    /// UTF8-1 = %x00-7F
    /// UTF8-2 = %xC2-DF UTF8-tail
    /// UTF8-3 = %xE0 %xA0-BF UTF8-tail / %xE1-EC 2( UTF8-tail ) / %xED %x80-9F UTF8-tail / %xEE-EF 2( UTF8-tail )
    /// UTF8-4 = %xF0 %x90-BF 2( UTF8-tail ) / %xF1-F3 3( UTF8-tail ) / %xF4 %x80-8F 2( UTF8-tail )
    #[inline(always)]
    fn next(&mut self, byte: u8) -> bool {
        let Self { missing, least, most } = *self;
        (self.least, self.most) = (0x80, 0xBF);
        if missing != 0 {
            self.missing = missing.wrapping_sub(1);
            return byte >= least && byte <= most;
        }
        match byte {
            0..=0x7F => return true,
            0xE0 => self.least = 0xA0,
            0xED => self.most = 0x9F,
            0xF0 => self.least = 0x90,
            0xF4 => self.most = 0x8F,
            _ => {}
        }
        // the number of leading ones in the first byte is the length of the character
        self.missing = byte.leading_ones().wrapping_sub(1).to_le_bytes()[0];
        (0xC2..=0xF4).contains(&byte)
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test stops")]
mod tests {
    use super::Utf8;

    /// The expected result by the standard library: the length of the longest prefix that is a text, or the start of one.
    fn expected(bytes: &[u8]) -> usize {
        let could_go_on = |len: &usize| match core::str::from_utf8(&bytes[..*len]) {
            Ok(_) => true,
            Err(error) => error.error_len().is_none(),
        };
        (0..=bytes.len()).rev().find(could_go_on).unwrap_or_default()
    }

    #[test]
    fn any_four_bytes_in_pieces_are_checked_as_by_the_standard_library() {
        const KINDS: [u8; 14] = [b'x', 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xE0, 0xED, 0xF0, 0xF4, 0xFF];
        let step = if cfg!(miri) { 37 } else { 1 };
        for first in (0..=u8::MAX).step_by(step) {
            for second in (0..=u8::MAX).step_by(step) {
                for third in KINDS {
                    let bytes = [first, second, third, KINDS[usize::from(first ^ second) % KINDS.len()], b'x', b'y'];
                    let expected = expected(&bytes);
                    for cut in 0..bytes.len() {
                        let mut utf8 = Utf8::NEW;
                        let mut taken = utf8.take(&bytes[..cut]);
                        if taken == cut {
                            taken += utf8.take(&bytes[cut..]);
                        }
                        assert_eq!(taken, expected, "{bytes:x?} at {cut}");
                        assert!(taken != bytes.len() || utf8.is_between());
                    }
                }
            }
        }
    }
}
