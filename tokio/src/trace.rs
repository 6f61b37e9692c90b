//! A layer that traces calls.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use tower::{Layer, Service};
use tracing::Instrument as _;

use crate::{Request, Response};

/// Traces each call as a span `call` with `method` and `id`, in which its handler runs, and an event with its outcome at its end: `code` (0 for
/// a result), `micros` and `bytes` of the call. Without payloads, unless [`with_payloads`](Self::with_payloads).
///
/// With the feature `metrics`: a counter `jsonrpc_calls_total` with the labels `method` and `code`, and a histogram
/// `jsonrpc_call_seconds` with the label `method`. Methods that the service does not know count as `unknown`, because each label takes
/// memory.
///
/// ```
/// use nanojsonrpc_tokio::{Methods, Server, Trace};
/// use tower::ServiceBuilder;
///
/// let methods = Methods::new(()).request("ping", async |(), ()| Ok("pong"));
/// let server = Server::new(ServiceBuilder::new().layer(Trace::new()).service(methods));
/// # _ = server;
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[must_use]
pub struct Trace {
    shows_payloads: bool,
}

impl Trace {
    /// A layer that shows no payloads.
    pub const fn new() -> Self {
        Self { shows_payloads: false }
    }

    /// Adds the whole text of each call to its event: for a developer, not for a log that others read.
    pub const fn with_payloads(self) -> Self {
        Self { shows_payloads: true }
    }
}

impl<S> Layer<S> for Trace {
    type Service = Traced<S>;

    fn layer(&self, inner: S) -> Traced<S> {
        Traced { inner, trace: *self }
    }
}

/// A service inside of [`Trace`].
#[derive(Clone, Copy, Debug)]
pub struct Traced<S> {
    inner: S,
    trace: Trace,
}

impl<S> Service<Request> for Traced<S>
where
    S: Service<Request, Response = Response>,
    S::Future: Send + 'static,
    S::Error: std::fmt::Debug,
{
    type Response = Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, task: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(task)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let (begun, text) = (Instant::now(), request.text());
        let method = request.method().to_string();
        let id = request.message().id().map(|id| id.as_json().to_owned());
        let span = tracing::info_span!("call", method, id = id.as_deref());
        let shows_payloads = self.trace.shows_payloads;
        let called = span.in_scope(|| self.inner.call(request));
        let traced = async move {
            let outcome = called.await;
            let code = match &outcome {
                Ok(response) => response.code().map_or(0, |code| code.0),
                Err(_) => nanojsonrpc::ErrorCode::INTERNAL_ERROR.0,
            };
            let time = begun.elapsed();
            let payload = shows_payloads.then(|| text.escape_ascii().to_string());
            tracing::info!(
                code,
                micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX),
                bytes = text.len(),
                text = payload.as_deref(),
                error = outcome.as_ref().err().map(tracing::field::debug),
            );
            #[cfg(feature = "metrics")]
            {
                let method =
                    if code == nanojsonrpc::ErrorCode::METHOD_NOT_FOUND.0 { "unknown".to_owned() } else { method };
                metrics::counter!("jsonrpc_calls_total", "method" => method.clone(), "code" => code.to_string())
                    .increment(1);
                metrics::histogram!("jsonrpc_call_seconds", "method" => method).record(time);
            }
            outcome
        };
        Box::pin(traced.instrument(span))
    }
}
