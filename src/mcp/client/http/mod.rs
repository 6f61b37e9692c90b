//! The client over Streamable HTTP, as functions: [`Remote`] writes the requests of HTTP and reads the heads of the responses.
//!
//! Each message of the [`Client`](super::Client) is the body of a `POST`, whose head repeats parts of the message. The response has a
//! message, a stream of [events](crate::frame::Events) with messages, or only a status:
//!
//! ```
//! # fn main() -> Result<(), nanojsonrpc::Error> {
//! use nanojsonrpc::mcp::client::http::{Body, Remote, Reply};
//! use nanojsonrpc::mcp::client::{Call, Client, Incoming, Outcome};
//! use nanojsonrpc::mcp::Revision;
//! use nanojsonrpc::Writer;
//!
//! let mut client: Client<(), 1> = Client::new("me", "1.0.0").connected_as(Revision::V2026_07_28);
//! let mut remote = Remote::new("lamp.local:8080", "/mcp");
//! let (mut message, mut head) = ([0; 512], [0; 512]);
//! let mut out = Writer::new(&mut message);
//! client.send(&Call::tool("switch", &()), (), &mut out)?;
//! let request = remote.post(out.written(), &mut head)?;
//! // the program sends `request.head` and `request.body`, or makes a request of `request.headers()`
//! let repeated: Vec<_> = request.headers().filter(|(name, _)| name.starts_with("mcp-")).collect();
//! assert_eq!(repeated, [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "switch")]);
//!
//! // and receives a response
//! let response = concat!(
//!     "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n",
//!     r#"{"jsonrpc":"2.0","result":{"resultType":"complete","content":[]},"id":1}"#,
//! );
//! let Ok(Some((reply, len))) = Reply::parse(response.as_bytes()) else { panic!() };
//! assert_eq!(remote.receive(&reply), Body::Message);
//! out.clear();
//! assert!(matches!(client.receive(&response.as_bytes()[len..], &mut out), Incoming::Answer((), Outcome::Result(_))));
//! # Ok(()) }
//! ```
#![cfg_attr(feature = "embedded-io", doc = "")]
#![cfg_attr(
    feature = "embedded-io",
    doc = "[`Http`] does all of this over streams of `embedded_io`, for the [`Session`](super::Session) of a client."
)]
//!
//! | step | 2026-07-28 | 2025-03-26 to 2025-11-25 |
//! |---|---|---|
//! | revision in the head | that of the message | the [negotiated](Remote::set_revision) one, after `initialize` |
//! | session | none | `Mcp-Session-Id`, from the response to `initialize` |
//! | cancel a call | close its response | `notifications/cancelled`, in a `POST` |
//! | a stream that breaks off | the call is lost | [`resume`](Remote::resume) with the id of the last event, after its `retry` |
//! | messages outside of calls | `subscriptions/listen`, whose response is a stream | [`resume`](Remote::resume) without an id |
//! | end | nothing | [`end`](Remote::end) |
//!
//! If `server/discover` gets a status of 400 to 499 and no answer, the server is one of the earlier revisions:
//! [`Client::fall_back`](super::Client::fall_back).
//!
//! Not supported: HTTP with SSE, the transport of 2024-11-05.
//!
//! Source: 2026-07-28, Streamable HTTP; 2025-11-25, Transports.

#[cfg(feature = "embedded-io")]
mod link;
mod params;
mod reply;

#[cfg(feature = "embedded-io-async")]
pub use link::OpenAsync;
#[cfg(feature = "embedded-io")]
pub use link::{Http, HttpError, Open};
pub use params::headers_in;
pub use reply::{Body, Reply};

use heapless::Vec;
use params::{PutParams, Tools, put_params};
use reply::{EVENTS, JSON};

use crate::error::{Error, ErrorKind};
use crate::http::{Post, Request, put_content_length, put_header};
use crate::json::{RawStr, RawValue, Writer};
use crate::mcp::mirror::{named_param, put_value};
use crate::mcp::service::string_in;
use crate::mcp::types::PROTOCOL_VERSION;
use crate::mcp::{Revision, method};

/// The maximum length of a session id. A longer one is not stored, so later requests do not belong to the session.
pub const MAX_SESSION_ID_LEN: usize = 128;

/// A server at an endpoint of Streamable HTTP, as a client sees it: its address, and its session.
///
/// # Limits
/// A session id has at most [`MAX_SESSION_ID_LEN`] bytes. A head has about 300 bytes, plus the host, the path, the headers of the program,
/// and the params that headers repeat.
#[derive(Clone, Debug)]
#[must_use]
pub struct Remote<'t> {
    post: Post<'t>,
    token: Option<Token<'t>>,
    tools: Tools<'t>,
    /// Writes the headers for params; only a program with tools links it.
    put_params: Option<PutParams>,
    session: Vec<u8, MAX_SESSION_ID_LEN>,
    revision: Option<Revision>,
    /// Whether each request is the last one of its connection.
    closes: bool,
    /// Whether the last message belongs to no session.
    is_stateless: bool,
}

/// A bearer token, which is never printed.
#[derive(Clone, Copy)]
struct Token<'t>(&'t str);

impl core::fmt::Debug for Token<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Remote<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Remote({})", self.revision);
    }
}

impl<'t> Remote<'t> {
    /// The server at `host`, with its port unless that is the default one, and `path`, such as `/mcp`; see [`Post::new`].
    pub const fn new(host: &'t str, path: &'t str) -> Self {
        let post = Post::new(host, path);
        Self {
            post,
            token: None,
            tools: &[],
            put_params: None,
            session: Vec::new(),
            revision: None,
            closes: false,
            is_stateless: false,
        }
    }

    /// Requests that the server closes the connection after its response.
    #[cfg(feature = "embedded-io")]
    const fn closing(mut self) -> Self {
        self.closes = true;
        self
    }

    /// Adds headers to each request; see [`Post::with_headers`]. Not allowed, too, are the headers of a session and of a message, which this
    /// type writes: names that begin with `Mcp-`, and `Last-Event-ID`. `Authorization` is not allowed together with a
    /// [token](Self::set_token).
    pub const fn with_headers(mut self, headers: &'t [(&'t str, &'t str)]) -> Self {
        self.post = self.post.with_headers(headers);
        self
    }

    /// Sets the input schemas of tools by their names. Calls of these tools repeat the params in headers that their schemas request with
    /// `x-mcp-header`. 2026-07-28; [`headers_in`] checks a schema.
    pub const fn with_tools(mut self, tools: Tools<'t>) -> Self {
        self.tools = tools;
        self.put_params = Some(put_params);
        self
    }

    /// Sets the bearer token of the next requests (RFC 6750 §2.1).
    pub const fn set_token(&mut self, token: Option<&'t str>) {
        self.token = match token {
            Some(token) => Some(Token(token)),
            None => None,
        };
    }

    /// Sets the revision of the session, which the next requests have in their heads: that of [`Incoming::Connected`](super::Incoming).
    pub const fn set_revision(&mut self, revision: Revision) {
        self.revision = Some(revision);
    }

    /// The id of the session, if the server has assigned one.
    pub fn session_id(&self) -> Option<&[u8]> {
        Some(self.session.as_slice()).filter(|id| !id.is_empty())
    }

    /// Writes the request for `text`, a message of the client, to `out`.
    ///
    /// # Errors
    /// [`OutputFull`](ErrorKind::OutputFull); [`InvalidValue`](ErrorKind::InvalidValue) for a host, a path, a header or a token that no
    /// request may have, and for annotations of a schema that the specification forbids; [`UnexpectedType`](ErrorKind::UnexpectedType) for
    /// a param that no header can repeat; the errors of [`RawValue::parse`] for a text that is not JSON.
    pub fn post<'o>(&mut self, text: &[u8], out: &'o mut [u8]) -> Result<Request<'o>, Error> {
        let message = RawValue::parse(text)?;
        let mut body = Writer::new(out);
        body.bytes(text)?;
        let len = body.len();
        let (body, rest) = out.split_at_mut_checked(len).unwrap_or_default();
        let mut head = Writer::new(rest);
        self.put_post(message, len, &mut head)?;
        Ok(Request { head: head.into_written(), body })
    }

    /// Appends the head of the request for a message of `len` bytes.
    #[inline(never)]
    pub(super) fn put_post(&mut self, message: RawValue<'_>, len: usize, head: &mut Writer<'_>) -> Result<(), Error> {
        let method = message.get("method").and_then(RawValue::as_str_raw).unwrap_or_default();
        let params = message.get("params").unwrap_or(RawValue::NULL);
        let said = params.get("_meta").and_then(|meta| string_in(meta, PROTOCOL_VERSION));
        self.is_stateless = said.is_some();
        self.put_front("POST ", head)?;
        put_header(head, "content-type", "application/json");
        // "The client MUST include an `Accept` header, listing both" (Sending Messages)
        put_header(head, "accept", "application/json, text/event-stream");
        if let Some(said) = said {
            put_text(head, b"mcp-protocol-version: ", said);
            put_text(head, b"mcp-method: ", method);
            if let Some(name) = named_param(method).and_then(|name| string_in(params, name)) {
                put_text(head, b"mcp-name: ", name);
                if let Some(put_params) = self.put_params.filter(|_| method == *method::TOOLS_CALL) {
                    put_params(self.tools, name, params, head)?;
                }
            }
        } else if method != *method::INITIALIZE {
            self.put_session(head);
        }
        put_content_length(head, len);
        self.put_back(head)
    }

    /// Writes a `GET`, whose response is a stream of events: the rest of the stream after the event `last_id`, or, if that is empty, one for
    /// messages of the server outside of calls. 2025-03-26 to 2025-11-25. A server without such streams answers 405.
    ///
    /// ```
    /// use nanojsonrpc::mcp::client::http::{MAX_SESSION_ID_LEN, Remote, Reply};
    ///
    /// let mut remote = Remote::new("lamp.local", "/mcp");
    /// let mut reply = Reply::new(200); // to `initialize`
    /// reply.header("Mcp-Session-Id", b"7f3a");
    /// remote.receive(&reply);
    /// let mut head = [0; 128 + MAX_SESSION_ID_LEN];
    /// let request = remote.resume(b"41", &mut head)?;
    /// let headers = [("host", "lamp.local"), ("accept", "text/event-stream"), ("mcp-session-id", "7f3a"), ("last-event-id", "41")];
    /// assert!(request.headers().eq(headers));
    /// remote.forget_session();
    /// assert!(remote.session_id().is_none());
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`OutputFull`](ErrorKind::OutputFull); [`InvalidValue`](ErrorKind::InvalidValue) as of [`post`](Self::post), and for a byte in
    /// `last_id` that is neither visible ASCII nor a space.
    pub fn resume<'o>(&self, last_id: &[u8], out: &'o mut [u8]) -> Result<Request<'o>, Error> {
        let mut head = Writer::new(out);
        self.put_get(last_id, &mut head)?;
        Ok(Request { head: head.into_written(), body: &[] })
    }

    #[inline(never)]
    pub(super) fn put_get(&self, last_id: &[u8], head: &mut Writer<'_>) -> Result<(), Error> {
        if let Some(at) = last_id.iter().position(|byte| !matches!(byte, b' '..=b'~')) {
            return Err(Error::new(ErrorKind::InvalidValue, at));
        }
        self.put_front("GET ", head)?;
        put_header(head, "accept", "text/event-stream");
        self.put_session(head);
        if !last_id.is_empty() {
            put_line(head, b"last-event-id: ", last_id);
        }
        self.put_back(head)
    }

    /// Writes the `DELETE` that ends the session; `None` without a session. A server that does not allow it answers 405.
    ///
    /// # Errors
    /// As [`resume`](Self::resume).
    pub fn end<'o>(&self, out: &'o mut [u8]) -> Result<Option<Request<'o>>, Error> {
        if self.session.is_empty() {
            return Ok(None);
        }
        let mut head = Writer::new(out);
        self.put_delete(&mut head)?;
        Ok(Some(Request { head: head.into_written(), body: &[] }))
    }

    #[inline(never)]
    pub(super) fn put_delete(&self, head: &mut Writer<'_>) -> Result<(), Error> {
        self.put_front("DELETE ", head)?;
        self.put_session(head);
        self.put_back(head)
    }

    /// Forgets the session, such as after its [`end`](Self::end).
    pub fn forget_session(&mut self) {
        self.session.clear();
        self.revision = None;
    }

    fn put_front(&self, method: &str, head: &mut Writer<'_>) -> Result<(), Error> {
        self.post.check()?;
        if self.post.has_header(|name| self.is_own(name)) {
            return Err(Error::new(ErrorKind::InvalidValue, 0));
        }
        self.post.put_line(method, head);
        let Some(Token(token)) = self.token else { return Ok(()) };
        // b64token = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"=" (RFC 6750 §2.1)
        if let Some(at) = token.bytes().position(|byte| !byte.is_ascii_graphic()) {
            return Err(Error::new(ErrorKind::InvalidValue, at));
        }
        put_line(head, b"authorization: Bearer ", token.as_bytes());
        Ok(())
    }

    /// Whether a request has this header already: of two values, a proxy and the server may read different ones.
    fn is_own(&self, name: &str) -> bool {
        let is = |own: &str| name.eq_ignore_ascii_case(own);
        name.get(..4).is_some_and(|front| front.eq_ignore_ascii_case("mcp-"))
            || is("last-event-id")
            || self.token.is_some() && is("authorization")
            || self.closes && is("connection")
    }

    fn put_session(&self, head: &mut Writer<'_>) {
        if let Some(revision) = self.revision {
            put_header(head, "mcp-protocol-version", revision.as_str());
        }
        if let Some(id) = self.session_id() {
            put_line(head, b"mcp-session-id: ", id);
        }
    }

    fn put_back(&self, head: &mut Writer<'_>) -> Result<(), Error> {
        self.post.put_headers(head);
        if self.closes {
            put_header(head, "connection", "close");
        }
        head.put(b"\r\n");
        head.finish(0)
    }

    /// Returns the meaning of a response with the head `reply`, and stores the id of a session that it opens.
    ///
    /// A status of 400 or more with a JSON body is a [message](Body::Message), too: an error object. If that answers no call, the call has
    /// no answer.
    #[inline(never)]
    pub fn receive<'h>(&mut self, reply: &Reply<'h>) -> Body<'h> {
        let status = reply.status;
        // "MUST only contain visible ASCII characters" (2025-11-25, Session Management)
        let is_id = |id: &&[u8]| !id.is_empty() && id.iter().all(u8::is_ascii_graphic);
        if let (200..=299, Some(id), false) = (status, reply.session_id.filter(is_id), self.is_stateless) {
            self.session.clear();
            // byte by byte: `memcpy` takes 1 KB of flash
            if !id.iter().all(|byte| self.session.push(*byte).is_ok()) {
                self.session.clear();
            }
        }
        let is_json = reply.has_type(JSON);
        match status {
            401 | 403 => Body::Unauthorized(status, reply.www_authenticate),
            404 if !self.session.is_empty() && !self.is_stateless => {
                self.forget_session();
                Body::SessionEnded
            }
            // it ends with its head (RFC 9112 §6.3)
            204 => Body::Nothing,
            200 if reply.has_type(EVENTS) => Body::Events,
            200..=299 if !is_json => Body::Nothing,
            200..=299 | 400.. if is_json => Body::Message,
            _ => Body::Failed(status),
        }
    }
}

/// Appends a header whose value may need base64.
fn put_text(head: &mut Writer<'_>, front: &[u8], value: RawStr<'_>) {
    head.put(front);
    put_value(value, head);
    head.put(b"\r\n");
}

/// Appends a header.
fn put_line(head: &mut Writer<'_>, front: &[u8], value: &[u8]) {
    head.put(front);
    head.put(value);
    head.put(b"\r\n");
}
