//! Messages in a stream.

use nanojsonrpc::Error;
use nanojsonrpc::frame::{
    Buffer, ContentLength, Decode, Delimited, Delimiter, Event, Events, Found, Frame, FrameError, FrameErrorKind,
    Framer, FramerOver, Head, Lines, Spans, Splitter, Values,
};

use crate::{any, used};

fn frame<F: Frame>(chunk: &[u8], out: &mut [u8]) {
    framed(Framer::<F, 64>::new(), chunk);
    framed(Framer::<F>::over(out), chunk);
    used(F::encode(chunk, out));
    used((F::head(any(chunk)).as_ref(), F::tail()));
    F::replace_line_ends(out);
}

fn framed<F: Frame, B: Buffer>(mut framer: FramerOver<F, B>, chunk: &[u8]) {
    used(framer.push(chunk));
    while let Some(message) = framer.next() {
        message.map_or_else(error, |message| used(message.as_ref()));
    }
    used(framer.spare().len());
    framer.filled(any(chunk));
    while let Some(message) = framer.finish() {
        message.map_or_else(error, |message| used(message.as_ref()));
    }
    used(framer.is_over());
    framer.clear();
    used(framer.frame());
}

#[unsafe(no_mangle)]
pub fn split(chunk: &mut [u8]) {
    let mut splitter = Splitter::<Events>::new();
    used(splitter.next(chunk, any(chunk)));
    used(splitter.kept(chunk));
    used(splitter.finish(chunk, any(chunk)));
    used((splitter.is_over(), splitter.frame()));
}

fn error(error: FrameError) {
    used((error.kind(), error.offset(), error.kind().is_limit(), error.kind().as_str(), error.loses_message()));
}

#[unsafe(no_mangle)]
pub fn lines(chunk: &[u8], out: &mut [u8]) {
    frame::<Lines>(chunk, out);
}

struct Separators;

impl Delimiter for Separators {
    const ENDS: &'static [u8] = b"\0\x1E\r";
    const ESCAPES_LINE_SEPARATORS: bool = true;
}

#[unsafe(no_mangle)]
pub fn delimited(chunk: &[u8], out: &mut [u8]) {
    frame::<Delimited<Separators>>(chunk, out);
}

/// A frame of the program's own: a length before each message. It stores every second byte in another way, for the sake of all methods.
struct Short {
    missing: Option<u8>,
}

impl Decode for Short {
    const NEW: Self = Self { missing: None };

    fn step(&mut self, bytes: &mut [u8], limit: usize, spans: &mut Spans) -> Option<Found> {
        loop {
            let byte = *spans.unread(bytes).first()?;
            let Some(missing) = self.missing else {
                self.missing = Some(byte);
                spans.drop(1);
                continue;
            };
            match missing & 3 {
                0 => spans.keep(1),
                1 => spans.append(bytes, 1),
                _ => {
                    spans.pass(1);
                    spans.append_byte(bytes, byte);
                }
            }
            self.missing = missing.checked_sub(1);
            if self.missing.is_none() {
                used(spans.message(bytes));
                return Some(Ok(spans.take()));
            }
            if spans.len() >= limit {
                spans.drop(0);
                return Some(Err(spans.error(FrameErrorKind::TooLong, 0)));
            }
        }
    }

    fn end(&mut self, _: &mut [u8], spans: &mut Spans) -> Option<Found> {
        self.missing.take().map(|_| Err(spans.error(FrameErrorKind::Malformed, 0)))
    }
}

impl Frame for Short {
    type Item<'b> = &'b [u8];

    const MAX_MESSAGE_LEN: usize = 255;

    fn head(len: usize) -> Head {
        used(Error::output_full(len).kind());
        Head::new([any(&[]) as u8])
    }

    fn tail() -> &'static [u8] {
        b"\0"
    }

    fn replace_line_ends(_: &mut [u8]) {}

    fn item<'b>(&'b self, message: &'b [u8]) -> &'b [u8] {
        message
    }
}

#[unsafe(no_mangle)]
pub fn own_frame(chunk: &[u8], out: &mut [u8]) {
    frame::<Short>(chunk, out);
    used(Short::encode_in_place(out));
}

#[unsafe(no_mangle)]
pub fn content_length(chunk: &[u8], out: &mut [u8]) {
    frame::<ContentLength>(chunk, out);
}

#[unsafe(no_mangle)]
pub fn values(chunk: &[u8], out: &mut [u8]) {
    frame::<Values>(chunk, out);
}

#[unsafe(no_mangle)]
pub fn events(chunk: &[u8], out: &mut [u8]) {
    frame::<Events>(chunk, out);
    let mut framer = Framer::<Events<8, 8>, 64>::new();
    framer.push(chunk);
    while let Some(event) = framer.next() {
        used(event.map(|event: Event<'_>| event.encode(out)));
    }
    used((framer.frame().last_event_id(), framer.frame().retry()));
}
