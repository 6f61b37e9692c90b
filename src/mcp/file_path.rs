//! Values of URIs as paths of files.

use crate::json::RawStr;

/// The decoded `value`, if it is a relative path of file names: see [`UriTemplate::file_path`](super::UriTemplate::file_path).
pub(super) fn file_path<'b>(value: RawStr<'_>, buffer: &'b mut [u8]) -> Option<&'b str> {
    let len = value.decode(buffer).ok()?.len();
    let len = decode_percent(buffer.get_mut(..len)?)?;
    let path = str::from_utf8(buffer.get(..len)?).ok()?;
    path.split('/').all(is_file_name).then_some(path)
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

/// The value of a hexadecimal digit.
fn digit(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
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
    let is_digits = |behind: &str| behind.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2;
    name.split('%').skip(1).any(is_digits)
}

/// Whether Windows takes `name` for a device, whatever directory and extension it has.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end_matches(' ');
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
