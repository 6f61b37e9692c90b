//! A client of the Model Context Protocol: it finds the common revision with a server, calls its tools, follows the pages of its
//! lists, and answers its requests.
//!
//! [`Client`] does no input or output: it writes requests into a [`Writer`] and takes received texts.
//! [`http`] sends them over Streamable HTTP.
//! `Client::over` drives it over a `connection::Connection`, with the feature `embedded-io`:
//!
#![cfg_attr(feature = "embedded-io", doc = "```")]
#![cfg_attr(not(feature = "embedded-io"), doc = "```ignore")]
//! use nanojsonrpc::connection::Connection;
//! use nanojsonrpc::frame::{Framer, Lines};
//! use nanojsonrpc::mcp::client::Client;
//! use nanojsonrpc::mcp::types::Content;
//! use nanojsonrpc::mcp::Revision;
//! use nanojsonrpc::{Dialect, RawValue, Router, Server};
//!
//! // the messages of a server of 2025-06-18, which does not know `server/discover`
//! let incoming = concat!(
//!     r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#, "\n",
//!     r#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"lamp","version":"1"}}}"#, "\n",
//!     r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"on"}]}}"#, "\n",
//! );
//! let mut sent = [0; 1024];
//! let (mut framer, mut output) = (Framer::<Lines, 256>::new(), [0; 512]);
//! let mut connection = Connection::new(incoming.as_bytes(), &mut sent[..], &mut framer, &mut output);
//! // the router handles requests and notifications of the server
//! let mut server = Server::new(Router::<()>::new()).with_dialect(Dialect::MCP);
//!
//! let (mut client, mut context) = (Client::new("switchboard", "1.0.0"), ());
//! let mut session = client.over(&mut connection, &mut server, &mut context);
//! assert!(session.connect().is_ok_and(|server| server.revision == Revision::V2025_06_18));
//! let on = RawValue::parse(br#"{"on":true}"#).unwrap();
//! let result = session.call_tool("switch", &on).unwrap();
//! assert!(matches!(result.content.iter().next(), Some(Content::Text(content)) if content.text == "on"));
//! ```
//!
//! # Both generations
//! | | sessions: 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25 | stateless: 2026-07-28 |
//! |---|---|---|
//! | begins with | `initialize`, after `server/discover` has failed | `server/discover` |
//! | revision and capabilities | once | in the `_meta` of each request |
//! | a request of the server | is a request; the [`Router`](crate::Router) of the program answers it | is part of a result; the session repeats the call with the answers of the same router |
//!
//! # Limits
//! | item | limit | set by | beyond it |
//! |---|---|---|---|
//! | calls in flight | `N`; a session: 1 | const generic of [`Client`] | [`TooManyCalls`](crate::ErrorKind::TooManyCalls) |
//! | pages of a list | 1000 | [`Client::max_pages`] | `SessionError::Pages` |
//! | rounds of input requests in one call; input requests of a task | [`MAX_ROUNDS`] | constant | `SessionError::Rounds` |
//! | requests for the state of a task | [`MAX_POLLS`] | constant | `SessionError::Polls` |
//! | id of a task in a session | 128 bytes as spelled | constant | `SessionError::Refused` |
//!
//! # Not supported
//! Batches of 2025-03-26 in a session: one with the answer to a call ends the call with an error, others are dropped. Without a session, a
//! program passes each element to [`Client::receive`]:
//!
//! ```
//! use nanojsonrpc::mcp::client::{Call, Client, Incoming};
//! use nanojsonrpc::{RawValue, Writer};
//!
//! let mut client: Client<char, 2> = Client::new("me", "1.0.0");
//! let mut buffer = [0; 1024];
//! let mut out = Writer::new(&mut buffer);
//! # client.connect(&mut out)?;
//! # client.receive(br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":""}}"#, &mut out);
//! # let initialized = br#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}"#;
//! # assert!(matches!(client.receive(initialized, &mut out), Incoming::Connected(_)));
//! # out.clear();
//! client.send(&Call::tool("now", &()), 'n', &mut out).map_err(|refused| refused.error)?;
//! client.send(&Call::tool("off", &()), 'o', &mut out).map_err(|refused| refused.error)?;
//! let batch = br#"[{"jsonrpc":"2.0","result":{},"id":4},{"jsonrpc":"2.0","result":{},"id":3}]"#;
//! let mut answered = RawValue::parse(batch)?.elements().map(|element| client.receive(element.as_bytes(), &mut out));
//! assert!(matches!(answered.next(), Some(Incoming::Answer('o', _))) && matches!(answered.next(), Some(Incoming::Answer('n', _))));
//! # Ok::<(), nanojsonrpc::Error>(())
//! ```
//!
//! Requests of a server that run as tasks of the client (2025-11-25). A stream of `subscriptions/listen` beside a session.
//!
//! Source: the schemas of the revisions; 2026-07-28, "Versioning", "Multi Round-Trip Requests".

mod call;
mod handshake;
pub mod http;
mod identity;
mod incoming;
mod listener;
mod pages;
mod pending;
mod rounds;
#[cfg(feature = "embedded-io")]
mod session;
mod tasks;
mod tool_result;

pub use call::Call;
pub use incoming::{ConnectError, Connected, Incoming, NO_CODE, Outcome};
pub use listener::{Listening, OnLog, OnProgress, OnResourceUpdated, on_log, on_progress, on_resource_updated};
pub use pages::Pages;
pub use rounds::{MAX_POLLS, MAX_ROUNDS};
#[cfg(feature = "embedded-io-async")]
pub use session::AsyncSession;
#[cfg(feature = "embedded-io")]
pub use session::{Session, SessionError};
pub use tasks::{TASKS, TaskParams};
pub use tool_result::ToolResult;

use call::{Meta, put_head};
use handshake::Phase;
use identity::{ELICITATION, Identity, ROOTS, SAMPLING};
use pending::Pending;
use rounds::{input_requests, put_state};

use super::value::write_some_text;
use super::{Revision, method};
use crate::client::{CallRefused, Sent};
use crate::error::{Error, ErrorKind};
use crate::json::{ObjectWriter, RawValue, ToJson, Writer};
use crate::mcp::types::{Implementation, InputRequest, LoggingLevel};

/// The calling side of the Model Context Protocol, without input and output: it writes requests and classifies received texts.
///
/// `N` calls can be in flight, each with a tag of type `T`. A session over a connection is a `Client<(), 1>`.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::mcp::client::{Call, Client, Incoming, Outcome};
/// use nanojsonrpc::mcp::types::CallToolResult;
/// use nanojsonrpc::mcp::Revision;
/// use nanojsonrpc::{RawValue, Writer};
///
/// let mut client: Client<&str, 4> = Client::new("me", "1.0.0");
/// let mut buffer = [0; 512];
/// let mut out = Writer::new(&mut buffer);
/// client.connect(&mut out)?; // `server/discover`
/// out.clear(); // it is sent
/// let answer = br#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}"#;
/// assert!(matches!(client.receive(answer, &mut out), Incoming::Connected(server) if server.revision == Revision::V2026_07_28));
///
/// client.send(&Call::tool("now", &()), "clock", &mut out)?;
/// let answer = br#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[]}}"#;
/// let Incoming::Answer(tag, Outcome::Result(result)) = client.receive(answer, &mut out) else { panic!() };
/// assert_eq!((tag, CallToolResult::read(result)?.content.iter().count()), ("clock", 0));
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub struct Client<T = (), const N: usize = 1> {
    pending: Pending<T, N>,
    phase: Phase,
    identity: Identity,
    /// The revision to use; `None`: find a common one.
    wanted: Option<Revision>,
    max_pages: u32,
    is_lenient: bool,
}

impl<T, const N: usize> Client<T, N> {
    /// A client called `name`, not connected yet.
    pub const fn new(name: &'static str, version: &'static str) -> Self {
        let identity = Identity {
            name,
            version,
            implementation: None,
            capabilities: 0,
            declared: &[],
            log_level: None,
            wants_progress: false,
        };
        let pending = Pending::new();
        Self { pending, phase: Phase::Idle, identity, wanted: None, max_pages: 1000, is_lenient: false }
    }

    /// Sets a full description of the client, beyond name and version.
    pub fn implementation(mut self, implementation: &'static Implementation<'static>) -> Self {
        self.identity.implementation = Some(implementation);
        self
    }

    /// Declares that the client reports its roots: the router has a handler for [`ROOTS_LIST`](method::ROOTS_LIST).
    pub fn roots(mut self) -> Self {
        self.identity.capabilities |= ROOTS;
        self
    }

    /// Declares that the client queries a language model: the router has a handler for
    /// [`SAMPLING_CREATE_MESSAGE`](method::SAMPLING_CREATE_MESSAGE).
    pub fn sampling(mut self) -> Self {
        self.identity.capabilities |= SAMPLING;
        self
    }

    /// Declares that the client queries its user: the router has a handler for [`ELICITATION_CREATE`](method::ELICITATION_CREATE).
    pub fn elicitation(mut self) -> Self {
        self.identity.capabilities |= ELICITATION;
        self
    }

    /// Declares other capabilities, or `roots`, `sampling` or `elicitation` with an object of settings:
    /// `("elicitation", {"form":{},"url":{}})`.
    pub fn declaring(mut self, capabilities: &'static [(&'static str, RawValue<'static>)]) -> Self {
        self.identity.declared = capabilities;
        self
    }

    /// Requests progress notifications with each request. Their token is the id of the request.
    pub fn progress(mut self) -> Self {
        self.identity.wants_progress = true;
        self
    }

    /// Requests log messages from `level` on, with each request of 2026-07-28. In a session, use [`Call::set_level`].
    pub fn log_level(mut self, level: LoggingLevel) -> Self {
        self.identity.log_level = Some(level);
        self
    }

    /// Uses only `revision`. By default, the client sends `server/discover` and falls back to a session.
    pub fn revision(self, revision: Revision) -> Self {
        Self { wanted: Some(revision), ..self }
    }

    /// Uses `revision` without a handshake, for a server with a known revision.
    pub fn connected_as(self, revision: Revision) -> Self {
        Self { phase: Phase::Connected(revision), ..self }
    }

    /// Follows at most `pages` pages of a list. Default: 1000.
    pub fn max_pages(self, pages: u32) -> Self {
        Self { max_pages: pages, ..self }
    }

    /// Limits the pages of one list.
    pub const fn pages(&self) -> Pages {
        Pages::new(self.max_pages)
    }

    /// Accepts messages that devices send against the specification:
    ///
    /// - an error object without a `code`, which gets the code [`NO_CODE`];
    /// - a response with the id of a call in another spelling, such as `"1"` or `1.0` for 1;
    /// - null or `[]` in place of an object without members: the capabilities of the server, and the params of its requests and notifications.
    ///   The [`Server`](crate::Server) of a session that is to answer them needs [`with_any_params`](crate::Dialect::with_any_params), too;
    /// - an empty `nextCursor`, which ends a list.
    pub fn lenient(self) -> Self {
        Self { is_lenient: true, ..self }
    }

    /// The negotiated revision; `None` before the client is connected.
    pub const fn negotiated(&self) -> Option<Revision> {
        match self.phase {
            Phase::Connected(revision) => Some(revision),
            _ => None,
        }
    }

    /// The ids and tags of the calls in flight, in no particular order.
    pub fn in_flight(&self) -> impl Iterator<Item = (i64, &T)> {
        self.pending.iter()
    }

    /// Ends all calls in flight, for example after a lost connection, and calls `each` with their ids and tags. Then the client is not
    /// connected: call [`connect`](Self::connect) for a new stream.
    pub fn drain(&mut self, mut each: impl FnMut(i64, T)) {
        self.phase = Phase::Idle;
        while let Some((id, tag)) = self.pending.take_any() {
            each(id, tag);
        }
    }

    /// Appends the request of `call` to `out`, stores it with `tag`, and returns its id.
    ///
    /// # Errors
    /// [`UnexpectedMessage`](ErrorKind::UnexpectedMessage) if the client is not connected,
    /// [`TooManyCalls`](ErrorKind::TooManyCalls), [`OutputFull`](ErrorKind::OutputFull),
    /// [`InvalidParams`](ErrorKind::InvalidParams) if the params of [`Call::of`] are not an object, and the errors of the arguments. Then
    /// nothing is written or stored, and the [`CallRefused`] returns the tag.
    pub fn send<A: ToJson>(&mut self, call: &Call<'_, A>, tag: T, out: &mut Writer<'_>) -> Result<i64, CallRefused<T>> {
        self.send_with(tag, out, |out| call.open(out))
    }

    /// Appends `call` again, with the answers to the input requests of the result `required`, which `answer` writes one by one, and
    /// with the `requestState` of that result. 2026-07-28.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::mcp::Revision;
    /// use nanojsonrpc::mcp::client::{Call, Client};
    /// use nanojsonrpc::{RawValue, Writer};
    ///
    /// let mut client: Client<(), 1> = Client::new("me", "1.0.0").roots().connected_as(Revision::V2026_07_28);
    /// let required = RawValue::parse(br#"{"inputRequests":{"where":{"method":"roots/list"}},"requestState":"s1"}"#)?;
    /// let mut buffer = [0; 512];
    /// let mut out = Writer::new(&mut buffer);
    /// let roots = RawValue::parse(br#"{"roots":[]}"#)?;
    /// client.repeat(&Call::tool("scan", &()), required, (), &mut out, |request, out| {
    ///     assert!(request.method == "roots/list");
    ///     out.value(&roots)
    /// })?;
    /// let params = br#""params":{"name":"scan","inputResponses":{"where":{"roots":[]}},"requestState":"s1","_meta":"#;
    /// assert!(out.written().windows(params.len()).any(|part| part == params));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`send`](Self::send), and the errors of `answer`; if `required` has another shape,
    /// [`UnexpectedType`](ErrorKind::UnexpectedType) and those of [`InputRequest::read`].
    pub fn repeat<A: ToJson>(
        &mut self,
        call: &Call<'_, A>,
        required: RawValue<'_>,
        tag: T,
        out: &mut Writer<'_>,
        mut answer: impl FnMut(InputRequest<'_>, &mut Writer<'_>) -> Result<(), Error>,
    ) -> Result<i64, CallRefused<T>> {
        self.send_with(tag, out, |out| {
            let meta = call.open(out)?;
            let Some(requests) = input_requests(required)? else { return put_state(required, out).map(|()| meta) };
            out.put_name("inputResponses");
            out.put_byte(b'{');
            for (key, request) in requests.members() {
                out.put_raw_name(key);
                answer(InputRequest::read(request)?, out)?;
            }
            out.put_byte(b'}');
            put_state(required, out).map(|()| meta)
        })
    }

    /// Appends a request; `open` appends the part before the metadata, and returns what the program adds to the metadata.
    #[inline(never)]
    fn send_with<'m>(
        &mut self,
        tag: T,
        out: &mut Writer<'_>,
        open: impl FnOnce(&mut Writer<'_>) -> Result<Meta<'m>, Error>,
    ) -> Result<i64, CallRefused<T>> {
        let before = out.len();
        let opened = open(out);
        match self.close(before, opened, out) {
            Ok(id) => {
                self.pending.insert(Sent::written(id, before, out), tag);
                Ok(id)
            }
            Err(error) => Err(CallRefused { error, tag }),
        }
    }

    /// Completes the request that begins after `before` bytes, or removes it.
    #[inline(never)]
    fn close(&self, before: usize, opened: Result<Meta<'_>, Error>, out: &mut Writer<'_>) -> Result<i64, Error> {
        let closed = opened.and_then(|meta| {
            let id = self.next()?;
            self.identity.close(self.negotiated(), id, meta, out);
            out.finish(before).map(|()| id)
        });
        if closed.is_err() {
            out.truncate(before);
        }
        closed
    }

    /// The id of the next call, if there is room for one and the client is connected.
    fn next(&self) -> Result<i64, Error> {
        if self.negotiated().is_none() {
            return Err(Error::new(ErrorKind::UnexpectedMessage, 0));
        }
        self.pending.next()
    }

    /// Cancels the call `id` and returns its tag. Appends the notification for the server to `out`, with the `reason` if it is not empty. A
    /// later answer is [unmatched](Incoming::Unmatched). `None` if no such call is in flight.
    ///
    /// # Errors
    /// [`OutputFull`](ErrorKind::OutputFull): then the call stays in flight.
    #[inline(never)]
    pub fn cancel(&mut self, id: i64, reason: &str, out: &mut Writer<'_>) -> Result<Option<T>, Error> {
        if !self.pending.has(id) {
            return Ok(None);
        }
        let before = out.len();
        put_head(method::CANCELLED, out);
        out.put(b",\"params\":{\"requestId\":");
        out.put_signed(id);
        write_some_text(&mut ObjectWriter::over(out), "reason", reason);
        out.put(b"}}");
        out.finish(before)?;
        Ok(self.pending.take(id))
    }
}
