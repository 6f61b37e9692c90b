//! The bytes of white space and literals, and of plain text in strings. Numbers and other characters are in [`table`](super::table).

pub(in crate::json) const fn is_white_space(byte: u32) -> bool {
    // ws = *( %x20 / %x09 / %x0A / %x0D )
    matches!(byte, 0x20 | 0x09 | 0x0A | 0x0D)
}

/// Marks the bytes of `word` that end a run of plain string bytes: quotation mark, backslash, control or not ASCII.
///
/// Bit 7 of the lowest such byte is set, and no lower bit. Higher bits are arbitrary, because the subtraction borrows upwards.
pub(in crate::json) const fn special_bytes(word: usize) -> usize {
    const ONES: usize = usize::MAX / 255;
    // the exclusive or with 2 makes 0x20 of a quotation mark, leaves control characters below that, and all other ASCII above it
    let control_or_quote = (word ^ ONES.wrapping_mul(2)).wrapping_sub(ONES.wrapping_mul(0x21));
    let backslash = (word ^ ONES.wrapping_mul(b'\\' as usize)).wrapping_sub(ONES);
    (word | control_or_quote | backslash) & ONES.wrapping_mul(0x80)
}

/// The bytes after the `first` one of `false`, `null` or `true`, the next one in the lowest bits.
#[inline(always)]
pub(in crate::json) const fn literal(first: u32) -> Option<u32> {
    if first == b't' as u32 {
        Some(u32::from_le_bytes(*b"rue\0"))
    } else if first == b'f' as u32 {
        Some(u32::from_le_bytes(*b"alse"))
    } else if first == b'n' as u32 {
        Some(u32::from_le_bytes(*b"ull\0"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::special_bytes;

    #[test]
    fn a_byte_that_ends_a_run_is_found_in_every_lane() {
        for byte in 0..=u8::MAX {
            let is_special = !matches!(byte, b' '..=b'~' | 0x7F) || matches!(byte, b'"' | b'\\');
            for lane in 0..size_of::<usize>() {
                let mut word = [b'a'; size_of::<usize>()];
                if let Some(place) = word.get_mut(lane) {
                    *place = byte;
                }
                let found = special_bytes(usize::from_le_bytes(word));
                let lowest = if found == 0 { None } else { Some(found.trailing_zeros() as usize) };
                assert_eq!(lowest, if is_special { Some(lane * 8 + 7) } else { None }, "{byte:#x} in lane {lane}");
            }
        }
    }
}
