//! Messages that end with a line feed.

use super::decode::Decode;
use super::encode::{self, Head};
use super::spans::{Spans, before_line_feed};
use super::{BYTE_ORDER_MARK, Found, Frame, FrameErrorKind};

/// A message is a line: the stdio transport of the Model Context Protocol, JSON Lines.
///
/// A line ends with LF or CRLF, which are not part of the message. Lines of white space alone are ignored. The last
/// line of the stream may lack its line end.
///
/// # Limits
/// A line and its line end together are at most as long as the buffer: a buffer of 64 bytes holds a message of 63 bytes with
/// LF, of 62 with CRLF.
///
/// # Errors and recovery
/// - [`TooLong`](FrameErrorKind::TooLong), at the first byte without room: the line is dropped, up to the next LF.
/// - [`ByteOrderMark`](FrameErrorKind::ByteOrderMark), at the line's first byte: the line without the mark is read
///   next.
///
/// ```
/// use nanojsonrpc::frame::{Frame, FrameErrorKind, Framer, Lines};
///
/// let mut framer = Framer::<Lines, 16>::new();
/// let mut stream = &b"{\"id\":1}\r\n\n[\"far too long for it\"]\n{\"id\":2}"[..];
/// let (mut messages, mut errors) = (0, 0);
/// while !stream.is_empty() {
///     stream = &stream[framer.push(stream)..];
///     while let Some(frame) = framer.next() {
///         match frame {
///             Ok(message) => messages += usize::from(message == b"{\"id\":1}"),
///             Err(error) => errors += usize::from(error.kind() == FrameErrorKind::TooLong && error.offset() == 27),
///         }
///     }
/// }
/// assert_eq!(framer.finish(), Some(Ok(&b"{\"id\":2}"[..])));
/// assert_eq!((messages, errors), (1, 1));
///
/// let mut wire = [0; 16];
/// assert_eq!(Lines::encode(b"{\n\"id\":1}", &mut wire), Ok(10));
/// assert_eq!(&wire[..10], b"{ \"id\":1}\n");
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Lines {
    /// Whether the frame drops the rest of a line that is too long.
    is_dropping: bool,
}

impl Lines {
    /// The stored line, unless it is blank. `is_ended`: whether its LF is the next byte. Not inlined, for devices: it has two callers, each
    /// with several callers.
    #[inline(never)]
    fn line(bytes: &[u8], spans: &mut Spans, is_ended: bool) -> Option<Found> {
        let line = spans.message(bytes);
        // `starts_with` would link `memcmp`
        if matches!(line, [a, b, c, ..] if [*a, *b, *c] == BYTE_ORDER_MARK) {
            let error = spans.error(FrameErrorKind::ByteOrderMark, line.len());
            spans.trim_start(BYTE_ORDER_MARK.len());
            return Some(Err(error));
        }
        // `strip_suffix` of a slice would link a panic
        let line = if let [line @ .., b'\r'] = line { line } else { line };
        let is_blank = line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        let start = spans.start();
        let end = start.wrapping_add(line.len());
        spans.drop(usize::from(is_ended));
        if is_blank { None } else { Some(Ok(start..end)) }
    }
}

impl Decode for Lines {
    const NEW: Self = Self { is_dropping: false };
    const IS_BARE: bool = true;

    fn step(&mut self, bytes: &mut [u8], limit: usize, spans: &mut Spans) -> Option<Found> {
        loop {
            let unread = spans.unread(bytes);
            let len = before_line_feed(unread);
            let is_ended = len < unread.len();
            if self.is_dropping {
                spans.drop(len.wrapping_add(usize::from(is_ended)));
                if !is_ended {
                    return None;
                }
                self.is_dropping = false;
                continue;
            }
            spans.keep(len);
            if is_ended {
                if let Some(found) = Self::line(bytes, spans, true) {
                    return Some(found);
                }
                continue;
            }
            if spans.len() < limit {
                return None;
            }
            // the next step drops the front of the line, which is still shown as lost
            self.is_dropping = true;
            return Some(Err(spans.error(FrameErrorKind::TooLong, 0)));
        }
    }

    fn end(&mut self, bytes: &mut [u8], spans: &mut Spans) -> Option<Found> {
        self.is_dropping = false;
        Self::line(bytes, spans, false)
    }
}

impl Frame for Lines {
    type Item<'b> = &'b [u8];

    fn head(_: usize) -> Head {
        Head::NONE
    }

    fn tail() -> &'static [u8] {
        b"\n"
    }

    fn replace_line_ends(message: &mut [u8]) {
        encode::replace_line_ends(message);
    }

    fn item<'b>(&'b self, message: &'b [u8]) -> &'b [u8] {
        message
    }
}
