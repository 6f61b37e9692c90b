//! Values of URIs as paths of files.

use crate::ascii::split_once;
use crate::json::RawStr;

/// The decoded `value`, if it is a relative path of file names: see [`UriTemplate::file_path`](super::UriTemplate::file_path).
pub(super) fn file_path<'b>(value: RawStr<'_>, buffer: &'b mut [u8]) -> Option<&'b str> {
    let len = value.decode(buffer).ok()?.len();
    let len = decode_percent(buffer.get_mut(..len)?)?;
    let path = str::from_utf8(buffer.get(..len)?).ok()?;
    // `str::split` links a panic
    let mut rest = path;
    while let Some((name, behind)) = split_once(rest, b'/') {
        if !is_file_name(name) {
            return None;
        }
        rest = behind;
    }
    is_file_name(rest).then_some(path)
}

/// Decodes `%` and two digits in place, and returns the length. `None` for an encoded `/`, which would divide a name.
fn decode_percent(bytes: &mut [u8]) -> Option<usize> {
    let (mut from, mut to) = (0usize, 0usize);
    while let Some([first, rest @ ..]) = bytes.get(from..).filter(|rest| !rest.is_empty()) {
        let (byte, taken) = match (first, rest) {
            (b'%', [high, low, ..]) => (digit(*high)? << 4 | digit(*low)?, 3),
            (first, _) => (*first, 1),
        };
        if byte == b'/' && taken != 1 {
            return None;
        }
        *bytes.get_mut(to)? = byte;
        (from, to) = (from.wrapping_add(taken), to.wrapping_add(1));
    }
    Some(to)
}

/// The value of a hexadecimal digit. `char::to_digit` links a panic.
const fn digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit & 0x0F),
        b'A'..=b'F' | b'a'..=b'f' => Some((digit & 0x0F).wrapping_add(9)),
        _ => None,
    }
}

/// Whether `name` names one file in its directory, on Unix and on Windows.
fn is_file_name(name: &str) -> bool {
    // Windows drops dots and spaces at the end, so that `.. ` is `..`; `.` and `..` end so, too
    !name.is_empty()
        && !name.ends_with(['.', ' '])
        && !name.chars().any(|c| c.is_control() || matches!(c, '\\' | ':' | '"' | '<' | '>' | '|' | '?' | '*'))
        && !is_encoded(name)
        && !is_device(name)
}

/// Whether `name` is still percent-encoded: a program that decodes it again would get another one.
fn is_encoded(name: &str) -> bool {
    let is_digits = |part: &[u8]| part.iter().all(u8::is_ascii_hexdigit);
    name.as_bytes().windows(3).any(|part| matches!(part, [b'%', digits @ ..] if is_digits(digits)))
}

/// Whether Windows takes `name` for a device, whatever directory and extension it has.
fn is_device(name: &str) -> bool {
    let mut stem = split_once(name, b'.').map_or(name, |(stem, _)| stem);
    while let Some(shorter) = stem.strip_suffix(' ') {
        stem = shorter;
    }
    let is_numbered = |port: &str| {
        let (front, number) = stem.split_at_checked(3).unwrap_or_default();
        let mut digits = number.chars();
        front.eq_ignore_ascii_case(port)
            && matches!(digits.next(), Some('0'..='9' | '\u{b9}' | '\u{b2}' | '\u{b3}'))
            && digits.next().is_none()
    };
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"].iter().any(|device| stem.eq_ignore_ascii_case(device))
        || is_numbered("COM")
        || is_numbered("LPT")
}
