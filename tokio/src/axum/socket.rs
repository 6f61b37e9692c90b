//! JSON-RPC over WebSocket.

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
use crate::{MakeService, Server};

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
    let (places, server) = (Arc::new(Semaphore::new(server.max_connections())), Arc::new(server));
    any(move |request: Request| {
        let (places, server) = (Arc::clone(&places), Arc::clone(&server));
        async move { open(origins, &places, server, request).await }
    })
}

async fn open<M>(
    origins: Origins<'static>,
    places: &Arc<Semaphore>,
    server: Arc<Server<M>>,
    request: Request,
) -> Response
where
    M: MakeService + Send + Sync + 'static,
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
    let Ok(place) = Arc::clone(places).try_acquire_owned() else { return empty(503) };
    let options = server.get_options();
    let (len, dialect) = (options.max_len, options.dialect);
    // small messages leave at once; the default buffers take 256 KiB for each connection
    let upgrade =
        upgrade.read_buffer_size(4 * 1024).write_buffer_size(4 * 1024).max_message_size(len).max_frame_size(len);
    upgrade.on_upgrade(async move |socket| {
        let reason = server.serve_transport(Messages::new(socket, dialect)).await;
        tracing::debug!("ended: {reason}");
        drop(place);
    })
}
