//! Clients over HTTP: each text is the body of a `POST`, and its answer that of the response, as JSON or as events. The same transport
//! speaks JSON-RPC over HTTP and, as soon as a client begins its handshake, Streamable HTTP of the Model Context Protocol.
//!
//! ```no_run
//! use nanojsonrpc_tokio::{CallError, Client, Options, http};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let headers = vec![("authorization".to_owned(), "Bearer abc".to_owned())];
//! let client = Client::with_transport(http::connect("http://127.0.0.1:8080/rpc", headers, &Options::new())?, Options::new());
//! match client.call::<i64>("add", &[1, 2]).await {
//!     Ok(sum) => println!("{sum}"),
//!     Err(CallError::Peer(error)) if error.code == http::UNANSWERED => println!("no answer: {}", error.message),
//!     Err(error) => return Err(error.into()),
//! }
//! # Ok(()) }
//! ```
//!
//! # Calls without an answer
//! A `POST` that fails ends its own calls, at once, with an error object of the code [`UNANSWERED`], whose message has the reason: no
//! connection, a status without a message, another media type, a body that is too long or cut off, no authorization. Other calls go on.
//!
//! # Model Context Protocol
//! | step | what the transport does |
//! |---|---|
//! | answer to `initialize` | keeps `Mcp-Session-Id` and the revision, which later requests have in their heads |
//! | `notifications/initialized` was sent | opens the stream of messages outside of calls, and opens it again when it ends; a server without one answers 405 |
//! | a stream of events breaks off | resumes it after its last id, in the time that its `retry` says |
//! | request of 2026-07-28 | repeats revision, method and name in the head; its cancellation closes the response |
//! | 404 in a session | the session has ended: so does the transport, with an error |
//! | close | `DELETE` of the session, for at most a second |
//!
//! # Limits
//! | item | limit | beyond it |
//! |---|---|---|
//! | body, or event | [`Options::max_len`] | its calls are unanswered; an event alone is lost |
//! | time to a head, to the end of a body, or for a place | [`Options::patience`] | its calls are unanswered |
//! | time for a text without a call, which the next text waits for | 10 s | it is lost, and logged |
//! | texts with calls in flight | 64 | the next one waits for a place |
//! | attempts to resume a stream, without an event | 16 | its calls are unanswered |
//!
//! # Not supported
//! Redirects, because they would pass authorization on; HTTP/2; proxies; headers for params of tools (`x-mcp-header`); HTTP with SSE, the
//! transport of 2024-11-05.
//!
//! Source: RFC 9110; Model Context Protocol, 2026-07-28, Streamable HTTP, and 2025-11-25, Transports.

mod exchange;
mod fault;

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::SinkExt as _;
use futures_util::stream::poll_fn;
use hyper::Uri;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use nanojsonrpc::Id;
use nanojsonrpc::connection::Cancellation;
use nanojsonrpc::mcp::client::http::Remote;
use nanojsonrpc::mcp::method;
use nanojsonrpc::mcp::types::PROTOCOL_VERSION;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;
use tokio_util::sync::PollSender;

use crate::ends::{Ends, has_request};
use crate::{BoxError, Options, Text, Transport};
use exchange::Server;
pub use fault::UNANSWERED;

/// The texts with calls in flight.
const PLACES: usize = 64;
/// The texts that wait for a task.
const QUEUE: usize = 16;
/// The time to send a text without a call.
const NOTIFY: Duration = Duration::from_secs(10);
/// The time to end a session.
const END: Duration = Duration::from_secs(1);
/// The time between two probes of a silent connection.
const PROBE: Duration = Duration::from_secs(60);

/// The connections of a client.
#[cfg(feature = "rustls")]
type Connector = hyper_rustls::HttpsConnector<HttpConnector>;
#[cfg(not(feature = "rustls"))]
type Connector = HttpConnector;

/// A transport to the server at `address`: `http:`, or with the feature `rustls` `https:`. Connections are opened with the first text,
/// kept and shared. `headers` are added to each request; their values appear in no `Debug`.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] for another address, and for headers that no request may have or that the transport writes:
/// [`Remote::with_headers`].
///
/// # Panics
/// Outside of a runtime of tokio.
pub fn connect(address: &str, headers: Vec<(String, String)>, options: &Options) -> io::Result<impl Transport + use<>> {
    let uri: Uri = address.parse().map_err(invalid)?;
    let is_scheme = |scheme| uri.scheme_str() == Some(scheme);
    let is_known = is_scheme("http") || cfg!(feature = "rustls") && is_scheme("https");
    if !is_known {
        return Err(invalid("not an address of http, or of https with the feature `rustls`"));
    }
    check(&uri, &headers).map_err(invalid)?;
    let mut own = HeaderMap::new();
    for (name, value) in headers {
        let mut value = HeaderValue::from_maybe_shared(Bytes::from(value)).map_err(invalid)?;
        value.set_sensitive(true);
        own.append(HeaderName::try_from(name).map_err(invalid)?, value);
    }
    let client = Client::builder(TokioExecutor::new()).pool_timer(TokioTimer::new()).build(connector()?);
    // the connection of the client reads one text after the other
    let (received, mut texts) = mpsc::channel(1);
    let server = Arc::new(Server {
        client,
        uri,
        headers: own,
        // the client writes the host and the path
        remote: Mutex::new(Remote::new("localhost", "/")),
        options: options.clone(),
        places: Semaphore::new(PLACES),
        received,
    });
    let (sender, unsent) = mpsc::channel(QUEUE);
    tokio::spawn(run(server, unsent));
    let sink = PollSender::new(sender).sink_map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe));
    Ok(Ends { stream: Box::pin(poll_fn(move |task| texts.poll_recv(task))), sink: Box::pin(sink) })
}

/// Checks the address and the headers by the rules of the core.
fn check(uri: &Uri, headers: &[(String, String)]) -> Result<(), nanojsonrpc::Error> {
    let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let host = uri.authority().map_or("", |host| host.as_str());
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let len =
        headers.iter().map(|(name, value)| name.len().saturating_add(value.len()).saturating_add(4)).sum::<usize>();
    let mut room = vec![0; len.saturating_add(host.len()).saturating_add(path.len()).saturating_add(exchange::HEAD)];
    Remote::new(host, path).with_headers(&headers).resume(b"", &mut room).map(|_| ())
}

fn invalid(error: impl Into<BoxError>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error)
}

fn connector() -> io::Result<Connector> {
    let mut http = HttpConnector::new();
    // a small request would wait for the acknowledgement of the one before
    http.set_nodelay(true);
    // a stream of events may be silent for hours
    http.set_keepalive(Some(PROBE));
    #[cfg(feature = "rustls")]
    let http = {
        http.enforce_http(false);
        let provider = rustls::crypto::ring::default_provider();
        let tls = hyper_rustls::HttpsConnectorBuilder::new().with_provider_and_native_roots(provider)?;
        tls.https_or_http().enable_http1().wrap_connector(http)
    };
    Ok(http)
}

/// Sends the texts of the client until it closes, and then ends the session.
async fn run(server: Arc<Server>, mut unsent: mpsc::Receiver<Bytes>) {
    let mut exchanges = JoinSet::new();
    let mut calls: Vec<(Text, AbortHandle)> = Vec::new();
    loop {
        let text = tokio::select! {
            text = unsent.recv() => text,
            Some(_) = exchanges.join_next() => continue,
        };
        let Some(text) = text else { break };
        let text = Text::parse(text, server.options.dialect);
        if has_request(&text) {
            calls.retain(|(_, exchange)| !exchange.is_finished());
            calls.push((text.clone(), exchanges.spawn(Arc::clone(&server).call(text))));
            continue;
        }
        // "the client MUST close the response stream" in place of a notification (2026-07-28)
        if let Some((exchange, is_stateless)) = cancelled(&text, &calls) {
            exchange.abort();
            if is_stateless {
                continue;
            }
        }
        // in order: nothing may overtake `notifications/initialized`
        let sent = timeout(NOTIFY, server.exchange(&text, &mut Vec::new())).await;
        match sent.unwrap_or_else(|_| Err(fault::Fault::new("no response in time"))) {
            Ok(()) if text.messages().flatten().any(|message| message.method() == *method::INITIALIZED) => {
                _ = exchanges.spawn(Arc::clone(&server).listen());
            }
            Ok(()) => {}
            Err(fault) => {
                tracing::warn!("not sent: {fault}");
                server.end_if_over(&fault).await;
            }
        }
    }
    exchanges.shutdown().await;
    // an error means that the server keeps the session for a while
    _ = timeout(END, server.end()).await;
}

/// The exchange of the call that `text` cancels, and whether the call is one of 2026-07-28.
fn cancelled<'c>(text: &Text, calls: &'c [(Text, AbortHandle)]) -> Option<(&'c AbortHandle, bool)> {
    let notification = text.messages().next()?.ok()?;
    let id = Cancellation::MCP.cancels(&notification.envelope())?;
    calls.iter().find_map(|(sent, exchange)| {
        let call = sent.messages().next()?.ok()?;
        let is_it = Id::read(call.id()?).is_ok_and(|sent: Id| sent == id);
        let meta = call.payload().and_then(|params| params.get("_meta"));
        let is_stateless = meta.is_some_and(|meta| meta.get(PROTOCOL_VERSION).is_some());
        is_it.then_some((exchange, is_stateless))
    })
}
