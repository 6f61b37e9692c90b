//! The front of a stream: whether it begins as another protocol.

use super::spans::Spans;

/// Whether a stream begins as HTTP, TLS or SSH. A front that may do so is held back up to the end of its first line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) enum Front {
    Unclear,
    Passed,
    /// The stream begins as another protocol: ignores all input.
    Over,
}

/// The longest front that is held back.
const MAX_LEN: usize = 1024;

/// `A` is a row of upper-case letters, `t` a row of any bytes but white space and control characters.
const PATTERNS: [&[u8]; 6] = [
    // method SP request-target SP HTTP-version: RFC 9112 §3. A web page sends no other form of target
    b"A /t HTTP/1.",
    // the status line: RFC 9112 §4
    b"HTTP/1.",
    // SSH-protoversion: RFC 4253 §4.2
    b"SSH-2.",
    b"SSH-1.",
    // a record of TLS, handshake or alert: RFC 8446 §5.1
    b"\x16\x03",
    b"\x15\x03",
];

impl Front {
    /// Whether another protocol was found right now; `None` if the frame reads on. Bytes are held back or ignored otherwise.
    #[inline(never)]
    pub(super) fn step(&mut self, bytes: &[u8], limit: usize, spans: &mut Spans, has_ended: bool) -> Option<bool> {
        let unread = spans.unread(bytes);
        match self {
            Self::Passed => None,
            Self::Over => {
                spans.drop(unread.len());
                Some(false)
            }
            Self::Unclear => {
                // the verdict depends on no byte that a shorter chunk would not have
                let limit = limit.min(MAX_LEN);
                let front = unread.get(..limit).unwrap_or(unread);
                let (first, rest) = front.split_first()?;
                let is_full = front.len() == limit;
                *self = Self::Passed;
                if !matches!(first, b'A'..=b'Z' | 0x15 | 0x16) {
                    return None;
                }
                if !is_full && !has_ended && rest.iter().all(|byte| *byte >= b' ' && *byte != b'{') {
                    *self = Self::Unclear;
                    return Some(false);
                }
                if !PATTERNS.iter().any(|pattern| matches(front, pattern, is_full)) {
                    return None;
                }
                *self = Self::Over;
                Some(true)
            }
        }
    }
}

/// Whether `text` begins as `pattern` says, or may do so behind its end if that `is_full`.
fn matches(mut text: &[u8], pattern: &[u8], is_full: bool) -> bool {
    for expected in pattern {
        let is_row = matches!(expected, b'A' | b't');
        loop {
            let Some((byte, rest)) = text.split_first() else { return is_full && *expected != b'A' };
            let fits = match expected {
                b'A' => byte.is_ascii_uppercase(),
                b't' => *byte > b' ',
                _ => byte == expected,
            };
            if fits {
                text = rest;
            } else if !is_row {
                return false;
            }
            if !fits || !is_row {
                break;
            }
        }
    }
    true
}
