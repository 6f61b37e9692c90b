//! Messages that follow a header with their length.

use super::decode::Decode;
use super::encode::{Head, digits};
use super::spans::Spans;
use super::{BYTE_ORDER_MARK, Found, Frame, FrameErrorKind};
use crate::ascii::is_token;

/// The name of the header with its colon, in lower case.
const NAME: &[u8] = b"content-length:";

/// A header before each message declares its length: the base protocol of the Language Server Protocol.
///
/// The header section is lines of `name: value` and an empty line; one of them is `Content-Length`, a row of digits.
/// Names are compared without regard to case; other headers are ignored. Lines end with CRLF, or LF alone, or CR CR LF, as a program
/// writes CRLF to a stream in the text mode of Windows. Empty lines before the section are ignored (RFC 9112 §2.2). Headers take no room in the buffer. A length of 0 is a message
/// of no bytes.
///
/// # Limits
/// Message: the length of the buffer. Header section: [`MAX_HEADER_LEN`](Self::MAX_HEADER_LEN).
///
/// # Errors and recovery
/// - [`TooLong`](FrameErrorKind::TooLong), at the last byte of the header section, once the front of the message has filled the buffer: the
///   length is at most `u32::MAX` but over that of the buffer. The framer drops that many bytes.
/// - [`InvalidHeader`](FrameErrorKind::InvalidHeader), [`HeaderTooLong`](FrameErrorKind::HeaderTooLong),
///   [`MissingLength`](FrameErrorKind::MissingLength), [`RepeatedLength`](FrameErrorKind::RepeatedLength),
///   [`InvalidLength`](FrameErrorKind::InvalidLength), [`LengthTooLarge`](FrameErrorKind::LengthTooLarge): the start of the next message is
///   unknown. `MissingLength` is at the first byte of its header section, the others at the first wrong byte. The framer drops everything up to the next `Content-Length:` with digits and a line end. It searches anywhere in a line,
///   because a body does not end with a line end. No valid JSON text contains these bytes: in a string, the line end would be a raw control
///   character; outside of strings, the name is not a literal. Headers before this `Content-Length` are lost.
/// - [`ByteOrderMark`](FrameErrorKind::ByteOrderMark) before a header section: that section is read next.
/// - [`Truncated`](FrameErrorKind::Truncated) at the end of the stream.
///
/// Source: LSP 3.17, base protocol; RFC 9110 §5.1, §8.6.
///
/// ```
/// use nanojsonrpc::frame::{ContentLength, FrameErrorKind, Framer};
///
/// let mut framer = Framer::<ContentLength, 128>::new();
/// framer.push(b"content-length: 2\r\nContent-Type: x\r\n\r\n{}Content-Length: 18446744073709551615\r\n\r\n");
/// assert_eq!(framer.next(), Some(Ok(&b"{}"[..])));
/// let error = framer.next().and_then(Result::err).map(|error| (error.kind(), error.offset()));
/// assert_eq!(error, Some((FrameErrorKind::LengthTooLarge, 66)));
/// framer.push(b"{\"id\":1}Content-Length: 8\r\n\r\n{\"id\":2}");
/// assert_eq!(framer.next(), Some(Ok(&b"{\"id\":2}"[..])));
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ContentLength {
    state: State,
    /// Whether an error has been reported and no header found since.
    is_lost: bool,
    has_length: bool,
    /// The number of bytes read of [`NAME`], or of a byte order mark.
    matched: u8,
    /// The length of the header section so far.
    header_len: u16,
    /// The length in the header; in the body, the number of missing bytes.
    length: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum State {
    /// At the front of a line of the header section.
    Line,
    /// In a byte order mark.
    Mark,
    /// In the name of a header.
    Name,
    /// In the value of another header.
    Other,
    /// Before the digits.
    Length,
    Digits,
    /// After the digits.
    Behind,
    /// After the CR of the line with the length.
    LineEnd,
    /// After the CR of an empty line.
    SectionEnd,
    Body,
    /// In a body that is too long.
    Skip,
    /// Searches for a header after an error.
    Seek,
}

impl ContentLength {
    /// The maximum length of a header section in bytes, with its line ends.
    ///
    /// ```
    /// use nanojsonrpc::frame::{ContentLength, FrameErrorKind, Framer};
    ///
    /// let mut framer = Framer::<ContentLength, 64>::new();
    /// let mut kind = None;
    /// for _ in 0..=ContentLength::MAX_HEADER_LEN {
    ///     framer.push(b"x");
    ///     kind = kind.or(framer.next().and_then(|found| found.err()).map(|error| error.kind()));
    /// }
    /// assert!(matches!(kind, Some(FrameErrorKind::HeaderTooLong | FrameErrorKind::InvalidHeader)));
    /// ```
    pub const MAX_HEADER_LEN: usize = 1024;

    /// Compares `byte` with the next one of [`NAME`], and returns whether the name is complete. `restart`: whether the
    /// name may begin anywhere.
    fn match_name(&mut self, byte: u8, restart: bool) -> bool {
        let byte = byte.to_ascii_lowercase();
        if NAME.get(usize::from(self.matched)) == Some(&byte) {
            self.matched = self.matched.wrapping_add(1);
        } else {
            // the first byte of the name occurs nowhere else in it
            self.matched = if restart { u8::from(byte == b'c') } else { u8::MAX };
        }
        usize::from(self.matched) == NAME.len()
    }

    /// Begins a line of the header section.
    fn line(&mut self) {
        self.state = State::Line;
        self.matched = 0;
    }

    fn section(&mut self) {
        self.line();
        self.header_len = 0;
        self.has_length = false;
        self.length = 0;
    }

    /// Begins the search for a header; `byte` may be its first byte.
    fn seek(&mut self, byte: u8) {
        self.section();
        self.state = State::Seek;
        self.is_lost = true;
        self.match_name(byte, true);
    }

    /// Reads one byte outside of a body.
    fn header(&mut self, byte: u8) -> Result<(), FrameErrorKind> {
        use FrameErrorKind::{HeaderTooLong, InvalidHeader, InvalidLength, LengthTooLarge, RepeatedLength};
        if self.state == State::Seek {
            if self.match_name(byte, true) {
                self.state = State::Length;
            }
            return Ok(());
        }
        self.header_len = self.header_len.wrapping_add(1);
        if usize::from(self.header_len) > Self::MAX_HEADER_LEN {
            return Err(HeaderTooLong);
        }
        match (self.state, byte) {
            // field-line = field-name ":" OWS field-value OWS, CRLF
            // CR CR LF: a program that writes CRLF to a stream in the text mode of Windows
            (State::Line | State::SectionEnd, b'\r') => {
                self.state = State::SectionEnd;
                // an empty line before the section is no part of it
                if self.header_len == 1 {
                    self.header_len = 0;
                }
            }
            (State::Line | State::SectionEnd, b'\n') => return self.section_end(),
            (State::Line, 0xEF) if self.header_len == 1 => {
                self.state = State::Mark;
                self.matched = 1;
            }
            (State::Mark, _) if BYTE_ORDER_MARK.get(usize::from(self.matched)) == Some(&byte) => {
                self.matched = self.matched.wrapping_add(1);
                if usize::from(self.matched) == BYTE_ORDER_MARK.len() {
                    self.section();
                    return Err(FrameErrorKind::ByteOrderMark);
                }
            }
            (State::Name, b':') if self.match_name(byte, false) => {
                if self.has_length {
                    return Err(RepeatedLength);
                }
                self.state = State::Length;
            }
            (State::Name, b':') => self.state = State::Other,
            (State::Line | State::Name, _) if is_token(byte) => {
                self.state = State::Name;
                self.match_name(byte, false);
            }
            (State::Other, b'\n') => self.line(),
            (State::Other, _) => {}
            // Content-Length = 1*DIGIT
            (State::Length | State::Behind, b' ' | b'\t') => {}
            (State::Digits, b' ' | b'\t') => self.state = State::Behind,
            (State::Length | State::Digits, b'0'..=b'9') => {
                let digit = u32::from(byte.wrapping_sub(b'0'));
                let longer = self.length.checked_mul(10).and_then(|length| length.checked_add(digit));
                self.length = longer.ok_or(LengthTooLarge)?;
                self.state = State::Digits;
            }
            (State::Digits | State::Behind | State::LineEnd, b'\r') => self.state = State::LineEnd,
            (State::Digits | State::Behind | State::LineEnd, b'\n') => {
                self.line();
                self.has_length = true;
                self.is_lost = false;
            }
            (State::Length | State::Digits | State::Behind, _) => return Err(InvalidLength),
            _ => return Err(InvalidHeader),
        }
        Ok(())
    }

    /// Ends the header section, after its empty line.
    fn section_end(&mut self) -> Result<(), FrameErrorKind> {
        if !self.has_length {
            if self.header_len != 1 {
                return Err(FrameErrorKind::MissingLength);
            }
            self.section();
            return Ok(());
        }
        self.state = State::Body;
        Ok(())
    }
}

impl Decode for ContentLength {
    const NEW: Self =
        Self { state: State::Line, is_lost: false, has_length: false, matched: 0, header_len: 0, length: 0 };
    const IS_BARE: bool = true;

    fn step(&mut self, bytes: &mut [u8], limit: usize, spans: &mut Spans) -> Option<Found> {
        loop {
            let unread = spans.unread(bytes);
            if let State::Body | State::Skip = self.state {
                let wanted = usize::try_from(self.length).unwrap_or(usize::MAX);
                let len = unread.len().min(wanted);
                // `len` is at most `length`
                self.length = self.length.wrapping_sub(u32::try_from(len).unwrap_or_default());
                let is_body = self.state == State::Body;
                if is_body {
                    spans.keep(len)
                } else {
                    spans.drop(len)
                }
                if self.length != 0 {
                    let stored = spans.len();
                    if is_body && stored >= limit {
                        // the next step drops the front of the body, which is still shown as lost
                        self.state = State::Skip;
                        return Some(Err(spans.error(FrameErrorKind::TooLong, stored.wrapping_add(1))));
                    }
                    return None;
                }
                self.section();
                if is_body {
                    return Some(Ok(spans.take()));
                }
                continue;
            }
            let byte = *unread.first()?;
            spans.drop(1);
            let Err(kind) = self.header(byte) else { continue };
            let was_lost = self.is_lost;
            let back = match kind {
                FrameErrorKind::ByteOrderMark => BYTE_ORDER_MARK.len(),
                FrameErrorKind::MissingLength => self.header_len.into(),
                _ => 1,
            };
            if kind != FrameErrorKind::ByteOrderMark {
                self.seek(byte);
            }
            if !was_lost {
                return Some(Err(spans.error(kind, back)));
            }
        }
    }

    fn end(&mut self, _: &mut [u8], spans: &mut Spans) -> Option<Found> {
        let is_between = match self.state {
            State::Line => self.header_len == 0,
            State::Skip | State::Seek => true,
            _ => self.is_lost,
        };
        *self = Self::NEW;
        if is_between { None } else { Some(Err(spans.error(FrameErrorKind::Truncated, 0))) }
    }
}

impl Frame for ContentLength {
    type Item<'b> = &'b [u8];

    fn head(len: usize) -> Head {
        Head::of(&[b"Content-Length: ", digits(len, &mut [0; 20]), b"\r\n\r\n"])
    }

    fn tail() -> &'static [u8] {
        b""
    }

    /// Does nothing, because no byte of a message breaks this frame.
    fn replace_line_ends(_: &mut [u8]) {}

    fn item<'b>(&'b self, message: &'b [u8]) -> &'b [u8] {
        message
    }
}
