//! The front of a stream: whether it begins as another protocol.

use super::spans::Spans;

/// Whether a stream begins as HTTP, TLS or SSH. A front is held back while it may.
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

/// Each ends with NUL. `A` is a row of upper-case letters, `t` a row of any bytes but white space and control characters.
/// - method SP request-target SP HTTP-version: RFC 9112 §3. A web page sends no other form of target.
/// - The status line: RFC 9112 §4.
/// - SSH-protoversion: RFC 4253 §4.2.
/// - A record of TLS, handshake or alert: RFC 8446 §5.1.
static PATTERNS: [u8; 41] = *b"A /t HTTP/1.\0HTTP/1.\0SSH-2.\0SSH-1.\0\x16\x03\0\x15\x03\0";

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
                // the same bytes for any cuts between chunks
                let limit = limit.min(MAX_LEN);
                let front = unread.get(..limit).unwrap_or(unread);
                // a message of JSON-RPC passes at its first byte: 400 instructions less on thumbv7m
                if !matches!(front.first()?, b'A'..=b'Z' | 0x15 | 0x16) {
                    *self = Self::Passed;
                    return None;
                }
                let is_full = front.len() == limit;
                let is_other = is_other(front, is_full);
                if is_other.is_none() && !is_full && !has_ended {
                    return Some(false);
                }
                *self = Self::Passed;
                if !is_other.unwrap_or(is_full) {
                    return None;
                }
                *self = Self::Over;
                Some(true)
            }
        }
    }
}

/// Whether `front` begins as another protocol; `None` if it ends inside of a pattern. If the
/// buffer `is_full`, letters alone are none, because a method needs the space behind it.
#[inline(always)]
fn is_other(front: &[u8], is_full: bool) -> Option<bool> {
    // what is left to compare with the pattern; `None` if it does not fit
    let (mut left, mut is_open) = (Some(front), false);
    for expected in &PATTERNS {
        if *expected == 0 {
            if left.replace(front).is_some() {
                return Some(true);
            }
            continue;
        }
        let is_row = matches!(expected, b'A' | b't');
        while let Some(text) = left {
            let Some((byte, rest)) = text.split_first() else {
                is_open |= !is_full || *expected != b'A';
                left = None;
                break;
            };
            let fits = match expected {
                b'A' => byte.is_ascii_uppercase(),
                b't' => *byte > b' ',
                _ => byte == expected,
            };
            if fits {
                left = Some(rest);
            } else if !is_row {
                left = None;
            }
            if !fits || !is_row {
                break;
            }
        }
    }
    (!is_open).then_some(false)
}
