//! The Model Context Protocol over Streamable HTTP.

mod sessions;

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request as HttpRequest;
use axum::http::request::Parts;
use axum::response::Response;
use axum::routing::{MethodRouter, any};
use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _};
use nanojsonrpc::http;
use nanojsonrpc::mcp::http::{
    Endpoint, Head, KEEP_ALIVE, Origins, Response as Answered, Session as Found, SessionChange, event,
};
use nanojsonrpc::mcp::{Revision, method};
use nanojsonrpc::server::{BoxedRoutes, Observer, Unobserved};
use nanojsonrpc::{Dialect, EnvelopeKind, ErrorCode, ErrorObject, Growing, Id, Server, ToJson, Writer};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::{answered, empty, pairs};
use crate::client::Command;
use crate::codec::MAX_LEN;
use crate::{CallError, Client, Message, Options, Text};
use sessions::Sessions;

/// The time for a body to arrive, unless there is an idle time.
const PATIENCE: Duration = Duration::from_secs(30);
/// The texts that wait for a client that reads slowly.
const WAITING: usize = 64;
/// The time after which an empty line shows that a stream is alive.
const ALIVE: Duration = Duration::from_secs(15);

/// The ids of the calls that a request may make.
const IDS: i64 = 1 << 20;
/// The greatest first id.
const MAX_ID: i64 = (1 << 52) - 1;

/// An MCP server over Streamable HTTP, for all revisions: with sessions, and without in 2026-07-28.
///
/// The context of each call is made from a [`Client`], through which a tool notifies its caller (progress, logs) and asks it (elicitation,
/// sampling, roots): the response then becomes a stream of events. The same server runs on standard input and output by
/// [`ServedAsync`](crate::ServedAsync).
///
/// ```no_run
/// use nanojsonrpc::mcp::{Schema, Service, ToolCall};
/// use nanojsonrpc::server::AsyncRoutes;
/// use nanojsonrpc::{Dialect, Server};
/// use nanojsonrpc_tokio::Client;
/// use nanojsonrpc_tokio::axum::Mcp;
///
/// # async fn run() -> std::io::Result<()> {
/// let service = Service::new("lamp", "1.0.0").tool_async("on", "Switches on.", Schema::NO_ARGUMENTS, async |_: &mut Client, (): ()| "on");
/// let routes = service.router().boxed(|routes, peer, call, exchange| Box::pin(routes.route(peer, call, exchange)));
/// let server = Server::new(routes).with_dialect(Dialect::MCP);
/// let app = axum::Router::new().route("/mcp", Mcp::new(server, |peer| peer).into());
/// axum::serve(tokio::net::TcpListener::bind("127.0.0.1:8080").await?, app).await
/// # }
/// ```
///
/// A client of 2026-07-28 cancels a call by closing its response, an earlier one by `notifications/cancelled`: its future is dropped.
///
/// # Limits
/// Sessions: 1,024 that are idle for at most an hour; the one that has been idle the longest makes room for a new one. Requests at once: 256; more get
/// 503. Messages, and the times of handlers: the [`Options`]. A body that takes longer than [`Options::idle`], or 30 s, to arrive gets 408.
pub struct Mcp<C, H = Unobserved>(Arc<Shared<C, H>>);

struct Shared<C, H> {
    server: Server<BoxedRoutes<C>, H>,
    context: Box<dyn Fn(Client) -> C + Send + Sync>,
    options: Options,
    origins: Origins<'static>,
    sessions: Sessions,
    requests: Arc<Semaphore>,
    /// The first id of the next request: the calls of a session have different ids, whichever request they belong to.
    ids: AtomicI64,
}

impl<C, H> Clone for Mcp<C, H> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<C, H> std::fmt::Debug for Mcp<C, H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mcp").field("options", &self.0.options).finish_non_exhaustive()
    }
}

/// The outcome of a request that borrows nothing.
struct Outcome {
    status: u16,
    headers: &'static [(&'static str, &'static str)],
    body: Bytes,
    change: SessionChange,
    is_stream: bool,
}

/// The task of a request. In 2026-07-28, a client cancels it by closing the response; axum then drops this value.
struct Answering {
    task: JoinHandle<Option<Outcome>>,
    is_cancelled_by_close: bool,
}

impl Drop for Answering {
    fn drop(&mut self) {
        if self.is_cancelled_by_close {
            self.task.abort();
        }
    }
}

/// The texts before an answer, and the answer.
struct Events<C, H> {
    mcp: Mcp<C, H>,
    session: Option<String>,
    call: Option<Message>,
    commands: mpsc::Receiver<Command>,
    answering: Option<Answering>,
    last: Option<Bytes>,
}

impl<C, H> Mcp<C, H>
where
    C: Send + 'static,
    H: Observer<C> + Clone + Send + Sync + 'static,
{
    /// Serves `server`; `context` makes the context of each call from the handle that reaches its caller.
    pub fn new(server: Server<BoxedRoutes<C>, H>, context: impl Fn(Client) -> C + Send + Sync + 'static) -> Self {
        Self::with(server, context, Options::new(), Origins::Local)
    }

    /// [`new`](Self::new) with limits, and for the pages of other origins.
    pub fn with(
        server: Server<BoxedRoutes<C>, H>,
        context: impl Fn(Client) -> C + Send + Sync + 'static,
        options: Options,
        origins: Origins<'static>,
    ) -> Self {
        let (sessions, requests) = (Sessions::new(1024, Duration::from_secs(3600)), Arc::new(Semaphore::new(256)));
        Self(Arc::new(Shared {
            server,
            context: Box::new(context),
            options,
            origins,
            sessions,
            requests,
            ids: AtomicI64::new(1),
        }))
    }

    /// Sends a notification to each client of a session that listens by `GET`, such as `notifications/tools/list_changed`.
    ///
    /// # Errors
    /// [`CallError::Unwritable`].
    pub fn notify(&self, method: &str, params: &(impl ToJson + ?Sized)) -> Result<(), CallError> {
        let mut text = Growing::new(self.0.options.max_answer_len);
        let mut out = Writer::new(&mut text);
        nanojsonrpc::Client::<(), 1, 0>::new().notify(method, params, &mut out).map_err(CallError::Unwritable)?;
        self.0.sessions.tell(&Bytes::copy_from_slice(out.written()));
        Ok(())
    }

    async fn answer(self, request: HttpRequest) -> Response {
        let (parts, body) = request.into_parts();
        let shared = &self.0;
        let mut room = 0;
        if parts.method == "POST" {
            let endpoint = http::Endpoint::new().with_origins(shared.origins).reading_chunks().reading_untyped();
            let head = http::Head::from_headers("POST", parts.uri.path(), pairs(&parts.headers));
            match endpoint.begin(&head, shared.options.max_len) {
                http::Step::Read { .. } => room = shared.options.max_len,
                http::Step::Respond(response) => return answered(response.status(), response.headers(), Body::empty()),
                _ => return empty(501),
            }
        }
        let Ok(place) = Arc::clone(&shared.requests).try_acquire_owned() else { return empty(503) };
        let body = match timeout(shared.options.idle.unwrap_or(PATIENCE), to_bytes(body, room)).await {
            Ok(Ok(body)) => body,
            Ok(Err(_)) => return empty(413),
            Err(_) => return empty(408),
        };
        let mut head = Head::from_headers(parts.method.as_str(), pairs(&parts.headers));
        let session = head.session_id.and_then(|id| Some(std::str::from_utf8(id).ok()?.to_owned()));
        head.session = shared.sessions.find(&head);
        let found = head.session;
        let is_stateless = head.version == Some(Revision::V2026_07_28.as_str().as_bytes());
        self.take(session.as_deref(), found, &body);

        let first = shared.ids.fetch_add(IDS, Ordering::Relaxed) & MAX_ID;
        let (peer, commands, _) = Client::channel_from(first, &shared.options);
        let (context, call) = ((shared.context)(peer), call_in(&body));
        let mcp = self.clone();
        let task = tokio::spawn(async move {
            // until the answer, also if the client has gone
            let _place = place;
            let answering = mcp.run(&parts, found, &body, context);
            match mcp.0.options.deadline {
                Some(time) => timeout(time, answering).await.ok(),
                None => Some(answering.await),
            }
        });
        if let Some(id) = call.as_ref().and_then(|call| Id::read(call.id()?).ok()) {
            _ = shared.sessions.with(session.as_deref(), |session| session.begin(id, task.abort_handle()));
        }
        let answering = Some(Answering { task, is_cancelled_by_close: is_stateless });
        let mut events = Events { mcp: self.clone(), session, call, commands, answering, last: None };
        match events.first().await {
            // a text precedes the answer, so the response is a stream
            Ok(first) => {
                let rest = stream::unfold(events, async |mut events| Some((events.next().await?, events)));
                let body = Body::from_stream(
                    stream::iter([first]).chain(rest).map(|text| Ok::<_, Infallible>(encoded(&text))),
                );
                answered(Answered::STREAM.status(), Answered::STREAM.headers(), body)
            }
            Err(outcome) => self.respond(events.session.as_deref(), outcome),
        }
    }

    /// Takes a response or a cancellation of the client.
    fn take(&self, session: Option<&str>, found: Found, body: &Bytes) {
        let is_open = matches!(found, Found::Open(_));
        let Some(Ok(message)) = Text::parse(body.clone(), Dialect::MCP).messages().next() else { return };
        let is_response = matches!(message.kind(), EnvelopeKind::Success | EnvelopeKind::Error);
        if is_open && (is_response || message.method() == *method::CANCELLED) {
            _ = self.0.sessions.with(session, |session| session.receive(message));
        }
    }

    async fn run(&self, parts: &Parts, found: Found, body: &[u8], mut context: C) -> Outcome {
        let mut head = Head::from_headers(parts.method.as_str(), pairs(&parts.headers));
        head.session = found;
        let (mut server, mut output) = (self.0.server.clone(), Growing::new(self.0.options.max_answer_len));
        let endpoint = Endpoint::new().with_origins(self.0.origins).listening();
        let answered = endpoint.answer_async(&mut server, &mut context, &head, body, &mut output).await;
        Outcome {
            status: answered.status(),
            headers: answered.headers(),
            body: Bytes::copy_from_slice(answered.body()),
            change: answered.session_change(),
            is_stream: answered.is_stream(),
        }
    }

    /// The response without a text before the answer.
    fn respond(&self, session: Option<&str>, outcome: Option<Outcome>) -> Response {
        // a cancelled call has no answer
        let Some(outcome) = outcome else { return empty(500) };
        if outcome.is_stream && outcome.body.is_empty() {
            let Some(texts) = self.0.sessions.with(session, |session| session.listen(WAITING)) else {
                return empty(404);
            };
            return answered(200, outcome.headers, Body::from_stream(listened(texts)));
        }
        let mut response = answered(outcome.status, outcome.headers, Body::from(outcome.body));
        match self.0.sessions.change(session, outcome.change) {
            Ok(Some(id)) => {
                if let Ok(id) = id.parse() {
                    response.headers_mut().insert("mcp-session-id", id);
                }
            }
            Ok(None) => {}
            Err(error) => {
                tracing::error!("no random numbers: {error}");
                return empty(500);
            }
        }
        response
    }
}

impl<C, H> Events<C, H> {
    /// The first text, or the outcome if none precedes it.
    async fn first(&mut self) -> Result<Bytes, Option<Outcome>> {
        loop {
            let Some(answering) = &mut self.answering else { return Err(None) };
            tokio::select! {
                biased;
                Some(command) = self.commands.recv() => {
                    if let Some(text) = self.sent(command) {
                        return Ok(text);
                    }
                }
                outcome = &mut answering.task => {
                    self.answering = None;
                    let outcome = match outcome {
                        Ok(Some(outcome)) => Some(outcome),
                        Ok(None) => self.failed(ErrorObject::new(ErrorCode::TIMED_OUT, "Request timed out")),
                        Err(error) if error.is_panic() => self.failed(ErrorObject::INTERNAL_ERROR),
                        // cancelled: no answer
                        Err(_) => None,
                    };
                    return self.sent_before(outcome);
                }
            }
        }
    }

    /// The answer to a call whose handler was late or has panicked.
    fn failed(&self, error: ErrorObject<'static>) -> Option<Outcome> {
        let call = self.call.as_ref()?;
        tracing::error!(method = %call.method(), "{error}");
        let body = crate::Response::error(error).write(call, &mut Vec::new(), MAX_LEN)?;
        let headers = &[("content-type", "application/json")];
        Some(Outcome { status: 200, headers, body, change: SessionChange::Same, is_stream: false })
    }

    /// The texts that were sent before the task ended.
    fn sent_before(&mut self, outcome: Option<Outcome>) -> Result<Bytes, Option<Outcome>> {
        while let Ok(command) = self.commands.try_recv() {
            if let Some(text) = self.sent(command) {
                self.last = outcome.map(|outcome| outcome.body);
                return Ok(text);
            }
        }
        Err(outcome)
    }

    /// The next text of the stream; the answer is the last one.
    async fn next(&mut self) -> Option<Bytes> {
        if self.answering.is_some() {
            match self.first().await {
                Ok(text) => return Some(text),
                Err(outcome) => self.last = outcome.map(|outcome| outcome.body),
            }
        }
        while let Ok(command) = self.commands.try_recv() {
            if let Some(text) = self.sent(command) {
                return Some(text);
            }
        }
        self.last.take().filter(|text| !text.is_empty())
    }

    /// The text of a command, whose calls wait in the session.
    fn sent(&self, command: Command) -> Option<Bytes> {
        let session = self.session.as_deref();
        match command {
            Command::Text(text) => Some(text),
            Command::Calls(text, calls) => {
                // a client without a session cannot answer, so these calls end
                self.mcp.0.sessions.with(session, |session| session.add(calls))?;
                Some(text)
            }
            Command::Forget(id) => {
                _ = self.mcp.0.sessions.with(session, |session| session.forget(id));
                None
            }
            Command::Close => None,
        }
    }
}

impl<C, H, A> From<Mcp<C, H>> for MethodRouter<A>
where
    C: Send + 'static,
    H: Observer<C> + Clone + Send + Sync + 'static,
    A: Clone + Send + Sync + 'static,
{
    fn from(mcp: Mcp<C, H>) -> Self {
        any(move |request: HttpRequest| mcp.clone().answer(request))
    }
}

/// The request in a body.
fn call_in(body: &Bytes) -> Option<Message> {
    let message = Text::parse(body.clone(), Dialect::MCP).messages().next()?.ok()?;
    (message.kind() == EnvelopeKind::Request).then_some(message)
}

fn encoded(text: &[u8]) -> Bytes {
    event(text).collect::<Vec<_>>().concat().into()
}

/// The texts of a stream that a client has opened.
fn listened(texts: mpsc::Receiver<Bytes>) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
    stream::unfold(texts, async |mut texts| match timeout(ALIVE, texts.recv()).await {
        Ok(text) => Some((Ok(encoded(&text?)), texts)),
        Err(_) => Some((Ok(Bytes::from_static(KEEP_ALIVE)), texts)),
    })
}
