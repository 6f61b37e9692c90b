//! Base64, four characters at a time. RFC 4648 §4.

/// Decodes four characters. Returns the bytes and their number. The bits after the last byte must be zero (RFC 4648 §3.5), so
/// that each sequence of bytes has one encoding.
pub(crate) fn decode_four(four: [u8; 4]) -> Option<([u8; 3], usize)> {
    let (mut bits, mut len) = (0u32, 3usize);
    for character in four {
        bits = bits.wrapping_shl(6);
        match digit(character) {
            // no digit after padding
            Some(digit) if len == 3 => bits |= u32::from(digit),
            None if character == b'=' => len = len.wrapping_sub(1),
            _ => return None,
        }
    }
    let [_, first, second, third] = bits.to_be_bytes();
    let is_canonical = match len {
        3 => true,
        2 => third == 0,
        1 => second == 0,
        _ => false,
    };
    is_canonical.then_some(([first, second, third], len))
}

/// The six bits of a digit of base64 (RFC 4648 §4, table 1).
fn digit(character: u8) -> Option<u8> {
    match character {
        b'A'..=b'Z' => Some(character.wrapping_sub(b'A')),
        b'a'..=b'z' => Some(character.wrapping_sub(b'a').wrapping_add(26)),
        b'0'..=b'9' => Some(character.wrapping_sub(b'0').wrapping_add(52)),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// The characters for `bytes`: four for each three of them, with padding at the end.
#[cfg(feature = "mcp")]
pub(crate) fn encode_all(mut bytes: impl Iterator<Item = u8>) -> impl Iterator<Item = [u8; 4]> {
    core::iter::from_fn(move || {
        let (mut three, mut len) = ([0; 3], 0_usize);
        for (place, byte) in three.iter_mut().zip(&mut bytes) {
            *place = byte;
            len = len.wrapping_add(1);
        }
        (len != 0).then(|| encode(three.get(..len).unwrap_or_default()))
    })
}

/// The characters for `bytes` in base64url, without padding. RFC 4648 §5.
#[cfg(feature = "authorization")]
pub(crate) fn encode_url(bytes: impl Iterator<Item = u8>) -> impl Iterator<Item = u8> {
    encode_all(bytes).flatten().filter(|character| *character != b'=').map(|character| match character {
        b'+' => b'-',
        b'/' => b'_',
        character => character,
    })
}

/// The four characters for up to three bytes.
pub(crate) fn encode(three: &[u8]) -> [u8; 4] {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    // at the top of the word
    let mut bits = 0u32;
    for (byte, shift) in three.iter().zip([24u32, 16, 8]) {
        bits |= u32::from(*byte).wrapping_shl(shift);
    }
    let mut four = [b'='; 4];
    for place in four.iter_mut().take(three.len().wrapping_add(1)) {
        *place = DIGITS.get(bits.wrapping_shr(26) as usize).copied().unwrap_or(b'=');
        bits = bits.wrapping_shl(6);
    }
    four
}
