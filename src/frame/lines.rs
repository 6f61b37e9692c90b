//! Messages that end with a line feed, or with another control character.

use core::fmt;
use core::marker::PhantomData;

use super::decode::Decode;
use super::encode::{self, Head};
use super::spans::{Spans, before_line_feed};
use super::{BYTE_ORDER_MARK, Found, Frame, FrameErrorKind};
use crate::copy::copy;
use crate::error::{Error, ErrorKind};

/// A message is a line: the stdio transport of the Model Context Protocol, JSON Lines.
///
/// A line ends with LF or CRLF, which are not part of the message. Lines of white space alone are ignored. The last
/// line of the stream may lack its line end. A terminal may end lines with CR alone: see [`Delimited`] for these and other ends.
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
pub type Lines = Delimited<LineFeed>;

/// The control characters that end the messages of [`Delimited`]. None of them can stand raw in a JSON string, and HT, LF and CR only between
/// tokens (RFC 8259 §2, §7), so that none ends a message early.
pub trait Delimiter {
    /// The characters that end a message, each below U+0020. With LF and not CR, a CR before the LF belongs to the end.
    const ENDS: &'static [u8];

    /// The bytes after a written message; by default the first of [`ENDS`](Self::ENDS). One of them must be in `ENDS`.
    const TAIL: &'static [u8] = match Self::ENDS {
        [first, ..] => core::slice::from_ref(first),
        [] => &[],
    };

    /// Whether U+2028 and U+2029 are written as the escapes `\u2028` and `\u2029`, also in raw values that are passed on: for peers that take
    /// them for line ends, such as the `readline` of Node.
    ///
    /// An escape has 6 bytes instead of 3. A connection reserves room for a message that consists of them, so an outgoing message has at
    /// most half of the output.
    const ESCAPES_LINE_SEPARATORS: bool = false;
}

/// LF: the delimiter of [`Lines`].
#[derive(Clone, Copy, Debug)]
pub struct LineFeed;

impl Delimiter for LineFeed {
    const ENDS: &'static [u8] = b"\n";
}

/// A message ends with one of the control characters of `E`: LF, CR, both, NUL, U+0003, U+001E. [`Lines`] is this frame with LF.
///
/// ```
/// use nanojsonrpc::frame::{Delimited, Delimiter, Frame, Framer, Head, LineFeed};
///
/// /// A terminal that ends a line with CR, LF or both.
/// struct AnyLineEnd;
///
/// impl Delimiter for AnyLineEnd {
///     const ENDS: &'static [u8] = b"\r\n";
///     const TAIL: &'static [u8] = b"\r\n";
/// }
///
/// let mut framer = Framer::<Delimited<AnyLineEnd>, 16>::new();
/// framer.push(b"{\"id\":1}\r[2]\r\n");
/// assert_eq!(framer.next(), Some(Ok(&b"{\"id\":1}"[..])));
/// assert_eq!(framer.next(), Some(Ok(&b"[2]"[..])));
///
/// let mut wire = [0; 16];
/// assert_eq!(Delimited::<AnyLineEnd>::encode(b"{\"id\":1}", &mut wire), Ok(10));
/// assert_eq!(&wire[..10], b"{\"id\":1}\r\n");
/// assert!(LineFeed::TAIL == b"\n" && AnyLineEnd::TAIL.len() <= Head::MAX_TAIL_LEN);
/// ```
///
/// # Limits, errors and recovery
/// As [`Lines`], with an end in place of the LF. The tail: [`MAX_TAIL_LEN`](Head::MAX_TAIL_LEN) bytes, checked by the compiler.
pub struct Delimited<E> {
    /// Whether the frame drops the rest of a message that is too long.
    is_dropping: bool,
    delimiter: PhantomData<fn() -> E>,
}

impl<E: Delimiter> Delimited<E> {
    /// A bit for each character that ends a message.
    const ENDS: u32 = {
        let (mut mask, mut rest) = (0, E::ENDS);
        while let [byte, tail @ ..] = rest {
            assert!(*byte < b' ', "a JSON text may contain this byte, so it ends no message");
            mask |= 1 << *byte;
            rest = tail;
        }
        let (mut tail, mut has_end) = (E::TAIL, false);
        assert!(tail.len() <= Head::MAX_TAIL_LEN, "the tail is too long");
        while let [byte, rest @ ..] = tail {
            has_end |= *byte < b' ' && mask & 1 << *byte != 0;
            tail = rest;
        }
        assert!(has_end, "the tail must end a message");
        mask
    };

    /// The number of bytes before the first end, or of all bytes.
    fn before_end(bytes: &[u8]) -> usize {
        if Self::ENDS == encode::LINE_FEED {
            return before_line_feed(bytes);
        }
        bytes.iter().take_while(|byte| !encode::is_in(Self::ENDS, **byte)).count()
    }
}

impl<E: Delimiter> Decode for Delimited<E> {
    const NEW: Self = Self { is_dropping: false, delimiter: PhantomData };
    const IS_BARE: bool = true;

    fn step(&mut self, bytes: &mut [u8], limit: usize, spans: &mut Spans) -> Option<Found> {
        loop {
            let unread = spans.unread(bytes);
            let len = Self::before_end(unread);
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
                if let Some(found) = line(bytes, spans, true) {
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
        line(bytes, spans, false)
    }
}

impl<E: Delimiter> Frame for Delimited<E> {
    type Item<'b>
        = &'b [u8]
    where
        E: 'b;

    const ESCAPES_LINE_SEPARATORS: bool = E::ESCAPES_LINE_SEPARATORS;

    fn head(_: usize) -> Head {
        Head::NONE
    }

    fn tail() -> &'static [u8] {
        E::TAIL
    }

    fn encode(message: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let (place, mut len) = encode::around(b"", message, b"", out)?;
        Self::replace_line_ends(out.get_mut(place).unwrap_or_default());
        if E::ESCAPES_LINE_SEPARATORS {
            len = encode::escape_line_separators(out, len);
        }
        let full = Error::new(ErrorKind::OutputFull, out.len());
        let end = len.wrapping_add(E::TAIL.len());
        copy(E::TAIL, out.get_mut(len..end).ok_or(full)?);
        Ok(end)
    }

    fn replace_line_ends(message: &mut [u8]) {
        encode::replace(message, const { encode::line_ends(Self::ENDS) });
    }

    fn item<'b>(&'b self, message: &'b [u8]) -> &'b [u8] {
        message
    }
}

impl<E> Clone for Delimited<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Delimited<E> {}

impl<E> fmt::Debug for Delimited<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delimited").field("is_dropping", &self.is_dropping).finish_non_exhaustive()
    }
}

#[cfg(feature = "defmt")]
impl<E> defmt::Format for Delimited<E> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Delimited {{ is_dropping: {} }}", self.is_dropping);
    }
}

/// The stored line, unless it is blank. `is_ended`: whether its end is the next byte. Not inlined, for devices: it has two callers, each
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
    let is_blank = line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    let start = spans.start();
    let end = start.wrapping_add(line.len());
    spans.drop(usize::from(is_ended));
    if is_blank { None } else { Some(Ok(start..end)) }
}

#[cfg(test)]
mod tests {
    use super::{Decode, Lines};

    #[test]
    fn a_copy_is_in_the_same_state() {
        let lines = Lines { is_dropping: true, ..Lines::NEW };
        assert!(Clone::clone(&lines).is_dropping);
    }
}
