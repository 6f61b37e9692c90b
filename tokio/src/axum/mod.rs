//! JSON-RPC in an axum application: [`Http`] and [`websocket`], and with the feature `mcp` the Model Context Protocol.
//!
//! ```no_run
//! use axum::serve::ListenerExt as _;
//! use nanojsonrpc_tokio::axum::{Http, websocket};
//! use nanojsonrpc_tokio::{Methods, Server};
//!
//! # async fn run() -> std::io::Result<()> {
//! let methods = Methods::new(()).request("ping", async |(), ()| Ok("pong"));
//! let app = axum::Router::new()
//!     .route("/rpc", Http::new(methods.clone()).into())
//!     .route("/ws", websocket(Server::new(methods)));
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
//! // otherwise a small message of a WebSocket may wait 40 ms; an error means that the client has gone
//! axum::serve(listener.tap_io(|stream| _ = stream.set_nodelay(true)), app).await
//! # }
//! ```
//!
//! # Web pages
//! Only pages of this machine may call, unless [`Http::origins`] and [`websocket_for`] say otherwise: the rules of
//! [`nanojsonrpc::http`](nanojsonrpc::http#web-pages).

mod events;
mod extract;
mod http;
#[cfg(feature = "mcp")]
mod mcp;
mod socket;

pub use events::Events;
pub use extract::{Answer, Call};
pub use http::Http;
#[cfg(feature = "mcp")]
#[cfg_attr(docsrs, doc(cfg(feature = "mcp")))]
pub use mcp::Mcp;
pub use socket::{websocket, websocket_for, websocket_with};

use axum::body::Body;
use axum::http::HeaderMap;
use axum::response::Response;

/// A response with a status alone.
fn empty(status: u16) -> Response {
    answered(status, &[], Body::empty())
}

/// A response of an endpoint of the core.
fn answered(status: u16, headers: &[(&'static str, &'static str)], body: Body) -> Response {
    let mut builder = Response::builder().status(status);
    for (name, value) in headers {
        builder = builder.header(*name, *value);
    }
    builder.body(body).unwrap_or_else(|_| Response::new(Body::empty()))
}

/// The headers as the core reads them.
fn pairs(headers: &HeaderMap) -> impl Iterator<Item = (&str, &axum::http::HeaderValue)> {
    headers.iter().map(|(name, value)| (name.as_str(), value))
}
