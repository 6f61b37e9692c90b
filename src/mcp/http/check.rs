//! Whether the head of a request agrees with the message in its body, and the status of the answer.

use super::response::{Response, SessionChange};
use super::{Head, Session};
use crate::json::{RawStr, RawValue};
use crate::mcp::mirror::{is_same, is_value, named_param};
use crate::mcp::service::{NO_VERSION, Refusal, string_in};
use crate::mcp::types::PROTOCOL_VERSION;
use crate::mcp::{Revision, method};
use crate::message::{EnvelopeKind, ErrorCode};
use crate::server::{Exchange, Processed};

/// One request of HTTP while it is answered.
pub(super) struct Checked<'h> {
    head: &'h Head<'h>,
    /// The kind of the message; `None` without a message.
    kind: Option<EnvelopeKind>,
    /// The status of a response without a body; 0 if it follows from the answer.
    status: u16,
    /// Whether the status depends on the code of an error, as in 2026-07-28.
    shows_errors: bool,
    opens: Option<Revision>,
}

/// The reason why a message does not reach the routes.
#[derive(Clone, Copy)]
enum Fault {
    /// The response has only the status 400.
    BadRequest,
    NotFound,
    /// The header and the body disagree, or the header is missing or has bytes that no header may have.
    Version,
    Method,
    Name,
    /// This crate does not support the revision of the header, and the body has the same or none.
    Unsupported,
    /// The body has no revision.
    NoVersion,
    /// An `initialize` in an open session.
    AlreadyOpen,
}

const ALREADY_OPEN: &str = "Invalid Request: the session is already open";

/// The information for the routes: the revision of the session of a message, if it has one.
type Outcome = Result<Option<Revision>, Fault>;

impl<'h> Checked<'h> {
    pub(super) const fn new(head: &'h Head<'h>) -> Self {
        Self { head, kind: None, status: 0, shows_errors: false, opens: None }
    }

    /// Returns the [mark](Revision::mark) of the message's session; 0 without a session; `None` if the routes must not get the message. In
    /// the latter case, a request is already answered.
    pub(super) fn check_message(&mut self, exchange: &mut Exchange<'_, '_>) -> Option<u8> {
        let envelope = *exchange.message();
        // of a batch of 2025-03-26, the requests count
        if self.kind != Some(EnvelopeKind::Request) {
            self.kind = Some(envelope.kind());
        }
        let params = envelope.params().unwrap_or(RawValue::NULL);
        let said = params.get("_meta").and_then(|meta| string_in(meta, PROTOCOL_VERSION));
        let revision = self.head.version.map(named);
        let outcome = match envelope.kind() {
            EnvelopeKind::Request => self.request(envelope.method(), params, said, revision),
            kind => self.no_request(kind == EnvelopeKind::Notification, revision),
        };
        match outcome {
            Ok(session) => return Some(session.map_or(0, Revision::mark)),
            Err(Fault::BadRequest) => self.status = 400,
            Err(Fault::NotFound) => self.status = 404,
            Err(fault) => {
                self.shows_errors = true;
                let refusal = match fault {
                    // `request` has checked that the header can be quoted as it is
                    Fault::Unsupported => {
                        Refusal::unsupported(said.unwrap_or(RawStr::validated(self.head.version.unwrap_or_default())))
                    }
                    Fault::NoVersion => NO_VERSION.into(),
                    Fault::AlreadyOpen => Refusal::new(ErrorCode::INVALID_REQUEST, ALREADY_OPEN),
                    _ => Refusal::new(ErrorCode::HEADER_MISMATCH, fault.mismatch()),
                };
                refusal.reply(exchange.reply());
            }
        }
        None
    }

    /// Checks a request: `said` is the revision of its body, `revision` that of its head.
    fn request(
        &mut self,
        name: RawStr<'_>,
        params: RawValue<'_>,
        said: Option<RawStr<'_>>,
        revision: Option<Option<Revision>>,
    ) -> Outcome {
        self.shows_errors = said.is_some();
        let is_initialize = name == *method::INITIALIZE;
        let version = self.head.version.unwrap_or_default();
        match (said, revision) {
            // "If the values do not match, the server MUST reject the request" (Protocol Version Header)
            (Some(said), revision) if revision.is_none() || !is_same(version, said) => Err(Fault::Version),
            (Some(_), Some(Some(revision))) if revision.is_stateless() => self.mirrored(name, params),
            // an unknown revision, or one with sessions, whose requests have no revision in `_meta`
            (Some(_), _) => Err(Fault::Unsupported),
            // the header is one of "all subsequent requests" (2025-11-25, Protocol Version Header)
            (None, _) if is_initialize => self.session(None, true, params),
            (None, Some(Some(revision))) if revision.is_stateless() => Err(Fault::NoVersion),
            (None, Some(None)) if version.iter().all(|byte| matches!(byte, b' '..=b'~' if !b"\"\\".contains(byte))) => {
                Err(Fault::Unsupported)
            }
            (None, Some(None)) => Err(Fault::Version),
            // "if the server does not receive an `MCP-Protocol-Version` header, and has no other way to identify the version [...] the server
            // SHOULD assume protocol version `2025-03-26`" (2025-11-25, Protocol Version Header)
            (None, None) if self.head.session == Session::NotKept => Ok(Some(Revision::V2025_03_26)),
            (None, revision) => self.session(revision.flatten(), false, params),
        }
    }

    /// Checks that the headers agree with the body.
    ///
    /// "Servers that process the request body MUST reject requests where the values specified in the headers do not match the
    /// corresponding values in the request body." (2026-07-28, Server Validation)
    fn mirrored(&self, name: RawStr<'_>, params: RawValue<'_>) -> Outcome {
        if !self.head.mcp_method.is_some_and(|header| is_same(header, name)) {
            return Err(Fault::Method);
        }
        let Some(member) = named_param(name) else { return Ok(None) };
        match (self.head.mcp_name, string_in(params, member)) {
            (Some(header), Some(value)) if is_value(header, value) => Ok(None),
            // the code that reads the member reports that it is missing
            (None, None) => Ok(None),
            _ => Err(Fault::Name),
        }
    }

    /// Checks a notification or a response; `revision` is that of its head.
    fn no_request(&mut self, is_notification: bool, revision: Option<Option<Revision>>) -> Outcome {
        match revision {
            Some(None) => Err(Fault::BadRequest),
            Some(Some(revision)) if revision.is_stateless() => {
                // "The client MUST NOT send JSON-RPC responses" (Sending Messages)
                if is_notification { Ok(None) } else { Err(Fault::BadRequest) }
            }
            revision => self.session(revision.flatten(), false, RawValue::NULL),
        }
    }

    /// Checks a message of a session; `known` is the revision in its header.
    fn session(&mut self, known: Option<Revision>, is_initialize: bool, params: RawValue<'_>) -> Outcome {
        match self.head.session {
            Session::NotKept => Ok(known),
            // "The initialization phase MUST be the first interaction between client and server" (2025-11-25, Lifecycle)
            Session::Open(_) if is_initialize => Err(Fault::AlreadyOpen),
            Session::Open(revision) => Ok(known.or(Some(revision))),
            // "MUST respond to requests containing that session ID with HTTP 404 Not Found" (2025-11-25, Session Management)
            Session::Unknown => Err(Fault::NotFound),
            Session::Absent if !is_initialize => Err(Fault::BadRequest),
            Session::Absent => {
                let requested = string_in(params, "protocolVersion");
                // a lenient service accepts a client without a revision as one of the oldest; others refuse it
                self.opens = Some(requested.map_or(Revision::V2024_11_05, Revision::negotiate));
                Ok(known)
            }
        }
    }

    /// The response with the answer.
    pub(super) fn finish<'o>(&self, processed: Processed<'o>) -> Response<'o> {
        let body = if self.status == 0 { processed.answer().unwrap_or_default() } else { &[] };
        let status = match self.kind {
            _ if self.status != 0 => self.status,
            // "it MUST return an HTTP error status code" (Sending Messages)
            None if !processed.lacks_room() => 400,
            Some(EnvelopeKind::Request) if !body.is_empty() => {
                processed.code().filter(|_| self.shows_errors).map_or(200, status_of)
            }
            None | Some(EnvelopeKind::Request) => 500,
            Some(_) => 202,
        };
        let change = match self.opens {
            Some(revision) if processed.code().is_none() && status == 200 => SessionChange::Opened(revision),
            _ => SessionChange::Same,
        };
        // `subscriptions/listen` is acknowledged by a notification, and its stream stays open
        Response::message(status, body, processed.is_deferred(), change)
    }
}

impl Fault {
    const fn mismatch(self) -> &'static str {
        match self {
            Self::Method => "Header mismatch: Mcp-Method",
            Self::Name => "Header mismatch: Mcp-Name",
            _ => "Header mismatch: MCP-Protocol-Version",
        }
    }
}

/// The status for an error with this code. The specification defines no status for other codes.
const fn status_of(code: ErrorCode) -> u16 {
    match code.0 {
        -32601 => 404,
        -32700 | -32600 | -32602 | -32022..=-32020 => 400,
        _ => 200,
    }
}

/// The revision with this name, if it is supported.
pub(super) fn named(version: &[u8]) -> Option<Revision> {
    Revision::ALL.into_iter().find(|revision| version == revision.as_str().as_bytes())
}
