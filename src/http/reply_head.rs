//! The head of a response, as a client receives it.

use core::fmt;

use super::value::trimmed;
use crate::ascii::is_token;

/// The reason why bytes are not the head of a response of HTTP/1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct InvalidHead;

impl fmt::Display for InvalidHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not the head of a response of HTTP/1")
    }
}

impl core::error::Error for InvalidHead {}

/// Reads the head at the front of `text`: returns its status and its length, and calls `header` with the name and the value of each header.
/// `None` if the head is incomplete. An interim response, such as `100 Continue`, is a head of its own, whose headers are not for the
/// response after it.
///
/// ```
/// use nanojsonrpc::http::read_head;
///
/// let text = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
/// let mut len = None;
/// let read = read_head(text, |name, value| {
///     if name.eq_ignore_ascii_case(b"content-length") {
///         len = Some(value);
///     }
/// });
/// assert_eq!(read, Ok(Some((200, text.len() - 2))));
/// assert_eq!(len, Some(&b"2"[..]));
/// assert_eq!(read_head(&text[..40], |_, _| {}), Ok(None));
/// assert!(read_head(b"SSH-2.0-OpenSSH", |_, _| {}).is_err());
/// ```
///
/// # Errors
/// [`InvalidHead`] as soon as the bytes show it: no status line of HTTP/1.0 or 1.1 with three digits; a header line without a colon, or
/// that continues the line before it (RFC 9112 §5.2).
///
/// Source: RFC 9112 §4, §5. A line may also end with LF alone (§2.2).
pub fn read_head<'h>(
    text: &'h [u8],
    mut header: impl FnMut(&'h [u8], &'h [u8]),
) -> Result<Option<(u16, usize)>, InvalidHead> {
    let mut rest = text;
    let Some(status) = status_in(text)? else { return Ok(None) };
    let mut is_first = true;
    loop {
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else { return Ok(None) };
        let (line, behind) = rest.split_at_checked(end).unwrap_or_default();
        rest = behind.get(1..).unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if core::mem::take(&mut is_first) {
            continue;
        }
        if line.is_empty() {
            return Ok(Some((status, text.len().wrapping_sub(rest.len()))));
        }
        let colon = line.iter().position(|byte| *byte == b':').ok_or(InvalidHead)?;
        let (name, value) = line.split_at_checked(colon).unwrap_or_default();
        if name.is_empty() || !name.iter().all(|byte| is_token(*byte)) {
            return Err(InvalidHead);
        }
        header(name, trimmed(value.get(1..).unwrap_or_default()));
    }
}

/// The status of a status line at the front of `text`; `None` if it is incomplete.
fn status_in(text: &[u8]) -> Result<Option<u16>, InvalidHead> {
    // status-line = HTTP-version SP status-code SP [ reason-phrase ]
    const VERSION: &[u8] = b"HTTP/1.";
    if !text.iter().zip(VERSION).all(|(byte, expected)| byte == expected) {
        return Err(InvalidHead);
    }
    let mut status = 0_u16;
    for (at, byte) in text.iter().skip(VERSION.len()).take(6).enumerate() {
        match (at, byte) {
            (0, b'0' | b'1') | (1, b' ') | (5, b' ' | b'\r' | b'\n') => {}
            (2, b'1'..=b'9') | (3 | 4, b'0'..=b'9') => {
                status = status.saturating_mul(10).saturating_add(u16::from(*byte & 0xF));
            }
            _ => return Err(InvalidHead),
        }
    }
    Ok((text.len() > VERSION.len().wrapping_add(5)).then_some(status))
}
