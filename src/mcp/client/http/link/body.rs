//! The body of a response, turned into events in place.

use super::events::EventIds;
use super::version::VersionFinder;
use crate::http::{Chunked, number};
use crate::mcp::Revision;
use crate::mcp::client::http::Reply;

/// Drops an event that has no end: its name is too long for a reader, so the reader reports a fault, which ends no call.
const CUT: &[u8] = b"\nevent: this event has no end, and its name is too long for a reader of events\n\n";
/// An empty comment, which lets a deadline be checked between two streams, in a head and in a pause.
pub(super) const COMMENT: &[u8] = b":\n";

/// The way in which a body ends.
#[derive(Clone, Copy, Debug)]
enum Framing {
    /// After this number of bytes.
    Length(u64),
    Chunks(Chunked),
    /// With the stream.
    Stream,
}

/// The reading state of a body.
#[derive(Clone, Debug)]
pub(super) struct Body {
    framing: Framing,
    /// Whether the body is events; otherwise it is one message.
    is_events: bool,
    pub(super) is_complete: bool,
    /// Whether the last byte ended an event, or there was none.
    is_between: bool,
    /// Finds the revision in the answer to `initialize`.
    version: Option<VersionFinder>,
}

impl Body {
    /// The body of a response with the head `reply`, events or one message. `None` if its length is invalid.
    pub(super) fn new(reply: &Reply<'_>, is_events: bool, is_of_initialize: bool) -> Option<Self> {
        let framing = match (reply.transfer_encoding, reply.content_length) {
            // "If a message is received with both [...], the Transfer-Encoding overrides the Content-Length" (RFC 9112 §6.3)
            (Some(coding), _) if coding.eq_ignore_ascii_case(b"chunked") => Framing::Chunks(Chunked::new()),
            (Some(_), _) => return None,
            (None, Some(digits)) => Framing::Length(number(digits)?),
            (None, None) => Framing::Stream,
        };
        let is_complete = matches!(framing, Framing::Length(0));
        let version = is_of_initialize.then(VersionFinder::new);
        Some(Self { framing, is_events, is_complete, is_between: true, version })
    }

    /// What stands before the body in a stream of events.
    pub(super) const fn opening(&self) -> &'static [u8] {
        if self.is_events { b"" } else { b"data: " }
    }

    /// What stands after the body in a stream of events, if the body is whole.
    pub(super) const fn closing(&self) -> &'static [u8] {
        match (self.is_events, self.is_between) {
            (false, _) => b"\n\n",
            (true, true) => COMMENT,
            (true, false) => CUT,
        }
    }

    /// What stands after a part of the body in a stream of events, if no more of it follows.
    pub(super) const fn cut(&self) -> &'static [u8] {
        if self.is_events && self.is_between { b"" } else { CUT }
    }

    /// Decodes the received bytes `piece` in place. Returns the length of the events at its front; `None` if the bytes are no body.
    pub(super) fn decode(&mut self, piece: &mut [u8], ids: &mut EventIds) -> Option<usize> {
        let len = match &mut self.framing {
            Framing::Length(left) => {
                let len = piece.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                *left = left.saturating_sub(len as u64);
                self.is_complete = *left == 0;
                len
            }
            Framing::Chunks(chunked) => {
                let decoded = chunked.decode(piece).ok()?;
                self.is_complete = decoded.is_complete;
                decoded.len
            }
            Framing::Stream => piece.len(),
        };
        for byte in piece.get_mut(..len).unwrap_or_default() {
            if let Some(version) = &mut self.version {
                version.take(*byte);
            }
            if self.is_events {
                self.is_between = ids.take(*byte);
            } else if matches!(byte, b'\r' | b'\n') {
                // white space between the tokens of the message
                *byte = b' ';
            }
        }
        Some(len)
    }

    /// Called at the end of the stream. Returns whether the body may end there.
    pub(super) const fn end(&mut self) -> bool {
        self.is_complete = true;
        self.is_events || matches!(self.framing, Framing::Stream)
    }

    /// The revision in the answer to `initialize`, if it was found.
    pub(super) fn revision(&self) -> Option<Revision> {
        self.version.as_ref()?.found()
    }
}
