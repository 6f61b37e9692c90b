//! Serves JSON-RPC in lines, over HTTP and over WebSocket, and MCP, all on one port.

use nanojsonrpc::frame::{Framer, Lines};

use crate::board::Shared;
use crate::http::{self, ANSWER, REQUEST};
use crate::link::{End, Link};
use crate::{lines, websocket};

/// The start of the HTTP request that opens a WebSocket.
const UPGRADE: &[u8] = b"GET /ws";

/// The protocol of a connection.
enum Protocol {
    Lines,
    Http,
    WebSocket,
}

/// Detects the protocol by the first bytes of a connection; `None` if it needs more bytes.
fn protocol(text: &[u8]) -> Option<Protocol> {
    match text {
        // no HTTP method begins with these bytes
        [b'{' | b'[', ..] => Some(Protocol::Lines),
        _ if UPGRADE.starts_with(text) => None,
        _ => match text.strip_prefix(UPGRADE) {
            Some([b' ' | b'?', ..]) => Some(Protocol::WebSocket),
            _ => Some(Protocol::Http),
        },
    }
}

/// Serves a connection.
pub async fn serve(link: &mut Link<'_>, buffer: &mut [u8; REQUEST], shared: &Shared<ANSWER>) -> End {
    let mut filled = 0;
    let protocol = loop {
        if let Some(protocol) = protocol(&buffer[..filled]) {
            break protocol;
        }
        match link.read(&mut buffer[filled..], core::future::pending()).await {
            Ok(len) => filled += len.unwrap_or(0),
            Err(end) => return end,
        }
    };
    match protocol {
        Protocol::Lines => {
            let mut framer = Framer::<Lines, 0>::over(&mut buffer[..]);
            // the first bytes are already at the front of the free room
            _ = framer.spare();
            framer.filled(filled);
            lines::serve_behind(link, &mut framer, shared).await
        }
        Protocol::Http => http::serve_behind(link, buffer, filled, shared).await,
        Protocol::WebSocket => websocket::serve_behind(link, buffer, filled, shared).await,
    }
}
