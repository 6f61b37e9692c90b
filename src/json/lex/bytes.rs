//! The ends of tokens, found byte by byte. Devices have only this scanner. On 64-bit hosts it is the fallback that determines the kind and
//! the offset of every error.

use crate::error::ErrorKind;

// The parts of a number.
const INT: u32 = 0;
const FRAC: u32 = 1;
const EXP: u32 = 2;

const fn is_digit(byte: u32) -> bool {
    byte.wrapping_sub(b'0' as u32) < 10
}

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

/// The four bytes of `text` from `at` on, the first in the highest bits. After the end of the text, the bytes are zeros, which occur in no
/// token.
fn window(text: &[u8], at: usize) -> u32 {
    (at..at.wrapping_add(4)).fold(0, |word, at| word << 8 | text.get(at).map_or(0, |byte| u32::from(*byte)))
}

/// Validates the character that begins with `first`, just before `at`: most often an escape or a UTF-8 sequence. Returns its end, or the
/// offset after the wrong byte and the error kind.
///
/// A separate function, because the pass has too few registers for it.
#[inline(never)]
pub(in crate::json) fn character(text: &[u8], mut at: usize, first: u32) -> (usize, Option<ErrorKind>) {
    // unescaped = %x20-21 / %x23-5B / %x5D-10FFFF
    if first < 0x20 {
        return (at, Some(ErrorKind::ControlCharacter));
    }
    macro_rules! next {
        () => {{
            let byte = text.get(at).map_or(0, |byte| *byte as u32);
            at = at.wrapping_add(1);
            byte
        }};
    }
    if first == b'\\' as u32 {
        // %x5C ( %x22 / %x5C / %x2F / %x62 / %x66 / %x6E / %x72 / %x74 / %x75 4HEXDIG )
        let escape = next!();
        if escape != b'u' as u32 {
            let is_known = b"\"\\/bfnrt".iter().any(|known| escape == *known as u32);
            return (at, if is_known { None } else { Some(ErrorKind::InvalidEscape) });
        }
        // a leading 1 and the digits so far; the fourth digit moves the 1 into bit 16
        let mut unit = 1;
        while unit >> 16 == 0 {
            let Some(digit) = hex_digit(next!()) else { return (at, Some(ErrorKind::InvalidEscape)) };
            unit = unit << 4 | digit;
            // DC to DF: a low surrogate without a high one before it
            if unit >> 2 == 0x1DC >> 2 {
                return (at, Some(ErrorKind::LoneSurrogate));
            }
            // a high surrogate must be followed by a low one
            if unit >> 10 == 0x1_D800 >> 10 {
                // \u, then D, then C to F: the exclusive or of C with these is 0, 5, 6 or 7
                let wrong = (window(text, at) | 0x2020) ^ u32::from_be_bytes(*b"\\udc");
                if !matches!(wrong, 0 | 5..=7) {
                    return (behind_first(wrong, at), Some(ErrorKind::LoneSurrogate));
                }
                // two digits of the low surrogate remain
                at = at.wrapping_add(4);
                unit = 0x100;
            }
        }
        return (at, None);
    }
    if first < 0x80 {
        return (at, None);
    }
    // UTF8-2 / UTF8-3 / UTF8-4, with the narrower second byte after E0, ED, F0 and F4
    let mut low = 0x80;
    let mut high = 0xBF;
    if first == 0xE0 {
        low = 0xA0;
    }
    if first == 0xED {
        high = 0x9F;
    }
    if first == 0xF0 {
        low = 0x90;
    }
    if first == 0xF4 {
        high = 0x8F;
    }
    if !(0xC2..=0xF4).contains(&first) {
        return (at, Some(ErrorKind::InvalidUtf8));
    }
    // the lead byte has one more leading one than continuation bytes follow
    let mut ones = first << 1;
    while ones & 0x80 != 0 {
        let byte = next!();
        if byte < low || byte > high {
            return (at, Some(ErrorKind::InvalidUtf8));
        }
        (low, high) = (0x80, 0xBF);
        ones <<= 1;
    }
    (at, None)
}

/// The offset after the first nonzero byte of `wrong`; the first byte of `wrong` is at `at`.
const fn behind_first(wrong: u32, at: usize) -> usize {
    at.wrapping_add((wrong.leading_zeros() >> 3) as usize).wrapping_add(1)
}

/// Validates the number or literal that begins with `first`, just before `at`. Returns its end, or the offset after the wrong byte and the
/// error kind.
#[inline(never)]
pub(in crate::json) fn scalar(text: &[u8], mut at: usize, first: u32) -> (usize, Option<ErrorKind>) {
    // false / null / true: the bytes after the first one, the next one in the lowest bits
    let mut literal = if first == b't' as u32 {
        u32::from_le_bytes(*b"rue\0")
    } else if first == b'f' as u32 {
        u32::from_le_bytes(*b"alse")
    } else if first == b'n' as u32 {
        u32::from_le_bytes(*b"ull\0")
    } else if first == b'-' as u32 {
        return number(text, at);
    } else if is_digit(first) {
        return number(text, at.wrapping_sub(1));
    } else {
        return (at, Some(ErrorKind::ExpectedValue));
    };
    while literal != 0 {
        let byte = text.get(at).map_or(0, |byte| u32::from(*byte));
        at = at.wrapping_add(1);
        if byte != literal & 0xFF {
            return (at, Some(ErrorKind::InvalidLiteral));
        }
        literal >>= 8;
    }
    (at, None)
}

/// number = [ minus ] int [ frac ] [ exp ], after the minus.
fn number(text: &[u8], mut at: usize) -> (usize, Option<ErrorKind>) {
    let peek = |at: usize| text.get(at).map_or(0, |byte| *byte as u32);
    let mut part = INT;
    loop {
        // int = zero / ( digit1-9 *DIGIT ) ; frac = decimal-point 1*DIGIT ; exp = e [ minus / plus ] 1*DIGIT
        let start = at;
        let mut byte = peek(at);
        if byte == b'0' as u32 && part == INT {
            at = at.wrapping_add(1);
            byte = peek(at);
        } else {
            while is_digit(byte) {
                at = at.wrapping_add(1);
                byte = peek(at);
            }
        }
        if at == start || is_digit(byte) {
            return (at.wrapping_add(1), Some(ErrorKind::InvalidNumber));
        }
        if byte == b'.' as u32 && part == INT {
            part = FRAC;
        } else if byte | 0x20 == b'e' as u32 && part != EXP {
            part = EXP;
            if matches!(text.get(at.wrapping_add(1)), Some(b'-' | b'+')) {
                at = at.wrapping_add(1);
            }
        } else {
            return (at, None);
        }
        at = at.wrapping_add(1);
    }
}

/// HEXDIG, in upper or lower case.
pub(in crate::json) const fn hex_digit(byte: u32) -> Option<u32> {
    let digit = byte.wrapping_sub(b'0' as u32);
    if digit <= 9 {
        return Some(digit);
    }
    let letter = (byte | 0x20).wrapping_sub(b'a' as u32);
    if letter <= 5 { Some(letter.wrapping_add(10)) } else { None }
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
