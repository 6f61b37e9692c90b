//! A stream, cut into chunks: its messages and its framing errors.

use nanojsonrpc::frame::{
    ContentLength, Delimited, Delimiter, Event, Events, Frame, FrameError, FrameErrorKind, Framer, FramerOver, Lines,
    Values,
};
use nanojsonrpc::{Dialect, Envelopes, ErrorObject, Id, Response};

use crate::out::Out;
use crate::spans::END;

/// A stream, and how it arrives.
#[derive(Clone, Copy)]
pub(crate) struct Cut<'a> {
    pub(crate) stream: &'a [u8],
    pub(crate) chunk: usize,
    pub(crate) dialect: Dialect,
}

/// The most messages that are written; the others are counted.
const SHOWN: usize = 500;

/// A frame, and access to its items.
trait Look: Frame + 'static {
    /// The message, and the event that it came in.
    fn look<'b>(item: Self::Item<'b>) -> (&'b [u8], Option<Event<'b>>);
}

/// The ends of messages of terminals and devices: CR, LF, NUL, U+0003 and U+001E.
struct AnyEnd;

impl Delimiter for AnyEnd {
    const ENDS: &'static [u8] = b"\n\r\0\x03\x1e";
}

impl Look for Delimited<AnyEnd> {
    fn look<'b>(message: Self::Item<'b>) -> (&'b [u8], Option<Event<'b>>) {
        (message, None)
    }
}

impl Look for Lines {
    fn look<'b>(line: Self::Item<'b>) -> (&'b [u8], Option<Event<'b>>) {
        (line, None)
    }
}

impl Look for ContentLength {
    fn look<'b>(message: Self::Item<'b>) -> (&'b [u8], Option<Event<'b>>) {
        (message, None)
    }
}

impl Look for Events {
    fn look<'b>(event: Self::Item<'b>) -> (&'b [u8], Option<Event<'b>>) {
        (event.data, Some(event))
    }
}

impl Look for Values {
    fn look<'b>(value: Self::Item<'b>) -> (&'b [u8], Option<Event<'b>>) {
        (value.as_bytes(), None)
    }
}

/// A framer of any frame, as a trait object: the loop over a stream is linked once.
trait Feed {
    /// Copies the bytes that fit.
    fn push(&mut self, chunk: &[u8]) -> usize;

    /// Appends the next message or error; `false` if more bytes are needed, or after the last message.
    fn take(&mut self, has_ended: bool, at: usize, items: &mut Items<'_>) -> bool;
}

impl<F: Look> Feed for FramerOver<F, &mut [u8]> {
    fn push(&mut self, chunk: &[u8]) -> usize {
        self.push(chunk)
    }

    fn take(&mut self, has_ended: bool, at: usize, items: &mut Items<'_>) -> bool {
        let item = if has_ended { self.finish() } else { self.next() };
        item.map(|item| items.push(item.map(F::look), at)).is_some()
    }
}

/// Writes the messages and errors in their order, and behind them [`END`] and their number; returns the length.
///
/// A message is 0, the number of bytes read when it was complete, the span of its text in `messages`, and the numbers of accepted
/// and refused messages in it; with events also the spans of the event's name and id. An error is 1, its offset, its [`kind`], and
/// the answer.
pub(crate) fn frames(cut: Cut<'_>, frame: u32, buffer: &mut [u8], messages: &mut [u8], output: &mut [u8]) -> usize {
    let mut items = Items { total: 0, dialect: cut.dialect, texts: Out::new(messages), out: Out::new(output) };
    match frame {
        1 => all(cut, &mut Framer::<ContentLength>::over(buffer), &mut items),
        2 => all(cut, &mut Framer::<Events>::over(buffer), &mut items),
        3 => all(cut, &mut Framer::<Values>::over(buffer), &mut items),
        4 => all(cut, &mut Framer::<Delimited<AnyEnd>>::over(buffer), &mut items),
        _ => all(cut, &mut Framer::<Lines>::over(buffer), &mut items),
    }
    items.out.word(END);
    items.out.words(&[items.total]);
    items.out.len()
}

fn all(cut: Cut<'_>, framer: &mut dyn Feed, items: &mut Items<'_>) {
    let mut at = 0usize;
    let mut rest = cut.stream;
    while !rest.is_empty() {
        let mut chunk;
        (chunk, rest) = rest.split_at_checked(cut.chunk).unwrap_or((rest, &[]));
        while !chunk.is_empty() {
            let taken = framer.push(chunk);
            at = at.wrapping_add(taken);
            chunk = chunk.get(taken..).unwrap_or_default();
            while framer.take(false, at, items) {}
            if taken == 0 {
                // a buffer of no bytes
                return;
            }
        }
    }
    while framer.take(true, at, items) {}
}

/// The received bytes.
struct Items<'o> {
    total: usize,
    dialect: Dialect,
    texts: Out<'o>,
    out: Out<'o>,
}

impl Items<'_> {
    /// Appends a message that was complete after `at` bytes, or an error.
    fn push(&mut self, item: Result<(&[u8], Option<Event<'_>>), FrameError>, at: usize) {
        self.total = self.total.wrapping_add(1);
        if self.total > SHOWN {
            return;
        }
        match item {
            Ok((message, event)) => {
                self.out.words(&[0, at]);
                self.keep(message);
                let (mut accepted, mut refused) = (0, 0usize);
                for envelope in Envelopes::new(message, self.dialect) {
                    let count = if envelope.is_ok() { &mut accepted } else { &mut refused };
                    *count = count.wrapping_add(1);
                }
                self.out.words(&[accepted, refused]);
                if let Some(event) = event {
                    self.keep(event.event);
                    self.keep(event.id);
                }
            }
            Err(error) => self.wrong(error),
        }
    }

    /// Copies a text, as far as it fits, and appends its span.
    fn keep(&mut self, text: &[u8]) {
        let start = self.texts.len();
        self.texts.bytes(text);
        self.out.words(&[start, self.texts.len()]);
    }

    fn wrong(&mut self, error: FrameError) {
        // a stream of the page has fewer than 2^32 bytes
        self.out.words(&[1, error.offset() as usize]);
        self.out.word(kind(error.kind()));
        let mut answer = [0; 256];
        let object = Option::<ErrorObject<'static>>::from(error);
        let len = object.and_then(|object| Response::error(Id::Null, object).write(&mut answer).ok());
        self.out.text(answer.get(..len.unwrap_or(0)).unwrap_or_default());
    }
}

/// The place of the kind in the page's list. A value that is no JSON has the kinds of texts.
const fn kind(kind: FrameErrorKind) -> u32 {
    match kind {
        FrameErrorKind::NotJson(kind) => kind as u32,
        FrameErrorKind::TooLong => 100,
        FrameErrorKind::HeaderTooLong => 101,
        FrameErrorKind::EventIdTooLong => 102,
        FrameErrorKind::EventNameTooLong => 103,
        FrameErrorKind::Truncated => 104,
        FrameErrorKind::InvalidHeader => 105,
        FrameErrorKind::InvalidLength => 106,
        FrameErrorKind::MissingLength => 107,
        FrameErrorKind::RepeatedLength => 108,
        FrameErrorKind::LengthTooLarge => 109,
        FrameErrorKind::ByteOrderMark => 110,
        FrameErrorKind::Unseparated => 111,
        FrameErrorKind::OtherProtocol => 112,
        _ => u32::MAX,
    }
}
