//! JSON-RPC over HTTP.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request as HttpRequest;
use axum::http::Version;
use axum::response::Response;
use axum::routing::{MethodRouter, any};
use nanojsonrpc::http::{Endpoint, Head, Length, Origins, Step};
use tokio::time::timeout;

use super::events::Events;
use super::{answered, empty, pairs};
use crate::once::once;
use crate::{CallService, Options, Text};

/// The time for a body to arrive, unless there is an idle time.
const PATIENCE: Duration = Duration::from_secs(30);

/// A service of calls over HTTP: `POST` with a message or a batch; `GET` opens a stream of [`Events`]. The statuses are those of
/// [`nanojsonrpc::http`].
///
/// A client that closes its connection cancels its calls: their futures are dropped.
///
/// # Limits
/// Those of the [`Options`], for each request alone: [`Options::deadline`] bounds the time of its handlers, [`Options::idle`], or 30 s, that in which its body arrives. The number of requests at once: a layer of
/// tower around the service or the application.
#[derive(Clone, Debug)]
#[must_use]
pub struct Http<S> {
    service: S,
    options: Options,
    origins: Origins<'static>,
    events: Option<Events>,
}

impl<S> Http<S> {
    /// Answers by `service`, for pages of this machine and for clients that are no browsers.
    pub const fn new(service: S) -> Self {
        Self { service, options: Options::new(), origins: Origins::Local, events: None }
    }

    /// The limits and rules.
    pub fn options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// The web pages that may call.
    pub fn origins(self, origins: Origins<'static>) -> Self {
        Self { origins, ..self }
    }

    /// Sends these events to each `GET`.
    pub fn events(self, events: Events) -> Self {
        Self { events: Some(events), ..self }
    }
}

impl<S, A> From<Http<S>> for MethodRouter<A>
where
    S: CallService + Clone + Sync + Unpin,
    A: Clone + Send + Sync + 'static,
{
    fn from(http: Http<S>) -> Self {
        let http = Arc::new(http);
        any(move |request: HttpRequest| {
            let http = Arc::clone(&http);
            async move { http.answer(request).await }
        })
    }
}

impl<S> Http<S>
where
    S: CallService + Clone + Sync + Unpin,
{
    async fn answer(&self, request: HttpRequest) -> Response {
        let (parts, body) = request.into_parts();
        let endpoint = Endpoint::new().with_origins(self.origins).reading_chunks();
        let endpoint = if self.events.is_some() { endpoint.with_events() } else { endpoint };
        let mut head = Head::from_headers(parts.method.as_str(), parts.uri.path(), pairs(&parts.headers));
        if parts.version >= Version::HTTP_2 && head.content_length.is_none() {
            // the frames show the end of the body
            head.transfer_encoding = Some(b"chunked");
        }
        let length = match endpoint.begin(&head, self.options.max_len) {
            Step::Read { length, .. } => length,
            Step::Respond(response) => {
                return match &self.events {
                    Some(events) if response.status() == 200 => {
                        answered(200, response.headers(), Body::from_stream(events.stream(head.last_event_id)))
                    }
                    _ => answered(response.status(), response.headers(), Body::empty()),
                };
            }
            _ => return empty(501),
        };
        let room = if let Length::Known(len) = length { len } else { self.options.max_len };
        // longer than the declared length is impossible; otherwise too long, or broken off
        let body = match timeout(self.options.idle.unwrap_or(PATIENCE), to_bytes(body, room)).await {
            Ok(Ok(body)) => body,
            Ok(Err(_)) => return empty(endpoint.too_long().status()),
            Err(_) => return empty(408),
        };
        let text = Text::parse(body, self.options.dialect);
        let is_refused = !text.is_batch() && text.messages().any(|message| message.is_err());
        match once(text, self.service.clone(), &self.options).await {
            Some(answer) => {
                let status = if is_refused { 400 } else { 200 };
                answered(status, &[("content-type", "application/json")], Body::from(answer))
            }
            None => empty(if is_refused { 400 } else { 204 }),
        }
    }
}
