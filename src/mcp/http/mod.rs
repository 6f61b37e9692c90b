//! Streamable HTTP as a function: the head and the body of a request in, a status, a few headers and a body out.
//!
//! The program parses requests (with `httparse`, `http`, `picoserve` or `edge-http`, for example), passes the relevant headers, and
//! writes the response; this module has no socket and no heap. One server answers clients of all revisions, because each request
//! has its revision:
//!
//! | | sessions: 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25 | stateless: 2026-07-28 |
//! |---|---|---|
//! | revision | `MCP-Protocol-Version`, or the revision of an [open session](Session::Open); without both, 2025-03-26. The header of an `initialize` is ignored | `MCP-Protocol-Version` and `_meta`, which must agree |
//! | `Mcp-Method`, `Mcp-Name` | ignored | must agree with the body |
//! | `Mcp-Param-…` of a tool with `x-mcp-header` | ignored | must agree with the arguments, if the program [compares](Endpoint::refuse_params) them |
//! | notification | 202 | 202 |
//! | response of the client | 202 | 400 |
//! | error of a request | 200 | 404 for -32601, 400 for -32700, -32600, -32602, -32020, -32021, -32022, otherwise 200 |
//! | the client closes the connection | no effect | cancels the request |
//! | `notifications/cancelled` | 202; the program [cancels](#cancellation) the request | 202, for a stream of `subscriptions/listen` |
//! | `GET` | 405, or a stream if [listening](Endpoint::listening) | 405 |
//! | `DELETE` | 405; if the program stores sessions, closes the session | 405 |
//! | session id | [optional](Session) | ignored |
//!
//! In each: 403 for a page of another [origin](Origins), and for a stream that a page of another site
//! [may open](crate::http#streams); 405 for other methods; 400 for a body that is not a message, with an error without id; 400 with
//! -32022 for an unsupported revision; 500 if the output is too short for the shortest answer.
//!
//! ```
//! use nanojsonrpc::mcp::http::{Endpoint, Head};
//! use nanojsonrpc::mcp::{Service, ToolCall, schema};
//!
//! let mut server = Service::new("thermometer", "1.0.0")
//!     .tool("read", "The temperature, in degrees.", schema!(r#"{"type":"object"}"#), |celsius: &mut i32, call: ToolCall<'_>| {
//!         call.text((*celsius, " degrees"))
//!     })
//!     .server();
//! let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "read")];
//! let head = Head::from_headers("POST", headers);
//! let body = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","_meta":{
//!     "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
//! let mut output = [0; 256];
//! let response = Endpoint::new().answer(&mut server, &mut 21, &head, body, &mut output);
//! assert_eq!(response.status(), 200);
//! assert_eq!(response.headers(), [("content-type", "application/json")]);
//! assert!(response.body().starts_with(br#"{"jsonrpc":"2.0","result":{"resultType":"complete","content":"#));
//!
//! // the same request, but a proxy in front of the server has read another name
//! let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "write")];
//! let head = Head::from_headers("POST", headers);
//! let response = Endpoint::new().answer(&mut server, &mut 21, &head, body, &mut output);
//! assert_eq!(response.status(), 400);
//! let error = br#"{"jsonrpc":"2.0","error":{"code":-32020,"message":"Header mismatch: Mcp-Name"},"id":1}"#;
//! assert_eq!(response.body(), error);
//! ```
//!
//! # Duties of the program
//! This endpoint does not check the length of a body. Before the program reads the body of a `POST`, the program must refuse a
//! `Content-Length` that is repeated, invalid or together with `Transfer-Encoding`, a body that is too long, and a repeated `Host`; and it
//! must answer `Expect: 100-continue`. [`http::Endpoint::begin`](crate::http::Endpoint::begin) decides all of this from the head, and also
//! refuses media types other than JSON. For the other methods, the program asks [`http::Head::lacks_host`](crate::http::Head::lacks_host) and
//! [`http::Head::closes`](crate::http::Head::closes).
//!
//! # Streams
//! A handler that sends messages before its answer ([`progress`](crate::mcp::service::Call::progress),
//! [`ahead`](crate::mcp::service::Call::ahead)) passes them to its context. The context writes the status and headers of
//! [`Response::STREAM`] once, and each message as an [`event`]. The body of the answer is then the last event. If no message
//! was sent before, the answer is JSON, with its status. The package `nanojsonrpc-tokio` does this in axum with a channel: its first message
//! decides that the response is a stream.
//!
//! In 2026-07-28, a client that closes such a stream cancels the request. The program detects the close by a failed write, or from its
//! socket. "The server [...] MUST NOT send any further messages for it."
//!
//! # Sessions
//! Each answer depends only on its request, so the endpoint stores nothing: a program has one server for all clients, or one for each
//! connection. A program with sessions looks up the id of the [head](Head::session_id), sets [`Head::session`] to the result, and then
//! applies [`Response::session_change`]. A message without a session id, except `initialize`, then gets 400, and one with an unknown id
//! 404. An `initialize` in an open session gets 400 with -32600, and does not change the session: a client begins a new one without an id.
//!
//! ```
//! use nanojsonrpc::mcp::http::{Endpoint, Head, Session, SessionChange};
//! use nanojsonrpc::mcp::{Revision, Service};
//!
//! let mut server = Service::<()>::new("lamp", "1.0.0").server();
//! let mut sessions: Vec<(String, Revision)> = Vec::new();
//! let mut statuses = Vec::new();
//! let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"me","version":"0"}}}"#;
//! let ping = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
//! for (method, id, body) in [
//!     ("POST", None, initialize),
//!     ("POST", Some("7f3a"), ping),
//!     ("DELETE", Some("7f3a"), ""),
//!     ("POST", Some("7f3a"), ping),
//!     ("POST", None, ping),
//! ] {
//!     let mut head = Head::from_headers(method, id.map(|id| ("Mcp-Session-Id", id)));
//!     let open = sessions.iter().find(|(open, _)| head.session_id == Some(open.as_bytes()));
//!     head.session = match (head.session_id, open) {
//!         (None, _) => Session::Absent,
//!         (Some(_), None) => Session::Unknown,
//!         (Some(_), Some((_, revision))) => Session::Open(*revision),
//!     };
//!     let mut output = [0; 256];
//!     let response = Endpoint::new().answer(&mut server, &mut (), &head, body.as_bytes(), &mut output);
//!     match response.session_change() {
//!         // a program uses a random id, and sends it as the header `Mcp-Session-Id` of the response
//!         SessionChange::Opened(revision) => sessions.push(("7f3a".into(), revision)),
//!         SessionChange::Closed => sessions.retain(|(open, _)| head.session_id != Some(open.as_bytes())),
//!         _ => {}
//!     }
//!     statuses.push(response.status());
//! }
//! assert_eq!(statuses, [200, 200, 200, 404, 400]);
//! ```
//!
//! # Cancellation
//! In the revisions with sessions, a client cancels a call with `notifications/cancelled`, in an HTTP request of its own. The endpoint
//! answers that with 202 and passes it to the routes, but it cannot end the call: a [`Service`](crate::mcp::Service) stores no calls, and
//! without a route for the notification it ignores it. So the program keeps the calls in flight, each with its session and its
//! [id](crate::mcp::service::Call::id), and a handler that runs long looks whether its call is cancelled. With `async` handlers, the program
//! can drop the future of [`answer_async`](Endpoint::answer_async) instead. The id alone is not enough, because clients number their
//! calls alike: a program without sessions cannot know whose call is meant, and must ignore the notification.
//!
//! ```
//! use std::sync::{Arc, Mutex};
//!
//! use nanojsonrpc::mcp::http::{Endpoint, Head, Session};
//! use nanojsonrpc::mcp::{Revision, Schema, Service, ToolCall, method};
//! use nanojsonrpc::server::Replied;
//! use nanojsonrpc::{Dialect, Id, Params, Router, Server};
//!
//! /// The calls in flight of all sessions: the session, the id, and whether the call is cancelled.
//! type Calls = Arc<Mutex<Vec<((String, Id), bool)>>>;
//!
//! /// The sender of one HTTP request.
//! struct Client {
//!     session: String,
//!     calls: Calls,
//! }
//!
//! fn bake(client: &mut Client, call: ToolCall<'_>) -> Replied {
//!     let id = call.id().and_then(|id| Id::read(id.raw()).ok()).unwrap_or_default();
//!     let mine = (client.session.clone(), id);
//!     client.calls.lock().unwrap().push((mine.clone(), false));
//!     for _minute in 0..60 {
//! #       // the request of HTTP that another thread answers meanwhile
//! #       post(client, r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#);
//!         if client.calls.lock().unwrap().contains(&(mine.clone(), true)) {
//!             break;
//!         }
//!     }
//!     let mut calls = client.calls.lock().unwrap();
//!     let at = calls.iter().position(|(known, _)| *known == mine);
//!     match at.map(|at| calls.swap_remove(at)) {
//!         // "Not send a response for the cancelled request": the program sends no body instead of this one
//!         Some((_, true)) => call.failed("cancelled"),
//!         _ => call.text("done"),
//!     }
//! }
//!
//! fn cancel(client: &mut Client, params: Params<'_>) {
//!     let Some(id) = params.get("requestId").and_then(|id| Id::read(id).ok()) else { return };
//!     let named = (client.session.clone(), id);
//!     for (_, is_cancelled) in client.calls.lock().unwrap().iter_mut().filter(|(known, _)| *known == named) {
//!         *is_cancelled = true;
//!     }
//! }
//!
//! fn post(client: &mut Client, body: &str) -> (u16, String) {
//!     let oven = Service::new("oven", "1.0.0").tool("bake", "Bakes.", Schema::NO_ARGUMENTS, bake);
//!     let router = Router::new().notification(method::CANCELLED, cancel).nest("", oven.router());
//!     let mut head = Head::new("POST");
//!     head.session = Session::Open(Revision::V2025_11_25); // of `client.session`
//!     let (mut server, mut output) = (Server::new(router).with_dialect(Dialect::MCP), [0; 256]);
//!     let response = Endpoint::new().answer(&mut server, client, &head, body.as_bytes(), &mut output);
//!     (response.status(), String::from_utf8_lossy(response.body()).into_owned())
//! }
//!
//! let mut client = Client { session: "7f3a".into(), calls: Calls::default() };
//! let (status, body) = post(&mut client, r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"bake"}}"#);
//! assert!(status == 200 && body.contains("cancelled"));
//! # let (_, body) = post(&mut client, r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"bake"}}"#);
//! # assert!(body.contains("done"));
//! ```
//!
//! # Resumability
//! In 2025-11-25, a server may close the stream of a call before the answer, so that no connection stays open: the client polls. It
//! reconnects after the time in `retry`, with a `GET` whose `Last-Event-ID` is the id of its last event, and gets the messages behind that.
//! The program stores the messages of each such stream in a [`Replay`](crate::http::Replay) with a number of its own as the epoch, together
//! with the session, because no other session may read them. The first event has an id and no data. In the repository,
//! `examples/mcp_conformance/polling.rs` does this.
//!
//! ```
//! use nanojsonrpc::http::{Replay, Stored};
//! use nanojsonrpc::mcp::http::{Endpoint, Head, Session};
//! use nanojsonrpc::mcp::{Revision, Service};
//!
//! // a call begins: the head `Response::STREAM`, this event, and the end of the connection
//! let (mut stream, mut out) = (Replay::<256>::new(41), [0; 128]);
//! let len = Stored { id: stream.newest(), data: b"" }.encode(&mut out)?;
//! assert_eq!([b"retry: 500\n", &out[..len]].concat(), b"retry: 500\nid: 41.0\ndata: \n\n");
//! // its handler reports, and answers
//! stream.push(br#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#)?;
//! stream.push(br#"{"jsonrpc":"2.0","result":{"content":[]},"id":1}"#)?;
//!
//! // the client reconnects; any other `GET` is refused
//! let missed = stream.after(Some(b"41.1"));
//! let endpoint = if missed.has_gap() { Endpoint::new() } else { Endpoint::new().listening() };
//! let mut head = Head::new("GET");
//! head.session = Session::Open(Revision::V2025_11_25);
//! let (mut server, mut output) = (Service::<()>::new("oven", "1.0.0").server(), [0; 128]);
//! assert!(endpoint.answer(&mut server, &mut (), &head, b"", &mut output).is_stream());
//! for event in missed {
//!     let len = event.encode(&mut out)?;
//!     assert_eq!(&out[..len], b"id: 41.2\ndata: {\"jsonrpc\":\"2.0\",\"result\":{\"content\":[]},\"id\":1}\n\n");
//! }
//! # Ok::<(), nanojsonrpc::Error>(())
//! ```
//!
//! # Not supported
//! `Accept` and `Content-Type` are ignored: the specification has no rule for servers about them.
//!
//! Source: 2026-07-28, Streamable HTTP; 2025-11-25 and 2025-06-18, Transports.

mod check;
mod head;
mod params;
mod response;

pub use crate::http::KEEP_ALIVE;
pub use head::{Head, Session};
pub use response::{Pieces, Response, SessionChange, event};

use check::Checked;

pub use crate::http::Origins;
use crate::json::Output;
use crate::mcp::Revision;
use crate::server::route::Routes;
use crate::server::{AsyncRoutes, Observer, Server};

/// The settings of a server of the protocol inside an HTTP server: the allowed origins, and whether clients may open a stream.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub struct Endpoint<'e> {
    origins: Origins<'e>,
    listens: bool,
}

impl<'e> Endpoint<'e> {
    /// An endpoint for pages of this machine and for clients that are not browsers, without unrequested messages.
    pub const fn new() -> Self {
        Self { origins: Origins::Local, listens: false }
    }

    /// Sets the web pages that may send requests.
    pub const fn with_origins(self, origins: Origins<'e>) -> Self {
        Self { origins, ..self }
    }

    /// Lets a client of a revision with sessions open a stream with `GET`. On this stream the program sends its own requests and
    /// notifications; see [`Response::is_stream`]. If the program stores no sessions, a `GET` without `Origin` must
    /// [show](crate::http#streams) that no page of another site sends it, by `MCP-Protocol-Version` or `Mcp-Session-Id`.
    ///
    /// ```
    /// use nanojsonrpc::mcp::Service;
    /// use nanojsonrpc::mcp::http::{Endpoint, Head, Session};
    /// use nanojsonrpc::mcp::Revision;
    ///
    /// let mut server = Service::<()>::new("lamp", "1.0.0").server();
    /// let mut head = Head::new("GET");
    /// head.session = Session::Open(Revision::V2025_11_25);
    /// let mut output = [0; 128];
    /// let response = Endpoint::new().listening().answer(&mut server, &mut (), &head, b"", &mut output);
    /// assert_eq!((response.status(), response.is_stream()), (200, true));
    /// ```
    pub const fn listening(self) -> Self {
        Self { listens: true, ..self }
    }

    /// Answers one HTTP request: checks its head, reads the message in its `body`, calls the handlers, and returns the
    /// response, with a body in `output`.
    ///
    /// # Limits
    /// The limits of [`Server::process`]. The program limits the length of a body and answers a longer one with 413 itself. Stack:
    /// constant, plus the stack of the handlers.
    ///
    /// Source: 2026-07-28, Streamable HTTP; 2025-11-25, Transports.
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
        if let Some(response) = self.without_body(head) {
            return response;
        }
        let mut checked = Checked::new(head);
        let processed = server.process_filtered(context, body, output.room(), |routes, exchange| {
            checked.check_message(exchange).map(|mark| Routes::mark(routes, mark)).is_some()
        });
        checked.finish(processed)
    }

    /// [`answer`](Self::answer) with handlers that may wait. If the future is dropped before it is done, there is no answer: drop it when
    /// the client of a stateless request closes the connection.
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
        if let Some(response) = self.without_body(head) {
            return response;
        }
        let mut checked = Checked::new(head);
        let processed = server.process_filtered_async(context, body, output.room(), |routes, exchange| {
            checked.check_message(exchange).map(|mark| AsyncRoutes::mark(routes, mark)).is_some()
        });
        let processed = processed.await;
        checked.finish(processed)
    }

    /// The response to a request without a relevant body.
    fn without_body(&self, head: &Head<'_>) -> Option<Response<'static>> {
        let revision = head.version.map(check::named);
        // only sessions have `GET` and `DELETE`: "respond with `405 Method Not Allowed`" (2026-07-28, Earlier Streamable HTTP Revisions)
        let has_sessions = !revision.flatten().is_some_and(Revision::is_stateless);
        let listens = self.listens && has_sessions;
        let closes = head.session != Session::NotKept && has_sessions;
        let is_get = head.method == "GET";
        // a page of another site cannot send these headers without a preflight
        let is_marked = head.version.is_some() || head.session_id.is_some() || head.session != Session::NotKept;
        let opens_stream = listens && is_get && head.origin.is_none();
        let status = if !self.origins.allow_request(head.origin)
            || opens_stream && !self.origins.allow_stream(head.host, is_marked)
        {
            403
        } else if head.method == "POST" {
            return None;
        } else if !(listens && is_get || closes && head.method == "DELETE") {
            405
        } else if revision == Some(None) || head.session == Session::Absent {
            // "an invalid or unsupported `MCP-Protocol-Version`" (2025-11-25, Protocol Version Header)
            400
        } else if head.session == Session::Unknown {
            404
        } else {
            200
        };
        Some(Response::without_body(status, listens, closes, status == 200 && is_get))
    }
}
