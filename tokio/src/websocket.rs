//! JSON-RPC over WebSocket, by tokio-tungstenite: each message of the stream is one text. In an axum application, see `axum`.
//!
//! ```no_run
//! use nanojsonrpc_tokio::{Client, Options, websocket};
//!
//! # async fn run() -> std::io::Result<()> {
//! let client = Client::with_transport(websocket::connect("ws://127.0.0.1:4000", Vec::new(), &Options::new()).await?, Options::new());
//! # _ = client;
//! # Ok(()) }
//! ```
//!
//! # Limits
//! Message: [`Options::max_len`]; a longer one ends the connection.
//!
//! Source: RFC 6455.

use std::io;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{accept_async_with_config, connect_async_with_config};

use crate::messages::{self, Close, Messages};
use crate::{BoxError, Options, Transport};

impl messages::Message for Message {
    fn into_text(self) -> Result<Option<Bytes>, Close> {
        match self {
            Self::Text(text) => Ok(Some(text.into())),
            Self::Binary(text) => Ok(Some(text)),
            Self::Close(_) => Err(Close),
            Self::Ping(_) | Self::Pong(_) | Self::Frame(_) => Ok(None),
        }
    }

    fn from_text(text: Bytes) -> Option<Self> {
        Utf8Bytes::try_from(text).ok().map(Self::Text)
    }
}

fn config(options: &Options) -> WebSocketConfig {
    // small messages leave at once; the default buffers take 128 KiB for each connection
    let config = WebSocketConfig::default().read_buffer_size(4 * 1024).write_buffer_size(4 * 1024);
    config.max_message_size(Some(options.max_len)).max_frame_size(Some(options.max_len))
}

/// Connects to a `ws:` address, or with the feature `rustls` to a `wss:` address. `headers` are added to the handshake.
///
/// # Errors
/// No connection, a header that no request may have, or the server refuses the handshake.
pub async fn connect(
    address: &str,
    headers: Vec<(String, String)>,
    options: &Options,
) -> io::Result<impl Transport + use<>> {
    let mut request = address.into_client_request().map_err(io::Error::other)?;
    for (name, value) in headers {
        let invalid = |error: BoxError| io::Error::new(io::ErrorKind::InvalidInput, error);
        let mut value = HeaderValue::try_from(value).map_err(|error| invalid(error.into()))?;
        value.set_sensitive(true);
        request.headers_mut().append(HeaderName::try_from(name).map_err(|error| invalid(error.into()))?, value);
    }
    let connected = connect_async_with_config(request, Some(config(options)), true).await;
    let (socket, _) = connected.map_err(io::Error::other)?;
    Ok(Messages::new(socket, options.dialect))
}

/// Answers the handshake of a client on `io`, such as a [`TcpStream`](tokio::net::TcpStream): then
/// [`Server::serve_transport`](crate::Server::serve_transport).
///
/// Pages of any site may open a WebSocket to any server: check `Origin` by axum, if the server is reachable from browsers.
///
/// # Errors
/// The stream fails, or the client sends no valid handshake.
pub async fn accept<I>(io: I, options: &Options) -> io::Result<impl Transport + use<I>>
where
    I: AsyncRead + AsyncWrite + Send + Unpin,
{
    let accepted = accept_async_with_config(io, Some(config(options))).await;
    Ok(Messages::new(accepted.map_err(io::Error::other)?, options.dialect))
}
