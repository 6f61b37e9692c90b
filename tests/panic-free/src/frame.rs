//! Messages in a stream.

use nanojsonrpc::frame::{
    Buffer, ContentLength, Delimited, Delimiter, Event, Events, Frame, FrameError, Framer, FramerOver, Lines, Values,
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
