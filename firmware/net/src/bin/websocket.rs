//! JSON-RPC over WebSocket at `/ws` on port 80, for up to six connections.
#![no_std]
#![no_main]

use net::websocket::{self, ANSWER, MESSAGE, SENT};

net::image!([u8; MESSAGE], [0; MESSAGE], websocket::serve, ANSWER, SENT);
