//! Classifies a text of the server.

use core::fmt;

use super::Client;
use crate::client::{answered_id, number_of};
use crate::error::{Error, ErrorKind};
use crate::json::{Kind, RawValue, Writer};
use crate::mcp::types::{Implementation, SERVER_INFO, ServerCapabilities};
use crate::mcp::value::{is_object, optional};
use crate::mcp::{Revision, dialect, method};
use crate::message::{Envelope, EnvelopeKind, ErrorCode, ErrorObject, Refused, SUCCESS, Str, put_end};

/// The code of an error object without one, as a [lenient](Client::lenient) client reads it.
pub const NO_CODE: ErrorCode = ErrorCode(0);

/// The meaning of a text of the server; see [`Client::receive`].
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Incoming<'a, T> {
    /// The output has a message to send: the next one of the handshake, or the answer to a `ping`.
    ToSend,
    /// The handshake is done. If a session begins, the output has a notification to send.
    Connected(Connected<'a>),
    /// The handshake has failed.
    NotConnected(ConnectError<'a>),
    /// The call with this tag, which is no longer in flight, has this outcome.
    Answer(T, Outcome<'a>),
    /// A response that belongs to no call in flight: the call was answered before or cancelled, or the id is unknown or null.
    Unmatched(Envelope<'a>),
    /// The progress of the call in flight with this id: the params, for
    /// [`Progress::read`](crate::mcp::types::Progress::read).
    Progress(i64, RawValue<'a>),
    /// Progress of a call that is not in flight: the params.
    StaleProgress(RawValue<'a>),
    /// A log message: the params, for [`LogMessage::read`](crate::mcp::types::LogMessage::read).
    Log(RawValue<'a>),
    /// Another notification, or a progress or log notification without params.
    Notification(Envelope<'a>),
    /// A request of the server, for the program to answer. A `ping` arrives here only if the output has no room for its answer.
    Request(Envelope<'a>),
    /// A request of the client itself, which a half-duplex line returns. It is dropped.
    Echo(Envelope<'a>),
    /// The text is not a message, and ends no call. It is dropped: a client answers only valid requests.
    Unreadable(Refused<'a>),
}

/// Identity and capabilities of a server. Each part is read on access.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Connected<'a> {
    /// The common revision.
    pub revision: Revision,
    /// The whole result of `initialize`, or in 2026-07-28 of `server/discover`.
    pub result: RawValue<'a>,
    pub(super) is_lenient: bool,
}

impl<'a> Connected<'a> {
    /// The capabilities of the server. A [lenient](Client::lenient) client reads null, `[]` and absent capabilities as none.
    ///
    /// # Errors
    /// The errors of [`ServerCapabilities::read`], and [`MissingField`](ErrorKind::MissingField).
    pub fn capabilities(&self) -> Result<ServerCapabilities<'a>, Error> {
        let capabilities = self.result.get("capabilities").unwrap_or(RawValue::NULL);
        if capabilities.kind() != Kind::Object && is_object(capabilities, self.is_lenient) {
            return Ok(ServerCapabilities::new());
        }
        ServerCapabilities::read(member(self.result, "capabilities")?)
    }

    /// The implementation of the server; optional in 2026-07-28.
    ///
    /// # Errors
    /// The errors of [`Implementation::read`], and [`MissingField`](ErrorKind::MissingField).
    pub fn server_info(&self) -> Result<Implementation<'a>, Error> {
        Implementation::read(if self.revision.is_stateless() {
            member(member(self.result, "_meta")?, SERVER_INFO)?
        } else {
            member(self.result, "serverInfo")?
        })
    }

    /// Instructions for the language model on the use of the server.
    pub fn instructions(&self) -> Option<Str<'a>> {
        self.result.get("instructions").and_then(RawValue::as_str_raw).map(Str::Raw)
    }
}

pub(super) fn member<'a>(object: RawValue<'a>, name: &str) -> Result<RawValue<'a>, Error> {
    object.get(name).ok_or(Error::new(ErrorKind::MissingField, object.offset()))
}

/// The reason why a client is not connected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ConnectError<'a> {
    /// The server answered with this error object.
    Peer(ErrorObject<'a>),
    /// The text, which may be the answer, cannot be read, or the next message does not fit the output.
    Refused(Error, &'a [u8]),
    /// The server and the client have no common revision. Holds the revisions of the server, a string or an array of strings.
    Unsupported(RawValue<'a>),
}

impl fmt::Display for ConnectError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Peer(error) => error.fmt(f),
            Self::Refused(error, _) => write!(f, "answer: {error}"),
            Self::Unsupported(supported) => {
                write!(f, "no common revision: the server supports {}", Str::Plain(supported.as_json()).sanitized())
            }
        }
    }
}

impl core::error::Error for ConnectError<'_> {}

/// The outcome of a call.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Outcome<'a> {
    /// The result, to read as the result type of the method: [`CallToolResult::read`](crate::mcp::types::CallToolResult::read).
    Result(RawValue<'a>),
    /// The server needs more input before it can answer; [`Client::repeat`] sends it. The value is an
    /// [`InputRequiredResult`](crate::mcp::types::InputRequiredResult). 2026-07-28.
    InputRequired(RawValue<'a>),
    /// The call runs as a task, which [`Task::read_created`](crate::mcp::types::Task::read_created) reads, and [`Call::task`](super::Call::task)
    /// requests. Only a call of a tool has this outcome, of a client that [declares](Client::declaring) [`TASKS`](super::TASKS); any
    /// other has received an invalid answer. 2026-07-28; in 2025-11-25 it is a result.
    Task(RawValue<'a>),
    /// The error object that the server answered with.
    Error(ErrorObject<'a>),
    /// The text, which may be the answer, cannot be read: it is no valid response, it has the id of the call in another spelling, or its
    /// `resultType` is unknown. The offset is in this text.
    Refused(Error, &'a [u8]),
}

/// The content of a response.
#[derive(Clone, Copy)]
pub(super) enum Verdict<'a> {
    Result(RawValue<'a>),
    /// An error object, with or without a code.
    Error(RawValue<'a>),
    Refused(Error),
}

impl<T, const N: usize> Client<T, N> {
    /// Classifies `text`, one message of the server, and appends to `out` a message to send at once: the next of the handshake, or the
    /// answer to a `ping`.
    ///
    /// A response ends the call with its id, also in another spelling such as `"1"` for 1. A refused text that may be a response does so, too,
    /// as [`Outcome::Refused`]; and what shows no id ends the only call in flight, or the handshake: an error without an id, or an object
    /// that is broken before its id. An object with a method and without a result or an error, and a text that begins with no object, end
    /// nothing.
    #[inline(never)]
    pub fn receive<'a>(&mut self, text: &'a [u8], out: &mut Writer<'_>) -> Incoming<'a, T> {
        let dialect = dialect(self.is_lenient);
        let envelope = match Envelope::parse_as(text, dialect) {
            Ok(envelope) => envelope,
            Err(refused) => return self.receive_refused(refused, out),
        };
        match envelope.kind() {
            EnvelopeKind::Success | EnvelopeKind::Error => {
                let verdict = match envelope.result() {
                    Some(result) => Verdict::Result(result),
                    None => Verdict::Error(envelope.error().unwrap_or(RawValue::NULL)),
                };
                let id = answered_id(&envelope, dialect);
                id.and_then(|id| self.end(id, verdict, text, out)).unwrap_or(Incoming::Unmatched(envelope))
            }
            EnvelopeKind::Request => {
                if self.greeting().into_iter().chain(self.pending.sent()).any(|call| call.is_echo(&envelope, text)) {
                    Incoming::Echo(envelope)
                } else if envelope.method() == *method::PING && put_pong(&envelope, out).is_ok() {
                    Incoming::ToSend
                } else {
                    Incoming::Request(envelope)
                }
            }
            _ => self.known_notification(envelope).unwrap_or(Incoming::Notification(envelope)),
        }
    }

    /// The cursor of the next page in the result `page` of a list; `None` on the last page. [`pages`](Self::pages) counts them.
    ///
    /// # Errors
    /// [`UnexpectedType`](ErrorKind::UnexpectedType) if `nextCursor` is neither a string nor null.
    pub fn next_cursor<'a>(&self, page: RawValue<'a>) -> Result<Option<Str<'a>>, Error> {
        let Some(cursor) = optional(page, "nextCursor") else { return Ok(None) };
        let text = cursor.as_str_raw().ok_or(Error::new(ErrorKind::UnexpectedType, cursor.offset()))?;
        Ok(Some(Str::Raw(text)).filter(|_| !self.is_lenient || !text.is_empty()))
    }

    /// The meaning of a text that is not a message.
    #[inline(never)]
    pub(super) fn receive_refused<'a>(&mut self, refused: Refused<'a>, out: &mut Writer<'_>) -> Incoming<'a, T> {
        let is_of_message = matches!(refused.kind(), ErrorKind::InvalidId | ErrorKind::InvalidErrorObject);
        let lenient = if self.is_lenient && is_of_message { lenient(&refused) } else { None };
        let verdict = lenient.unwrap_or(Verdict::Refused(refused.error));
        let id = refused.answered_id().or_else(|| self.answered_in_batch(&refused));
        id.and_then(|id| self.end(id, verdict, refused.text, out)).unwrap_or(Incoming::Unreadable(refused))
    }

    /// The id of the first response in a batch, which a server of 2025-03-26 may send; a client reads none.
    #[inline(never)]
    fn answered_in_batch<'a>(&self, refused: &Refused<'a>) -> Option<Option<RawValue<'a>>> {
        if refused.kind() != ErrorKind::BatchNotAllowed {
            return None;
        }
        let dialect = dialect(self.is_lenient);
        let mut elements = RawValue::alone_in(refused.text).elements();
        elements.find_map(|element| answered_id(&Envelope::parse_as(element.as_bytes(), dialect).ok()?, dialect))
    }

    /// Ends the call that a text with `id` may answer, without an id the only one, or continues the handshake; `None` if the text answers
    /// no call.
    pub(super) fn end<'a>(
        &mut self,
        id: Option<RawValue<'a>>,
        verdict: Verdict<'a>,
        text: &'a [u8],
        out: &mut Writer<'_>,
    ) -> Option<Incoming<'a, T>> {
        let (number, is_exact) = id.map_or_else(|| Some((self.only()?, true)), number_of)?;
        let verdict = match (id, verdict) {
            (_, Verdict::Refused(_)) => verdict,
            (Some(id), _) if !is_exact && !self.is_lenient => {
                Verdict::Refused(Error::new(ErrorKind::InvalidId, id.offset()))
            }
            _ => verdict,
        };
        if self.greeting().is_some_and(|greeting| greeting.id == number) {
            return Some(self.proceed(verdict, text, out));
        }
        let tag = self.pending.take(number)?;
        let outcome = match verdict {
            Verdict::Result(result) => self.result(result, text),
            Verdict::Error(error) => Outcome::Error(error_object(error)),
            Verdict::Refused(error) => Outcome::Refused(error, text),
        };
        Some(Incoming::Answer(tag, outcome))
    }

    /// The id of the only call in flight, or of the message of the handshake.
    fn only(&self) -> Option<i64> {
        let mut sent = self.greeting().into_iter().chain(self.pending.sent());
        sent.next().map(|call| call.id).filter(|_| sent.next().is_none())
    }

    /// The kind of a result: "resultType [...] If absent, the client MUST treat it as complete" (2026-07-28).
    fn result<'a>(&self, result: RawValue<'a>, text: &'a [u8]) -> Outcome<'a> {
        // during a handshake, the call was made in an earlier revision, and only 2026-07-28 has this member
        let is_stateless = self.negotiated().is_none_or(Revision::is_stateless);
        let Some(kind) = optional(result, "resultType").filter(|_| is_stateless) else {
            return Outcome::Result(result);
        };
        match kind.as_str_raw() {
            Some(name) if name == *"complete" => Outcome::Result(result),
            Some(name) if name == *"input_required" => Outcome::InputRequired(result),
            Some(name) if name == *"task" => Outcome::Task(result),
            _ => Outcome::Refused(Error::new(ErrorKind::UnknownVariant, kind.offset()), text),
        }
    }

    /// The meaning of a notification that the client knows.
    #[inline(never)]
    fn known_notification<'a>(&self, envelope: Envelope<'a>) -> Option<Incoming<'a, T>> {
        let params = envelope.params()?;
        if envelope.method() == *method::PROGRESS {
            let id = params.get("progressToken").and_then(RawValue::as_i64).filter(|id| self.pending.has(*id));
            return Some(id.map_or(Incoming::StaleProgress(params), |id| Incoming::Progress(id, params)));
        }
        if envelope.method() == *method::MESSAGE { Some(Incoming::Log(params)) } else { None }
    }
}

/// The error object `raw`; missing members get default values.
pub(super) fn error_object(raw: RawValue<'_>) -> ErrorObject<'_> {
    ErrorObject {
        code: raw.get("code").and_then(RawValue::as_i64).map_or(NO_CODE, ErrorCode),
        message: Str::Raw(raw.get("message").and_then(RawValue::as_str_raw).unwrap_or_default()),
        data: raw.get("data"),
    }
}

/// The content of a refused response that a lenient client reads: an error object without a code, or the id as a decimal such as `1.0`.
#[inline(never)]
fn lenient<'a>(refused: &Refused<'a>) -> Option<Verdict<'a>> {
    // the text is valid JSON: otherwise it would have another fault
    let (kind, whole) = (refused.kind(), RawValue::alone_in(refused.text));
    let is_decimal = kind == ErrorKind::InvalidId && whole.get("id")?.kind() == Kind::Number;
    if let (true, Some(result)) = (is_decimal, whole.get("result")) {
        return Some(Verdict::Result(result));
    }
    let error = whole.get("error")?;
    let is_without_code = kind == ErrorKind::InvalidErrorObject
        && error.get("code").is_none()
        && error.get("message").is_some_and(|message| message.as_str_raw().is_some());
    if is_decimal || is_without_code { Some(Verdict::Error(error)) } else { None }
}

/// Appends the answer to a `ping`: "The receiver MUST respond promptly with an empty response".
fn put_pong(ping: &Envelope<'_>, out: &mut Writer<'_>) -> Result<(), Error> {
    let before = out.len();
    out.put(SUCCESS);
    out.put(b"{}");
    put_end(|out| out.put(ping.id().unwrap_or(RawValue::NULL).as_bytes()), out);
    out.finish(before)
}
