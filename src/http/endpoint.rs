//! Decides on a request: by its head alone, then with its body.

use super::response::{EVENTS, Response};
use super::value::{INVALID, is_json, number};
use super::{Head, Origins, host};
use crate::json::Output;
use crate::server::route::Routes;
use crate::server::{AsyncRoutes, Observer, Processed, Server};

/// Makes a JSON-RPC server reachable through an HTTP server. The module documentation lists the statuses of its responses.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub struct Endpoint<'e> {
    pub(super) path: Option<&'e str>,
    pub(super) origins: Origins<'e>,
    streams: Streams,
    reads_chunks: bool,
    reads_untyped: bool,
    accepts: bool,
}

/// What a `GET` opens.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Streams {
    #[default]
    None,
    Events,
    WebSocket,
}

/// The next step after the head of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Step {
    /// Read the body, then pass it to [`answer`](Endpoint::answer).
    Read {
        /// The length of the body.
        length: Length,
        /// Whether the client waits for [`CONTINUE`](super::CONTINUE) before it sends the body.
        is_awaited: bool,
    },
    /// Send this response. If its status is 200, a stream of events follows.
    Respond(Response<'static>),
}

/// The length of a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Length {
    /// This many bytes. They fit the buffer.
    Known(usize),
    /// The body comes in chunks. [`Chunked`](super::Chunked) decodes them. The program answers with [`Endpoint::too_long`] if they do not
    /// fit its buffer, and with [`Endpoint::malformed`] if they cannot be decoded.
    Chunks,
}

impl<'e> Endpoint<'e> {
    /// An endpoint at any path, for web pages of this machine and for clients that are not browsers.
    ///
    /// ```
    /// use nanojsonrpc::http::{Endpoint, Head, Origins, Step};
    ///
    /// // at one path, for the pages of one host; chunked bodies are decoded by the program
    /// let endpoint = Endpoint::new().at("/rpc").with_origins(Origins::Only(&["https://a.example"])).reading_chunks().accepting();
    /// let headers = [("content-type", "application/json"), ("content-length", "2"), ("origin", "https://b.example")];
    /// let Step::Respond(response) = endpoint.begin(&Head::from_headers("POST", "/rpc", headers), 64) else { unreachable!() };
    /// assert_eq!(response.status(), 403);
    /// assert_eq!(endpoint.too_long().status(), 413);
    /// ```
    pub const fn new() -> Self {
        Self {
            path: None,
            origins: Origins::Local,
            streams: Streams::None,
            reads_chunks: false,
            reads_untyped: false,
            accepts: false,
        }
    }

    /// Restricts the endpoint to this path, which is compared byte for byte. The query is ignored, except by
    /// [`read_target`](Self::read_target).
    pub const fn at(self, path: &'e str) -> Self {
        Self { path: Some(path), ..self }
    }

    /// Sets the web pages that may send requests.
    pub const fn with_origins(self, origins: Origins<'e>) -> Self {
        Self { origins, ..self }
    }

    /// Opens a stream of server-sent events on `GET`; see [`Replay`](super::Replay). A `GET` without `Origin` must
    /// [show](crate::http#streams) that no page of another site sends it.
    ///
    /// ```
    /// use nanojsonrpc::http::{Endpoint, Head, Step};
    ///
    /// let status = |headers: &[(&str, &str)]| {
    ///     let head = Head::from_headers("GET", "/", headers.iter().copied());
    ///     let Step::Respond(response) = Endpoint::new().with_events().begin(&head, 0) else { unreachable!() };
    ///     response.status()
    /// };
    /// assert_eq!(status(&[("Origin", "http://localhost:8080")]), 200);
    /// // a browser, for a page of this server; a program
    /// assert_eq!(status(&[("Host", "localhost"), ("Sec-Fetch-Site", "same-origin")]), 200);
    /// assert_eq!(status(&[("Host", "lamp.local"), ("Sec-Fetch-Site", "none")]), 200);
    /// // an `<img>` of any page
    /// assert_eq!(status(&[("Host", "lamp.local"), ("Accept", "image/*")]), 403);
    /// ```
    pub const fn with_events(self) -> Self {
        Self { streams: Streams::Events, ..self }
    }

    /// Answers 200 to a `GET`, so that the program reads it as the handshake of a WebSocket, in place of a stream of events. Browsers send
    /// `Origin` with every handshake, so a handshake without it comes from no page.
    ///
    /// ```
    /// use nanojsonrpc::http::{Endpoint, Head, Step};
    ///
    /// let status = |headers: &[(&str, &str)]| {
    ///     let head = Head::from_headers("GET", "/ws", headers.iter().copied());
    ///     let Step::Respond(response) = Endpoint::new().at("/ws").with_websocket().begin(&head, 0) else { unreachable!() };
    ///     response.status()
    /// };
    /// // then `frame::websocket::handshake::Request` decides
    /// assert_eq!(status(&[("Host", "lamp.local"), ("Upgrade", "websocket")]), 200);
    /// assert_eq!(status(&[("Host", "lamp.local"), ("Origin", "http://evil.example")]), 403);
    /// ```
    pub const fn with_websocket(self) -> Self {
        Self { streams: Streams::WebSocket, ..self }
    }

    /// Accepts bodies with `Transfer-Encoding: chunked`, for a program that decodes them with [`Chunked`](super::Chunked). Some clients, such
    /// as the official one of .NET for MCP, send all bodies so.
    pub const fn reading_chunks(self) -> Self {
        Self { reads_chunks: true, ..self }
    }

    /// Accepts a `POST` without `Content-Type`, which gets 415 otherwise: for clients on microcontrollers that send none. A page of any site
    /// can send one without a preflight, so only its `Origin` then protects the server.
    ///
    /// ```
    /// use nanojsonrpc::http::{Endpoint, Head, Length, Step};
    ///
    /// let endpoint = Endpoint::new().reading_untyped();
    /// let step = |headers: [(&str, &str); 2]| endpoint.begin(&Head::from_headers("POST", "/", headers), 64);
    /// let read = Step::Read { length: Length::Known(61), is_awaited: false };
    /// assert_eq!(step([("Host", "lamp.local"), ("Content-Length", "61")]), read);
    /// assert_ne!(step([("Content-Type", "text/plain"), ("Content-Length", "61")]), read);
    /// ```
    pub const fn reading_untyped(self) -> Self {
        Self { reads_untyped: true, ..self }
    }

    /// Answers a body that holds only notifications or responses with 202 instead of 204.
    pub const fn accepting(self) -> Self {
        Self { accepts: true, ..self }
    }

    /// Decides by the head of a request whether to read its body. `room` is the length of the buffer for the body.
    ///
    /// ```
    /// use nanojsonrpc::http::{Endpoint, Head, Length, Step};
    ///
    /// let headers = [("content-type", "application/json"), ("content-length", "70"), ("expect", "100-continue")];
    /// let head = Head::from_headers("POST", "/", headers);
    /// assert_eq!(Endpoint::new().begin(&head, 70), Step::Read { length: Length::Known(70), is_awaited: true });
    /// let Step::Respond(response) = Endpoint::new().begin(&head, 69) else { unreachable!() };
    /// assert_eq!((response.status(), response.closes()), (413, true));
    /// ```
    ///
    /// Source: RFC 9110 §8.6, §9.1, §10.1.1, §12.5.3, §15.5; RFC 9112 §6.
    pub fn begin(&self, head: &Head<'_>, room: usize) -> Step {
        let length = length(head);
        // an unread body would be read as the next request, unless the connection is closed
        let has_body = head.transfer_encoding.is_some() || !matches!(length, Ok(None | Some(0)));
        let closes = has_body || head.closes();
        let respond = |status| Step::Respond(Response::empty(status, &[], closes));
        if !self.origins.allow_request(head.origin) {
            return respond(403);
        }
        if self.path.is_some_and(|path| path != head.path()) {
            return respond(404);
        }
        let length = match length {
            Ok(length) => length,
            Err(status) => return respond(status),
        };
        match head.method {
            "POST" => {}
            "GET" if self.streams != Streams::None => {
                let is_marked = self.streams == Streams::WebSocket || head.is_marked();
                let is_allowed = head.origin.is_some() || self.origins.allow_stream(head.host, is_marked);
                return if is_allowed { Step::Respond(Response::empty(200, EVENTS, true)) } else { respond(403) };
            }
            // "The origin server MUST generate an Allow header field" (RFC 9110 §15.5.6)
            _ => {
                let allow =
                    if self.streams == Streams::None { &[("allow", "POST")] } else { &[("allow", "GET, POST")] };
                return Step::Respond(Response::empty(405, allow, closes));
            }
        }
        let is_plain = head.content_encoding.is_none_or(|coding| coding.eq_ignore_ascii_case(b"identity"));
        if !is_plain {
            // a client distinguishes "between issues related to content codings and media types" by this header (RFC 9110 §12.5.3)
            return Step::Respond(Response::empty(415, &[("accept-encoding", "identity")], closes));
        }
        if !head.content_type.map_or(self.reads_untyped, is_json) {
            return respond(415);
        }
        let length = match length {
            None if self.reads_chunks && head.transfer_encoding.is_some() => Length::Chunks,
            None => return respond(411),
            Some(len) => match usize::try_from(len) {
                Ok(len) if len <= room => Length::Known(len),
                _ => return respond(413),
            },
        };
        match head.expect {
            None => Step::Read { length, is_awaited: false },
            Some(expect) if expect.eq_ignore_ascii_case(b"100-continue") => {
                // "A server that receives a 100-continue expectation in an HTTP/1.0 request MUST ignore that expectation" (RFC 9110 §10.1.1)
                Step::Read { length, is_awaited: head.minor_version != Some(0) }
            }
            Some(_) => respond(417),
        }
    }

    /// The response to chunks that do not fit the buffer: 413. The program does not read the rest of the body.
    pub const fn too_long(&self) -> Response<'static> {
        Response::empty(413, &[], true)
    }

    /// The response to a body that cannot be decoded: 400. The program does not read the rest of the body.
    ///
    /// ```
    /// use nanojsonrpc::http::{Chunked, Endpoint};
    ///
    /// assert!(Chunked::new().decode(&mut b"61\n{".to_owned()).is_err());
    /// assert_eq!(Endpoint::new().malformed().status(), 400);
    /// assert!(Endpoint::new().malformed().closes());
    /// ```
    pub const fn malformed(&self) -> Response<'static> {
        Response::empty(400, &[], true)
    }

    /// Answers a request: checks its head as [`begin`](Self::begin) does, reads the message in `body`, calls the handlers, and returns the
    /// response, with its body in `output`. If the head has neither `Content-Length` nor chunks, no handler is called, even if `body` is
    /// not empty.
    ///
    /// # Limits
    /// The limits of [`Server::process`]. Stack: constant, plus the stack of the handlers.
    ///
    /// Source: RFC 9110 §15; JSON-RPC 2.0 §4 to §6.
    pub fn answer<'o, C, R, H, O: Output + ?Sized>(
        &self,
        server: &mut Server<R, H>,
        context: &mut C,
        head: &Head<'_>,
        body: &[u8],
        output: &'o mut O,
    ) -> Response<'o>
    where
        R: Routes<C>,
        H: Observer<C>,
    {
        if let Err(response) = self.check(head, body) {
            return response;
        }
        self.finish(head, server.process(context, body, output))
    }

    /// [`answer`](Self::answer) with `async` handlers.
    pub async fn answer_async<'o, C, R, H, O: Output + ?Sized>(
        &self,
        server: &mut Server<R, H>,
        context: &mut C,
        head: &Head<'_>,
        body: &[u8],
        output: &'o mut O,
    ) -> Response<'o>
    where
        R: AsyncRoutes<C>,
        H: Observer<C>,
    {
        if let Err(response) = self.check(head, body) {
            return response;
        }
        self.finish(head, server.process_async(context, body, output).await)
    }

    /// Checks the request. The error is the response to a request whose body reaches no handler.
    fn check(&self, head: &Head<'_>, body: &[u8]) -> Result<(), Response<'static>> {
        match self.begin(head, usize::MAX) {
            Step::Respond(response) => Err(response),
            Step::Read { length: Length::Known(len), .. } if len != body.len() => Err(self.malformed()),
            Step::Read { .. } => Ok(()),
        }
    }

    /// Returns the response to the request of `head` that carries the answer of the server.
    pub(super) fn finish<'o>(&self, head: &Head<'_>, processed: Processed<'o>) -> Response<'o> {
        let body = processed.answer().unwrap_or_default();
        let status = if processed.lacks_room() {
            500
        } else if processed.is_refused() {
            400
        } else if !body.is_empty() {
            200
        } else if self.accepts {
            202
        } else {
            204
        };
        Response::message(status, body, head.closes())
    }
}

/// Returns the declared length of a body; `None` without a body, or with chunks. The error is a status: for an ambiguous or invalid length,
/// which two servers could read differently (RFC 9112 §6.3), and for a repeated or invalid host.
pub(super) fn length(head: &Head<'_>) -> Result<Option<u64>, u16> {
    // "A server MUST respond with a 400 (Bad Request) status code to any HTTP/1.1 request message that lacks a Host header field and to any
    // request message that contains more than one Host header field line or a Host header field with an invalid field value" (RFC 9112
    // §3.2)
    // an empty host is that of a target without an authority (RFC 9110 §7.2)
    if head.lacks_host() || head.host.is_some_and(|host| !host.is_empty() && host::fault(host).is_some()) {
        return Err(400);
    }
    match (head.transfer_encoding, head.content_length) {
        (None, None) => Ok(None),
        (None, Some(len)) if is_huge(len) => Ok(Some(u64::MAX)),
        (None, Some(len)) => number(len).map(Some).ok_or(400),
        (Some(_), Some(_)) | (Some(INVALID), None) => Err(400),
        // "A server or client that receives an HTTP/1.0 message containing a Transfer-Encoding header field MUST treat the message as if the
        // framing is faulty" (RFC 9112 §6.1)
        (Some(_), None) if head.minor_version == Some(0) => Err(400),
        (Some(coding), None) if coding.eq_ignore_ascii_case(b"chunked") => Ok(None),
        (Some(_), None) => Err(501),
    }
}

/// Whether `len` consists of digits but exceeds `u64`. Such a length is valid, but too long.
fn is_huge(len: &[u8]) -> bool {
    !len.is_empty() && number(len).is_none() && len.iter().all(u8::is_ascii_digit)
}
