//! JSON-RPC over WebSocket.

use std::future::Future;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::ws::{Message, Utf8Bytes, WebSocketUpgrade};
use axum::extract::{FromRequestParts as _, Request};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, any};
use bytes::Bytes;
use nanojsonrpc::frame::Lines;
use nanojsonrpc::http::{Endpoint, Head, Origins, Step};
use tokio::sync::Semaphore;

use super::{answered, empty, pairs};
use crate::messages::{self, Close, Messages};
use crate::{MakeService, Options, Server, Transport};

impl messages::Message for Message {
    fn into_text(self) -> Result<Option<Bytes>, Close> {
        match self {
            Self::Text(text) => Ok(Some(text.into())),
            Self::Binary(text) => Ok(Some(text)),
            Self::Close(_) => Err(Close),
            Self::Ping(_) | Self::Pong(_) => Ok(None),
        }
    }

    fn from_text(text: Bytes) -> Option<Self> {
        Utf8Bytes::try_from(text).ok().map(Self::Text)
    }
}

/// Serves WebSockets of pages of this machine and of clients that are no browsers: each is a connection of `server`, with its limits.
pub fn websocket<M, A>(server: Server<M>) -> MethodRouter<A>
where
    M: MakeService + Send + Sync + 'static,
    A: Clone + Send + Sync + 'static,
{
    websocket_for(Origins::Local, server)
}

/// [`websocket`] for the pages of other `origins`.
pub fn websocket_for<M, A>(origins: Origins<'static>, server: Server<M, Lines>) -> MethodRouter<A>
where
    M: MakeService + Send + Sync + 'static,
    A: Clone + Send + Sync + 'static,
{
    let (connections, options) = (server.max_connections(), server.get_options().clone());
    let server = Arc::new(server);
    websocket_with(origins, connections, options, move |transport| {
        let server = Arc::clone(&server);
        async move {
            let reason = server.serve_transport(transport).await;
            tracing::debug!("ended: {reason}");
        }
    })
}

/// Passes each WebSocket of the pages of `origins`, and of clients that are no browsers, to `serve` as a transport, for a program that does
/// something with the texts on their way, or that ends its connections itself. At most `connections` are open at once; more get 503.
///
/// ```
/// use nanojsonrpc::http::Origins;
/// use nanojsonrpc_tokio::axum::websocket_with;
/// use nanojsonrpc_tokio::{Client, Options};
///
/// // the server is the one that calls
/// let sockets = websocket_with(Origins::Local, 16, Options::new(), async |transport| {
///     let device = Client::with_transport(transport, Options::new());
///     println!("{:?}", device.call::<u8>("level", &()).await);
/// });
/// let app: axum::Router = axum::Router::new().route("/devices", sockets);
/// # _ = app;
/// ```
pub fn websocket_with<A, F, Fut>(
    origins: Origins<'static>,
    connections: usize,
    options: Options,
    serve: F,
) -> MethodRouter<A>
where
    F: Fn(Box<dyn Transport>) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = ()> + Send + 'static,
    A: Clone + Send + Sync + 'static,
{
    let places = Arc::new(Semaphore::new(connections));
    any(move |request: Request| {
        let (places, options, serve) = (Arc::clone(&places), options.clone(), serve.clone());
        async move { open(origins, places, &options, serve, request).await }
    })
}

async fn open<F, Fut>(
    origins: Origins<'static>,
    places: Arc<Semaphore>,
    options: &Options,
    serve: F,
    request: Request,
) -> Response
where
    F: Fn(Box<dyn Transport>) -> Fut + Send + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    let (mut parts, _) = request.into_parts();
    let head = Head::from_headers(parts.method.as_str(), parts.uri.path(), pairs(&parts.headers));
    match Endpoint::new().with_origins(origins).with_websocket().begin(&head, 0) {
        Step::Respond(response) if response.status() == 200 => {}
        Step::Respond(response) => return answered(response.status(), response.headers(), Body::empty()),
        _ => return answered(405, &[("allow", "GET")], Body::empty()),
    }
    let upgrade = match WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
        Ok(upgrade) => upgrade,
        Err(refused) => return refused.into_response(),
    };
    let Ok(place) = places.try_acquire_owned() else { return empty(503) };
    let (len, dialect) = (options.max_len, options.dialect);
    // small messages leave at once; the default buffers take 256 KiB for each connection
    let upgrade =
        upgrade.read_buffer_size(4 * 1024).write_buffer_size(4 * 1024).max_message_size(len).max_frame_size(len);
    upgrade.on_upgrade(async move |socket| {
        serve(Box::new(Messages::new(socket, dialect))).await;
        drop(place);
    })
}
