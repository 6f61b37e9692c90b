//! The response: a status, headers, and a body or the events of a stream.

use crate::mcp::Revision;

/// The response to the client. The HTTP server adds its own headers: the length of the body, or the chunked encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Response<'o> {
    status: u16,
    headers: Headers,
    session: SessionChange,
    body: &'o [u8],
}

type Headers = &'static [(&'static str, &'static str)];

/// The effect of a request on the sessions of a program that stores sessions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum SessionChange {
    /// No effect.
    #[default]
    Same,
    /// Opens a session of this revision: the program generates an unguessable id of visible ASCII, and adds it to the response as
    /// the header `Mcp-Session-Id`.
    Opened(Revision),
    /// Closes the session that the request names.
    Closed,
}

// "X-Accel-Buffering: no" stops proxies from buffering (2026-07-28, Receiving Messages)
const EVENTS: Headers = &[("content-type", "text/event-stream"), ("x-accel-buffering", "no")];

impl Response<'static> {
    /// The head of a stream of events, for a handler that sends messages before its answer. Write it before the first message. Each
    /// message, then the answer, follows as an [event]. Do not write the head of the [`Response`] with the answer: its status is unused.
    pub const STREAM: Self = Self { status: 200, headers: EVENTS, session: SessionChange::Same, body: &[] };

    /// A response without a body, for `GET` and `DELETE`. A success that is not a stream is that of `DELETE`, and closes a session.
    pub(super) const fn without_body(status: u16, listens: bool, closes: bool, is_stream: bool) -> Self {
        let headers: Headers = match status {
            // "The origin server MUST generate an Allow header field" (RFC 9110 §15.5.6)
            405 => match (listens, closes) {
                (false, false) => &[("allow", "POST")],
                (true, false) => &[("allow", "GET, POST")],
                (false, true) => &[("allow", "POST, DELETE")],
                (true, true) => &[("allow", "GET, POST, DELETE")],
            },
            _ if is_stream => EVENTS,
            _ => &[],
        };
        let session = if status == 200 && !is_stream { SessionChange::Closed } else { SessionChange::Same };
        Self { status, headers, session, body: &[] }
    }
}

impl<'o> Response<'o> {
    /// A message, or nothing; it may be the first of a stream.
    pub(super) const fn message(status: u16, body: &'o [u8], is_stream: bool, session: SessionChange) -> Self {
        let headers: Headers = match body {
            [] => &[],
            _ if is_stream => EVENTS,
            _ => &[("content-type", "application/json")],
        };
        Self { status, headers, session, body }
    }

    /// The status of HTTP.
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// Names and values, at most two.
    pub const fn headers(&self) -> &'static [(&'static str, &'static str)] {
        self.headers
    }

    /// One message as JSON; empty if there is no answer. If a [stream](Self::STREAM) has begun, the message is the last [event] of the
    /// stream.
    pub const fn body(&self) -> &'o [u8] {
        self.body
    }

    /// Whether this is the head of a stream of events that stays open: of a `GET` where the endpoint is
    /// [listening](super::Endpoint::listening), or of `subscriptions/listen` in 2026-07-28, whose first [event] is the body. The
    /// program sends the next events, until the client or the program closes the stream.
    pub fn is_stream(&self) -> bool {
        self.headers == EVENTS
    }

    /// The effect of the request on the sessions, for a program that stores them.
    pub const fn session_change(&self) -> SessionChange {
        self.session
    }
}

/// A message as an event of a stream, in pieces to write in order.
///
/// ```
/// use nanojsonrpc::mcp::http::event;
///
/// let notification = br#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
/// let pieces = event(notification).collect::<Vec<_>>().concat();
/// assert_eq!(pieces, [&b"data: "[..], notification, b"\n\n"].concat());
/// ```
///
/// Line ends between the tokens of the message become line ends of the event, as [`Event`](crate::frame::Event) has them.
///
/// Source: HTML, Server-sent events.
pub const fn event(message: &[u8]) -> Pieces<'_> {
    Pieces { before: b"data: ", rest: Some(message) }
}

/// The pieces of an [event].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Pieces<'m> {
    /// The text before the next line, or after the last.
    before: &'static [u8],
    rest: Option<&'m [u8]>,
}

impl<'m> Iterator for Pieces<'m> {
    type Item = &'m [u8];

    fn next(&mut self) -> Option<&'m [u8]> {
        if !self.before.is_empty() {
            return Some(core::mem::take(&mut self.before));
        }
        let rest = self.rest?;
        let len = rest.iter().take_while(|byte| !matches!(byte, b'\r' | b'\n')).count();
        let (line, behind) = rest.split_at_checked(len).unwrap_or_default();
        self.rest = behind.get(1..);
        self.before = if self.rest.is_some() { b"\ndata: " } else { b"\n\n" };
        Some(line)
    }
}

impl core::iter::FusedIterator for Pieces<'_> {}
