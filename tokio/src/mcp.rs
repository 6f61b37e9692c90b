//! Clients of the Model Context Protocol.

use std::collections::BTreeMap;
use std::fmt;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use nanojsonrpc::connection::Cancellation;
use nanojsonrpc::mcp::client::{self as core, Call, ConnectError, Connected, Incoming};
use nanojsonrpc::mcp::method;
use nanojsonrpc::message::Str;
use nanojsonrpc::{Envelope, ErrorCode, ErrorObject, Growing, RawValue, ToJson, Writer};
use self_cell::self_cell;

use crate::client::connect_transport;
use crate::{BoxError, CallError, CallService, Client, Message, Missed, Options, Request, Response, Transport};

/// The time to wait for a server that does not answer `server/discover`: "If no response arrives within a reasonable time, [...] fall
/// back" (2026-07-28, Versioning).
const DISCOVER: Duration = Duration::from_secs(10);

self_cell!(
    /// The answer that has ended the handshake.
    struct Hello {
        owner: Bytes,
        #[covariant]
        dependent: Connected,
    }
);

/// A handle to call an MCP server over any [`Transport`], from any task and thread, in sessions (2024-11-05 to 2025-11-25) and without
/// (2026-07-28). Clones share the connection; it ends with the last of them.
///
/// The identity of the client, its capabilities and the wanted revision are those of a [`Client`](core::Client) of the core, whose handshake
/// and metadata these are; its limit of calls has no effect.
///
/// ```no_run
/// use nanojsonrpc::Dialect;
/// use nanojsonrpc::frame::Lines;
/// use nanojsonrpc::mcp::client::{Call, Client};
/// use nanojsonrpc::mcp::method;
/// use nanojsonrpc_tokio::{McpClient, Methods, Options, stream};
/// use tokio::process::Command;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let options = Options::new().dialect(Dialect::MCP);
/// let mut server = Command::new("server").stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn()?;
/// let (Some(output), Some(input)) = (server.stdout.take(), server.stdin.take()) else { return Ok(()) };
/// let transport = stream::<Lines, _>(tokio::io::join(output, input), &options);
///
/// let client = McpClient::connect(transport, Client::new("host", "1.0.0"), Methods::new(()), options).await?;
/// for page in client.list(method::TOOLS_LIST).await? {
///     println!("{:?}", page.payload());
/// }
/// let answer = client.call(&Call::tool("now", &())).await?;
/// println!("{:?}", answer.payload());
/// # Ok(()) }
/// ```
///
/// # Limits
/// Those of [`Options`]: [`patience`](Options::patience) is that of each call, [`deadline`](Options::deadline) that of a request of the server.
/// A server that does not answer `server/discover` within 10 s is one of the earlier revisions.
///
/// # Not supported
/// Answers to the input requests of a result of 2026-07-28: the call ends with [`CallError::Incomplete`].
#[derive(Clone)]
pub struct McpClient(Arc<Inner>);

struct Inner {
    client: Client,
    /// Writes the calls. None is in flight there: the connection has them.
    core: Mutex<core::Client<(), 1>>,
    hello: Hello,
}

impl McpClient {
    /// Connects: finds the common revision, and begins a session if that has one. `service` answers the requests of the server that
    /// `identity` declares (elicitation, sampling, roots); [`Methods::new(())`](crate::Methods::new) refuses them all with -32601. A `ping` is answered
    /// here.
    ///
    /// # Errors
    /// [`CallError::Peer`]: the server has refused, or, with [`ErrorCode::UNSUPPORTED_PROTOCOL_VERSION`], has no common revision. The other
    /// errors of a call.
    ///
    /// # Panics
    /// Outside of a runtime of tokio.
    pub async fn connect(
        transport: impl Transport + 'static,
        identity: core::Client<(), 1>,
        service: impl CallService + Unpin,
        options: Options,
    ) -> Result<Self, CallError> {
        let (mut core, patience) = (identity, options.patience);
        let options = options.cancelled_by(Cancellation::MCP);
        let client = connect_transport(transport, Some(Answering(service)), options);
        let mut next = written(|out| core.connect(out)).map_err(CallError::Unwritable)?.1;
        loop {
            let sent = Envelope::parse(&next).ok();
            let id = sent.and_then(|sent| sent.id()).and_then(RawValue::as_i64).unwrap_or_default();
            let is_discover = sent.is_some_and(|sent| sent.method() == *method::SERVER_DISCOVER);
            let patience = if is_discover { patience.min(DISCOVER) } else { patience };
            let answer = match client.clone().answer_to(id, next.clone(), patience, Bytes::new()).await {
                Err(CallError::Late) if is_discover => {
                    let (falls_back, text) = written(|out| core.fall_back(out)).map_err(CallError::Unwritable)?;
                    if !falls_back {
                        return Err(CallError::Late);
                    }
                    next = text;
                    continue;
                }
                answer => answer?,
            };
            let (hello, text) = written(|out| {
                Ok(Hello::try_new(answer.text(), |text| match core.receive(text, out) {
                    Incoming::Connected(server) => Ok(server),
                    Incoming::ToSend => Err(None),
                    Incoming::NotConnected(error) => Err(Some(refused(&error))),
                    _ => Err(Some(CallError::Incomplete(text.clone()))),
                }))
            })
            .map_err(CallError::Unwritable)?;
            match hello {
                Ok(hello) => {
                    // `notifications/initialized`, if a session begins
                    if !text.is_empty() {
                        client.send_text(text).await?;
                    }
                    return Ok(Self(Arc::new(Inner { client, core: Mutex::new(core), hello })));
                }
                Err(Some(error)) => return Err(error),
                Err(None) => next = text,
            }
        }
    }

    /// The server: the common revision, its capabilities, its identity, its instructions.
    pub fn server(&self) -> &Connected<'_> {
        self.0.hello.borrow_dependent()
    }

    /// Sends `call`, such as [`Call::tool`], and waits for the answer, whose [payload](Message::payload) is the result:
    /// [`CallToolResult::read`](nanojsonrpc::mcp::types::CallToolResult::read). A call that is late, or whose future is dropped, is
    /// cancelled at the server.
    ///
    /// # Errors
    /// [`CallError`]: the error object of the server, a result that is not complete, or no answer.
    pub async fn call<A: ToJson>(&self, call: &Call<'_, A>) -> Result<Message, CallError> {
        self.call_within(self.0.client.options().patience, call).await
    }

    /// [`call`](Self::call) with another limit of time.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub async fn call_within<A: ToJson>(&self, patience: Duration, call: &Call<'_, A>) -> Result<Message, CallError> {
        let (id, text, cancelled) = self.write(call)?;
        let answer = self.0.client.clone().answer_to(id, text, patience, cancelled).await?;
        let envelope = answer.envelope();
        if let Some(error) = envelope.error_object() {
            return Err(CallError::Peer(error.into()));
        }
        let kind = envelope.result().and_then(|result| result.get("resultType")).and_then(RawValue::as_str_raw);
        // "If absent, the client MUST treat it as complete" (2026-07-28)
        let is_complete = kind.is_none_or(|kind| kind == *"complete" || kind == *"task");
        if self.server().revision.is_stateless() && !is_complete {
            return Err(CallError::Incomplete(answer.text()));
        }
        Ok(answer)
    }

    /// The pages of the list `method`, such as [`method::TOOLS_LIST`]: the elements of the member `tools` of each
    /// [payload](Message::payload) are for [`Tool::read`](nanojsonrpc::mcp::types::Tool::read).
    ///
    /// # Errors
    /// As [`call`](Self::call); [`CallError::Incomplete`] with the last page if the list does not end.
    pub async fn list(&self, method: &str) -> Result<Vec<Message>, CallError> {
        let (mut pages, mut found, mut cursor) = (self.core().pages(), Vec::new(), None::<String>);
        loop {
            let page = self.call(&Call::page(method, cursor.as_deref().map(Str::Plain))).await?;
            let next = self.core().next_cursor(page.payload().unwrap_or(RawValue::NULL));
            let next = next.map_err(|error| CallError::Refused(error, page.text()))?.map(|next| next.to_string());
            if let Some(next) = &next {
                if pages.repeats(Str::Plain(next)) || !pages.count_page(Str::Plain(next)) {
                    return Err(CallError::Incomplete(page.text()));
                }
            }
            found.push(page);
            match next {
                Some(next) => cursor = Some(next),
                None => return Ok(found),
            }
        }
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// As [`Client::notify`].
    pub async fn notify(&self, method: &str, params: &(impl ToJson + ?Sized)) -> Result<(), CallError> {
        self.0.client.notify(method, params).await
    }

    /// The notifications of the server: logs, progress, changed lists and others. See [`Client::notifications`].
    pub fn notifications(&self) -> impl Stream<Item = Result<Message, Missed>> + Send + use<> {
        self.0.client.notifications()
    }

    /// Ends the connection, and a session over HTTP. Calls in flight end with [`CallError::Closed`].
    pub async fn close(&self) {
        self.0.client.close().await;
    }

    /// Whether the connection has ended for good.
    pub fn is_closed(&self) -> bool {
        self.0.client.is_closed()
    }

    fn core(&self) -> std::sync::MutexGuard<'_, core::Client<(), 1>> {
        self.0.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a call, and the notification that cancels it.
    fn write<A: ToJson>(&self, call: &Call<'_, A>) -> Result<(i64, Bytes, Bytes), CallError> {
        let mut core = self.core();
        let sent = written(|out| core.send(call, (), out).map_err(|refused| refused.error));
        let (id, text) = sent.map_err(CallError::Unwritable)?;
        let (_, cancelled) = written(|out| core.cancel(id, "", out)).map_err(CallError::Unwritable)?;
        Ok((id, text, cancelled))
    }
}

/// The outcome of `write`, and the written text.
fn written<T>(
    write: impl FnOnce(&mut Writer<'_>) -> Result<T, nanojsonrpc::Error>,
) -> Result<(T, Bytes), nanojsonrpc::Error> {
    let mut text = Growing::new(usize::MAX);
    let mut out = Writer::new(&mut text);
    let outcome = write(&mut out)?;
    Ok((outcome, Bytes::copy_from_slice(out.written())))
}

fn refused(error: &ConnectError<'_>) -> CallError {
    match error {
        ConnectError::Peer(error) => CallError::Peer((*error).into()),
        ConnectError::Refused(error, text) => CallError::Refused(*error, Bytes::copy_from_slice(text)),
        _ => CallError::Peer(ErrorObject::new(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, &error.to_string()).into()),
    }
}

impl fmt::Debug for McpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpClient").field("revision", &self.server().revision).finish_non_exhaustive()
    }
}

/// Answers pings beside a service: "The receiver MUST respond promptly with an empty response".
struct Answering<S>(S);

impl<S: CallService> tower::Service<Request> for Answering<S> {
    type Response = Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, task: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(task).map_err(Into::into)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        if request.method() == *method::PING {
            return Box::pin(ready(Ok(Response::result(BTreeMap::<String, ()>::new()))));
        }
        let called = self.0.call(request);
        Box::pin(async { called.await.map_err(Into::into) })
    }
}
