//! JSON values back to back.

use super::decode::Decode;
use super::encode::Head;
use super::spans::Spans;
use super::{BYTE_ORDER_MARK, Found, Frame, FrameErrorKind};
use crate::error::ErrorKind;
use crate::json::{Incremental, RawValue};

/// A message is a JSON value; white space or nothing separates two values: a bare socket, a peer that sends no LF.
///
/// The frame finds the end of a value by validating its bytes as they arrive. So a value is validated with its last
/// byte and returned as a [`RawValue`], and an invalid one is refused at its first wrong byte. Objects, arrays, strings
/// and literals end with their last byte, a number with the byte after it or the end of the stream.
///
/// # Limits
/// A value is at most as long as the buffer, a number one byte less. Nesting: [`MAX_DEPTH`](crate::MAX_DEPTH).
///
/// # Errors and recovery
/// - [`NotJson`](FrameErrorKind::NotJson), with the kind and the byte that [`RawValue::parse`] reports: everything is dropped up to a line
///   that begins with `{` or `[`, even if that bracket is the wrong byte itself. All JSON-RPC messages begin with one of these brackets,
///   and no line within an indented message does.
/// - [`Unseparated`](FrameErrorKind::Unseparated), after the last byte of a whole object that follows a closing bracket in the dropped text, with
///   nothing but white space or control characters between them: the peer sends no LF. The object is dropped, because it may be a part of
///   the broken text, and the stream is over: the framer ignores all further input.
/// - [`TooLong`](FrameErrorKind::TooLong), at the first byte without room: the value is validated up to its end, and dropped.
///   If the rest of it is not JSON, the framer continues as after [`NotJson`](FrameErrorKind::NotJson).
/// - [`ByteOrderMark`](FrameErrorKind::ByteOrderMark): the bytes after it are read next.
/// - [`Truncated`](FrameErrorKind::Truncated) at the end of the stream.
///
/// ```
/// use nanojsonrpc::ErrorKind;
/// use nanojsonrpc::frame::{FrameErrorKind, Framer, Values};
///
/// let mut framer = Framer::<Values, 64>::new();
/// framer.push(b"{\"id\":1}[2] 3 {\"id\":+4}\n{\"id\":5}");
/// let ids: [Option<i64>; 3] = core::array::from_fn(|_| {
///     let value = framer.next()?.ok()?;
///     value.get("id").or(value.element(0)).unwrap_or(value).as_i64()
/// });
/// assert_eq!(ids, [Some(1), Some(2), Some(3)]);
/// let error = framer.next().and_then(Result::err).map(|error| (error.kind(), error.offset()));
/// assert_eq!(error, Some((FrameErrorKind::NotJson(ErrorKind::ExpectedValue), 20)));
/// assert_eq!(framer.next().and_then(Result::ok).map(|value| value.as_bytes()), Some(&b"{\"id\":5}"[..]));
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Values {
    value: Incremental,
    state: State,
    /// Whether the last byte that was read in a value or in a search is a LF.
    is_at_line: bool,
    /// The number of bytes read of a byte order mark.
    marked: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum State {
    Keep,
    /// Drops a value that is too long.
    Skip,
    /// Searches for the next value after an error.
    Seek,
    /// The same, behind a closing bracket.
    SeekBehind,
    /// Drops an object behind that bracket.
    Unseparated,
    /// After [`Unseparated`](FrameErrorKind::Unseparated), ignores all input.
    Over,
}

impl Values {
    /// Drops the bytes before the line where reading resumes; `None` if that line has not arrived.
    fn seek(&mut self, bytes: &[u8], spans: &mut Spans) -> Option<()> {
        loop {
            let byte = spans.unread(bytes).first()?;
            if self.is_at_line && matches!(byte, b'{' | b'[') {
                self.state = State::Keep;
                return Some(());
            }
            self.is_at_line = *byte == b'\n';
            match byte {
                b'{' if self.state == State::SeekBehind => {
                    self.state = State::Unseparated;
                    return Some(());
                }
                b'}' | b']' => self.state = State::SeekBehind,
                // a separator, or the bracket of a batch
                0..=b' ' | b'[' => {}
                _ => self.state = State::Seek,
            }
            spans.drop(1);
        }
    }

    /// Drops white space and a byte order mark before the value; `None` if the value has not arrived.
    fn begin(&mut self, bytes: &[u8], spans: &mut Spans) -> Option<Result<(), FrameErrorKind>> {
        loop {
            let byte = spans.unread(bytes).first()?;
            if BYTE_ORDER_MARK.get(usize::from(self.marked)) == Some(byte) {
                self.marked = self.marked.wrapping_add(1);
            } else if self.marked != 0 {
                return Some(Err(FrameErrorKind::NotJson(ErrorKind::ExpectedValue)));
            } else if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(Ok(()));
            }
            spans.drop(1);
            if usize::from(self.marked) == BYTE_ORDER_MARK.len() {
                return Some(Err(FrameErrorKind::ByteOrderMark));
            }
        }
    }
}

impl Decode for Values {
    const NEW: Self = Self { value: Incremental::NEW, state: State::Keep, is_at_line: false, marked: 0 };
    const IS_BARE: bool = true;

    fn step(&mut self, bytes: &mut [u8], limit: usize, spans: &mut Spans) -> Option<Found> {
        loop {
            if self.value.is_new() {
                // the front of a refused value
                spans.drop(0);
                match self.state {
                    State::Seek | State::SeekBehind => self.seek(bytes, spans)?,
                    State::Over => {
                        spans.drop(spans.unread(bytes).len());
                        return None;
                    }
                    _ => {}
                }
                if let Err(kind) = self.begin(bytes, spans)? {
                    let error = spans.error(kind, usize::from(self.marked));
                    if kind != FrameErrorKind::ByteOrderMark {
                        self.state = State::Seek;
                    }
                    self.marked = 0;
                    return Some(Err(error));
                }
            }
            let unread = spans.unread(bytes);
            let (len, outcome) = self.value.take(unread);
            if let Some(last) = unread.get(..len).and_then(<[u8]>::last) {
                self.is_at_line = *last == b'\n';
            }
            let is_kept = self.state == State::Keep;
            if is_kept {
                spans.keep(len)
            } else {
                spans.drop(len)
            }
            match outcome {
                Some(outcome) => {
                    self.value = Incremental::NEW;
                    if outcome.is_err() {
                        self.state = State::Seek;
                    } else if self.state == State::Unseparated {
                        self.state = State::Over;
                        return Some(Err(spans.error(FrameErrorKind::Unseparated, 0)));
                    } else {
                        self.state = State::Keep;
                    }
                    if is_kept {
                        return Some(match outcome {
                            Ok(()) => Ok(spans.take()),
                            Err(kind) => Err(spans.error(FrameErrorKind::NotJson(kind), 0)),
                        });
                    }
                }
                None if is_kept && spans.len() >= limit => {
                    self.state = State::Skip;
                    return Some(Err(spans.error(FrameErrorKind::TooLong, 0)));
                }
                None => return None,
            }
        }
    }

    fn end(&mut self, _: &mut [u8], spans: &mut Spans) -> Option<Found> {
        if self.is_over() {
            return None;
        }
        let Self { value, state, marked, .. } = core::mem::replace(self, Self::NEW);
        if marked != 0 {
            return Some(Err(spans.error(FrameErrorKind::NotJson(ErrorKind::ExpectedValue), usize::from(marked))));
        }
        if state != State::Keep || value.is_new() {
            return None;
        }
        Some(if value.is_number() { Ok(spans.take()) } else { Err(spans.error(FrameErrorKind::Truncated, 0)) })
    }
}

impl Frame for Values {
    type Item<'b> = RawValue<'b>;

    fn head(_: usize) -> Head {
        Head::NONE
    }

    /// A line feed. It separates numbers, and a reader resumes there after an error.
    fn tail() -> &'static [u8] {
        b"\n"
    }

    /// Does nothing, because no byte of a message breaks this frame.
    fn replace_line_ends(_: &mut [u8]) {}

    fn is_over(&self) -> bool {
        self.state == State::Over
    }

    fn item<'b>(&'b self, message: &'b [u8]) -> RawValue<'b> {
        RawValue::validated(message, message)
    }
}
