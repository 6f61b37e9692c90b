//! JSON constants of the program, checked at compile time.
//!
//! The grammar is that of the validating pass; `const fn`s without iterators and traits find the ends of tokens. A test compares the
//! verdicts.

use super::RawValue;
use super::grammar::{NONE_OPEN, State, Token};

impl<'a> RawValue<'a> {
    /// Checks `text` and returns it as a value; `None` if it is not JSON. For constants, which cannot call [`parse`](Self::parse):
    ///
    /// ```
    /// use nanojsonrpc::RawValue;
    ///
    /// const SIZES: RawValue<'_> = RawValue::constant(r#"{"sizes":[1,2]}"#).unwrap();
    /// assert_eq!(SIZES.pointer("/sizes/1").and_then(|size| size.as_i64()), Some(2));
    /// ```
    ///
    /// Text that is not JSON does not compile:
    ///
    /// ```compile_fail
    /// const SIZES: nanojsonrpc::RawValue<'_> = nanojsonrpc::RawValue::constant("{sizes:[1,2]}").unwrap();
    /// # assert!(SIZES.is_null());
    /// ```
    ///
    /// # Limits
    /// As [`parse`](Self::parse).
    pub const fn constant(text: &'a str) -> Option<Self> {
        if is_json(text.as_bytes()) { Some(Self::constant_of(text)) } else { None }
    }
}

/// Whether `text` is one JSON text. RFC 8259 §2.
const fn is_json(text: &[u8]) -> bool {
    let mut rest = text;
    let mut state = State::FRONT;
    loop {
        let (byte, behind) = match rest {
            [b' ' | b'\t' | b'\n' | b'\r', behind @ ..] => {
                rest = behind;
                continue;
            }
            [byte, behind @ ..] => (*byte, behind),
            [] => return state.is_end(),
        };
        rest = behind;
        let behind = match state.step(byte as u32) {
            Token::Separator | Token::Opening => continue,
            Token::Closing => Some(behind),
            Token::String => behind_string(behind),
            Token::Scalar => behind_scalar(byte, behind),
            Token::Misplaced | Token::TooDeep => None,
        };
        let Some(behind) = behind else { return false };
        rest = behind;
        if byte == b'"' && state.is_name() {
            state.name_ended();
        } else {
            state.value_ended(state.open == NONE_OPEN);
        }
    }
}

/// The text after a string; `text` begins after the opening quotation mark. RFC 8259 §7.
pub(super) const fn behind_string(mut text: &[u8]) -> Option<&[u8]> {
    loop {
        text = match text {
            [b'"', rest @ ..] => return Some(rest),
            [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', rest @ ..] => rest,
            [b'\\', b'u', rest @ ..] => {
                let (Some(high), [_, _, _, _, rest @ ..]) = (upper_half(rest), rest) else { return None };
                match (high, rest) {
                    (0xD8..=0xDB, [b'\\', b'u', rest @ ..]) => {
                        let (Some(0xDC..=0xDF), [_, _, _, _, rest @ ..]) = (upper_half(rest), rest) else {
                            return None;
                        };
                        rest
                    }
                    (0xD8..=0xDF, _) => return None,
                    _ => rest,
                }
            }
            [b'\\', ..] => return None,
            // a `str` is UTF-8
            [0x20..=0xFF, rest @ ..] => rest,
            _ => return None,
        };
    }
}

/// The first two digits of `4HEXDIG` at the front of `text`. They show whether it is a surrogate.
const fn upper_half(text: &[u8]) -> Option<u32> {
    let [a, b, c, d, ..] = text else { return None };
    let (Some(a), Some(b), Some(_), Some(_)) = (digit(*a), digit(*b), digit(*c), digit(*d)) else { return None };
    Some(a << 4 | b)
}

/// HEXDIG, in upper or lower case.
const fn digit(byte: u8) -> Option<u32> {
    match byte {
        b'0'..=b'9' => Some((byte & 0x0F) as u32),
        b'A'..=b'F' | b'a'..=b'f' => Some(((byte & 0x0F) as u32).wrapping_add(9)),
        _ => None,
    }
}

/// The text after the literal or number that begins with `first`.
const fn behind_scalar(first: u8, behind: &[u8]) -> Option<&[u8]> {
    match (first, behind) {
        (b't', [b'r', b'u', b'e', rest @ ..])
        | (b'n', [b'u', b'l', b'l', rest @ ..])
        | (b'f', [b'a', b'l', b's', b'e', rest @ ..]) => Some(rest),
        // number = [ minus ] int [ frac ] [ exp ]
        (b'-', [b'0', rest @ ..]) | (b'0', rest) => Some(behind_fraction(rest)),
        (b'-', [b'1'..=b'9', rest @ ..]) | (b'1'..=b'9', rest) => Some(behind_fraction(behind_digits(rest))),
        _ => None,
    }
}

/// The text after `[ frac ] [ exp ]`. Leaves a point or an `e` without a digit; the grammar then refuses it, because no token begins with
/// it.
const fn behind_fraction(text: &[u8]) -> &[u8] {
    let text = match text {
        [b'.', b'0'..=b'9', rest @ ..] => behind_digits(rest),
        _ => text,
    };
    match text {
        [b'e' | b'E', b'+' | b'-', b'0'..=b'9', rest @ ..] | [b'e' | b'E', b'0'..=b'9', rest @ ..] => {
            behind_digits(rest)
        }
        _ => text,
    }
}

const fn behind_digits(mut text: &[u8]) -> &[u8] {
    while let [b'0'..=b'9', rest @ ..] = text {
        text = rest;
    }
    text
}

/// Whether `text`, a validated object, has a member whose name and value, both strings, begin with
/// `name` and `value`, including the quotation marks. `false` after a name with an escape, because that may spell `name`.
#[cfg(feature = "mcp")]
pub(crate) const fn has_member(text: &[u8], name: &[u8], value: &[u8]) -> bool {
    let mut rest = text;
    let mut depth = 0u32;
    while let [byte, behind @ ..] = rest {
        rest = behind;
        match byte {
            b'{' | b'[' => depth = depth.wrapping_add(1),
            b'}' | b']' => depth = depth.wrapping_sub(1),
            b'"' => {
                let Some(behind) = behind_string(behind) else { return false };
                let found = rest;
                rest = behind;
                let (1, [b':', after @ ..]) = (depth, behind.trim_ascii_start()) else { continue };
                if is_escaped(found) {
                    return false;
                }
                if begins_with(found, name) {
                    return matches!(after.trim_ascii_start(), [b'"', after @ ..] if begins_with(after, value));
                }
            }
            _ => {}
        }
    }
    false
}

/// Whether the string whose inside begins with `inside` has an escape.
#[cfg(feature = "mcp")]
const fn is_escaped(mut inside: &[u8]) -> bool {
    while let [byte, rest @ ..] = inside {
        match byte {
            b'\\' => return true,
            b'"' => return false,
            _ => inside = rest,
        }
    }
    false
}

#[cfg(feature = "mcp")]
const fn begins_with(mut text: &[u8], mut start: &[u8]) -> bool {
    while let [wanted, wanted_rest @ ..] = start {
        match text {
            [byte, rest @ ..] if *byte == *wanted => (text, start) = (rest, wanted_rest),
            _ => return false,
        }
    }
    true
}
