//! Masking of payloads. RFC 6455 §5.3.

/// Masks or unmasks `bytes`; both are the same operation. Returns the key for the next byte.
///
/// "Octet i of the transformed data is the XOR of octet i of the original data with octet at index i modulo 4 of the
/// masking key." The first of these octets is the lowest byte of `key`.
pub(super) fn apply(bytes: &mut [u8], key: u32) -> u32 {
    let mut words = bytes.chunks_exact_mut(4);
    for word in &mut words {
        if let Some(word) = word.first_chunk_mut() {
            *word = (u32::from_le_bytes(*word) ^ key).to_le_bytes();
        }
    }
    let rest = words.into_remainder();
    let mut next = key;
    for byte in rest {
        *byte ^= next.to_le_bytes()[0];
        next = next.rotate_right(8);
    }
    next
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test stops")]
mod tests {
    use super::apply;

    #[test]
    fn every_length_cut_anywhere_is_masked_byte_by_byte() {
        let key = [0x37, 0xFA, 0x21, 0x3D];
        let text: [u8; 40] = core::array::from_fn(|at| at.wrapping_mul(7).to_le_bytes()[0]);
        for start in 0..8 {
            for end in start..text.len() {
                for cut in start..=end {
                    let mut masked = text;
                    let next = apply(&mut masked[start..cut], u32::from_le_bytes(key));
                    apply(&mut masked[cut..end], next);
                    let expected: [u8; 40] = core::array::from_fn(|at| {
                        if (start..end).contains(&at) { text[at] ^ key[(at - start) % 4] } else { text[at] }
                    });
                    assert_eq!(masked, expected, "{start}..{cut}..{end}");
                }
            }
        }
    }
}
