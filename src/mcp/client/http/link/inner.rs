//! The state between the steps of an exchange, for the blocking and the asynchronous link.

use core::ops::Range;

use embedded_io::ErrorKind as StreamFault;

use super::HttpError;
use super::body::{Body, COMMENT};
use super::events::EventIds;
use crate::copy::{copy, copy_down};
use crate::error::{Error, ErrorKind};
use crate::json::{RawValue, Writer};
use crate::mcp::client::http::{self as functions, Remote, Reply};
use crate::mcp::method;
use crate::mcp::types::PROTOCOL_VERSION;

/// The event in place of an answer to `server/discover` that an earlier server refuses by a status alone.
const REFUSED: &[u8] =
    b"data: {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"HTTP status 4xx\"},\"id\":null}\n\n";

/// The greatest number of interim responses before a response; the next one counts as the response, so that they have an end.
pub(super) const MAX_INTERIM: u8 = 16;

/// The longest pause in milliseconds between two checks of a deadline.
const MAX_PAUSE: u32 = 1_000;

pub(super) struct Inner<'t, S, const HEAD: usize> {
    pub(super) remote: Remote<'t>,
    pub(super) main: S,
    pub(super) side: S,
    /// A head, written or received, and the bytes that were received after it.
    pub(super) room: [u8; HEAD],
    /// The unread bytes after a head are those from `start` to `end`; in a head, `end` is the end of its received part.
    start: usize,
    pub(super) end: usize,
    step: Step,
    sent: Sent,
    ids: EventIds,
    /// The number of interim responses that may still come before the response.
    interim: u8,
    /// In milliseconds, since the stream broke off.
    waited: u32,
    /// Events to return before the received ones.
    queued: &'static [u8],
    pub(super) listens: bool,
    /// The place of the last head that refused a request.
    pub(super) refused: Range<usize>,
}

/// The state of the main stream.
enum Step {
    /// No response is left to read.
    Idle,
    /// In the head of a response.
    Head,
    /// In a body, whose status is `status`.
    Body { body: Body, status: u16 },
}

/// What the next read has to do.
pub(super) enum Next {
    /// Nothing: these bytes were copied.
    Bytes(usize),
    /// Receive into the room.
    Head,
    /// Receive the body.
    Body,
    /// Wait for this time in milliseconds.
    Pause(u32),
    /// Resume the stream.
    Resume,
}

/// What a write has to do with a message.
pub(super) enum Outgoing<'m> {
    /// Close the response to the cancelled call.
    Close,
    /// Send the head and the message, whose response is to be read.
    Request(Range<usize>, &'m [u8]),
    /// Send the head and the message, which have no answer; `true`: over the second stream.
    Other(Range<usize>, &'m [u8], bool),
}

/// The last request.
#[derive(Clone, Copy, Default)]
struct Sent {
    is_initialize: bool,
    is_discover: bool,
    is_stateless: bool,
    /// The status of its response, if that was no success.
    failed: Option<u16>,
    /// Whether its response is events.
    has_events: bool,
}

impl<'t, S, const HEAD: usize> Inner<'t, S, HEAD> {
    pub(super) const fn new(remote: Remote<'t>, main: S, side: S) -> Self {
        Self {
            remote,
            main,
            side,
            room: [0; HEAD],
            start: 0,
            end: 0,
            step: Step::Idle,
            sent: Sent {
                is_initialize: false,
                is_discover: false,
                is_stateless: false,
                failed: None,
                has_events: false,
            },
            ids: EventIds::new(),
            interim: MAX_INTERIM,
            waited: 0,
            queued: &[],
            listens: false,
            refused: 0..0,
        }
    }

    /// The last head that refused a request.
    pub(super) fn refused(&self) -> &[u8] {
        self.room.get(self.refused.clone()).unwrap_or_default()
    }

    /// Drops what is left of the response.
    pub(super) fn begin(&mut self) {
        self.queued = match core::mem::replace(&mut self.step, Step::Idle) {
            Step::Body { body, .. } => body.cut(),
            // the end of the last event, which the reader may not have received
            Step::Idle | Step::Head => self.queued,
        };
        self.ids.cut();
        (self.start, self.end, self.waited, self.refused) = (0, 0, 0, 0..0);
    }

    /// Drops the response, and what is known of its request.
    pub(super) fn forget_response(&mut self) {
        self.begin();
        (self.sent, self.listens) = (Sent::default(), false);
        self.ids = EventIds::new();
    }

    /// Writes a head behind the received bytes in the room; `put` gets the id of the last event, too. Returns its place.
    pub(super) fn head<E>(
        &mut self,
        put: impl FnOnce(&mut Remote<'t>, &[u8], &mut Writer<'_>) -> Result<(), Error>,
    ) -> Result<Range<usize>, HttpError<E>> {
        let mut out = Writer::new(self.room.get_mut(self.end..).unwrap_or_default());
        match put(&mut self.remote, self.ids.last(), &mut out) {
            Ok(()) => Ok(self.end..self.end.wrapping_add(out.len())),
            Err(error) if error.kind() == ErrorKind::OutputFull => Err(HttpError::HeadTooLong),
            Err(error) => Err(HttpError::Head(error)),
        }
    }

    /// Classifies a message that was framed as an event, and writes its head.
    pub(super) fn outgoing<'m, E>(&mut self, framed: &'m [u8]) -> Result<Outgoing<'m>, HttpError<E>> {
        let text = framed.strip_prefix(b"data: ").and_then(|text| text.strip_suffix(b"\n\n"));
        let text = text.ok_or(HttpError::NotAnEvent)?;
        let message = RawValue::alone_in(text);
        let name = message.get("method").and_then(RawValue::as_str_raw).unwrap_or_default();
        let is_request = !name.is_empty() && message.get("id").is_some();
        if self.sent.is_stateless && name == *method::CANCELLED {
            return Ok(Outgoing::Close);
        }
        if is_request {
            self.forget_response();
            let meta = message.get("params").and_then(|params| params.get("_meta"));
            self.sent = Sent {
                is_initialize: name == *method::INITIALIZE,
                is_discover: name == *method::SERVER_DISCOVER,
                is_stateless: meta.is_some_and(|meta| meta.get(PROTOCOL_VERSION).is_some()),
                ..Sent::default()
            };
            if self.sent.is_initialize {
                self.remote.forget_session();
            }
        }
        let is_aside = !matches!(self.step, Step::Idle);
        if !is_aside {
            (self.start, self.end) = (0, 0);
        }
        // room behind the bytes that are still to be read
        copy_down(&mut self.room, self.start, self.end.saturating_sub(self.start));
        (self.start, self.end) = (0, self.end.wrapping_sub(self.start));
        let head = self.head(|remote, _, out| remote.put_post(message, text.len(), out))?;
        Ok(if is_request { Outgoing::Request(head, text) } else { Outgoing::Other(head, text, is_aside) })
    }

    /// Called when a request was sent.
    pub(super) fn await_head(&mut self) {
        (self.start, self.end, self.step, self.interim) = (0, 0, Step::Head, MAX_INTERIM);
    }

    /// Checks the response to an [`Outgoing::Other`].
    pub(super) fn accept<E>(&mut self) -> Result<(), HttpError<E>> {
        let (reply, _) = reply_in(&self.room, self.refused.clone())?;
        match self.remote.receive(&reply) {
            functions::Body::Unauthorized(status, _) => Err(HttpError::Unauthorized(status)),
            functions::Body::SessionEnded => Err(HttpError::SessionEnded),
            _ if !matches!(reply.status, 200..=299) => Err(HttpError::Status(reply.status)),
            _ => Ok(()),
        }
    }

    /// The next step of a read into `bytes`.
    pub(super) fn next<E>(&mut self, bytes: &mut [u8]) -> Result<Next, HttpError<E>> {
        if bytes.is_empty() {
            return Ok(Next::Bytes(0));
        }
        loop {
            if !self.queued.is_empty() {
                let len = self.queued.len().min(bytes.len());
                let (front, rest) = self.queued.split_at_checked(len).unwrap_or_default();
                copy(front, bytes.get_mut(..len).unwrap_or_default());
                self.queued = rest;
                return Ok(Next::Bytes(len));
            }
            match &mut self.step {
                Step::Idle => {
                    if let Some(next) = self.idle()? {
                        return Ok(next);
                    }
                }
                Step::Head if self.end == HEAD => {
                    self.step = Step::Idle;
                    return Err(HttpError::HeadTooLong);
                }
                Step::Head => return Ok(Next::Head),
                Step::Body { .. } if self.start != self.end => {
                    let rest = self.room.get(self.start..self.end).unwrap_or_default();
                    let len = rest.len().min(bytes.len());
                    copy(rest.get(..len).unwrap_or_default(), bytes.get_mut(..len).unwrap_or_default());
                    self.start = self.start.wrapping_add(len);
                    let len = self.decoded(bytes.get_mut(..len).unwrap_or_default())?;
                    if len != 0 {
                        return Ok(Next::Bytes(len));
                    }
                }
                Step::Body { .. } => return Ok(Next::Body),
            }
        }
    }

    /// What follows when no response is left, although an answer is awaited; `None` if events were queued.
    fn idle<E>(&mut self) -> Result<Option<Next>, HttpError<E>> {
        match self.sent.failed.take() {
            Some(400..=499) if core::mem::take(&mut self.sent.is_discover) => {
                self.queued = REFUSED;
                Ok(None)
            }
            Some(status) => Err(HttpError::Status(status)),
            None if self.sent.is_stateless => Err(HttpError::NoAnswer),
            None if self.can_resume() => Ok(Some(match self.ids.retry().saturating_sub(self.waited) {
                0 => Next::Resume,
                rest => Next::Pause(rest.min(MAX_PAUSE)),
            })),
            None if self.listens => Ok(Some(Next::Resume)),
            None => Err(HttpError::NoAnswer),
        }
    }

    /// Whether a stream that breaks off is resumed.
    fn can_resume(&self) -> bool {
        !self.sent.is_stateless && (!self.ids.last().is_empty() || self.listens && self.sent.has_events)
    }

    /// Whether a stream that ends with this fault has only broken off.
    pub(super) fn survives(&self, fault: StreamFault) -> bool {
        let breaks_off = matches!(fault, StreamFault::ConnectionAborted | StreamFault::ConnectionReset);
        breaks_off && self.sent.has_events && self.can_resume()
    }

    /// Called after a pause.
    pub(super) fn paused(&mut self, milliseconds: u32) {
        self.waited = self.waited.saturating_add(milliseconds);
        self.queued = COMMENT;
    }

    /// Called when no response follows: the stream is not resumed.
    fn not_resumed(&mut self) {
        self.listens = false;
        self.ids = EventIds::new();
    }

    /// Called when `len` bytes of a head were received.
    pub(super) fn head_received<E>(&mut self, len: usize) -> Result<(), HttpError<E>> {
        self.end = self.end.wrapping_add(len);
        let step = core::mem::replace(&mut self.step, Step::Idle);
        let (end, is_complete) = settle(self.room.get_mut(..self.end).unwrap_or_default(), len, &mut self.interim)?;
        self.end = end;
        if !is_complete {
            (self.step, self.queued) = (step, COMMENT);
            return Ok(());
        }
        let (reply, head) = reply_in(&self.room, 0..end)?;
        let status = reply.status;
        self.start = head;
        let is_events = match self.remote.receive(&reply) {
            functions::Body::Message => false,
            functions::Body::Events => true,
            functions::Body::Unauthorized(status, _) => {
                self.refused = 0..head;
                return Err(HttpError::Unauthorized(status));
            }
            functions::Body::SessionEnded => {
                self.not_resumed();
                return Err(HttpError::SessionEnded);
            }
            // "tell the client to stop reconnecting [...] using the HTTP 204 No Content response code" (HTML, Server-sent events)
            functions::Body::Nothing => {
                self.not_resumed();
                return Ok(());
            }
            functions::Body::Failed(status) => {
                self.sent.failed = Some(status);
                self.not_resumed();
                return Ok(());
            }
        };
        let body = Body::new(&reply, is_events, self.sent.is_initialize).ok_or(HttpError::Malformed)?;
        self.queued = body.opening();
        self.sent.has_events = is_events;
        if body.is_complete {
            self.ended(&body, status);
        } else {
            self.step = Step::Body { body, status };
        }
        Ok(())
    }

    /// Called when `len` bytes of a body were received into `bytes`. The events at the front of `bytes` are returned at once.
    pub(super) fn body_received<E>(&mut self, bytes: &mut [u8], len: usize) -> Result<usize, HttpError<E>> {
        if len != 0 {
            return self.decoded(bytes.get_mut(..len).unwrap_or_default());
        }
        if let Step::Body { mut body, status } = core::mem::replace(&mut self.step, Step::Idle) {
            if !body.end() {
                self.queued = body.cut();
                return Err(HttpError::Malformed);
            }
            self.ended(&body, status);
        }
        Ok(0)
    }

    /// Decodes received bytes in place. Returns the length of the events at their front.
    fn decoded<E>(&mut self, bytes: &mut [u8]) -> Result<usize, HttpError<E>> {
        let Step::Body { body, status } = &mut self.step else { return Ok(0) };
        let Some(len) = body.decode(bytes, &mut self.ids) else {
            self.queued = body.cut();
            self.step = Step::Idle;
            return Err(HttpError::Malformed);
        };
        if let Some(revision) = body.revision() {
            self.remote.set_revision(revision);
        }
        if body.is_complete {
            let status = *status;
            if let Step::Body { body, .. } = core::mem::replace(&mut self.step, Step::Idle) {
                self.ended(&body, status);
            }
        }
        Ok(len)
    }

    /// Called at the end of a body.
    fn ended(&mut self, body: &Body, status: u16) {
        self.queued = body.closing();
        if status >= 400 {
            self.sent.failed = Some(status);
        }
    }
}

/// The complete head at `place`, and its length.
fn reply_in<E>(room: &[u8], place: Range<usize>) -> Result<(Reply<'_>, usize), HttpError<E>> {
    Reply::parse(room.get(place).unwrap_or_default()).ok().flatten().ok_or(HttpError::Malformed)
}

/// Drops the interim responses in front of the head in `received`, whose last `len` bytes are new. Returns the length of the rest, and whether
/// the head is complete.
pub(super) fn settle<E>(received: &mut [u8], len: usize, interim: &mut u8) -> Result<(usize, bool), HttpError<E>> {
    let mut end = received.len();
    loop {
        match Reply::parse(received.get(..end).unwrap_or_default()) {
            Ok(None) if len != 0 => return Ok((end, false)),
            // an interim response: the next one follows
            Ok(Some((Reply { status: 100..=199, .. }, head))) if *interim != 0 => {
                *interim = interim.wrapping_sub(1);
                end = end.wrapping_sub(head);
                copy_down(received, head, end);
            }
            Ok(Some(_)) => return Ok((end, true)),
            Ok(None) | Err(_) => return Err(HttpError::Malformed),
        }
    }
}
