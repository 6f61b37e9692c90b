//! JSON-RPC over WebSocket on port 80, for six connections at a time: `/ws`.
#![no_std]
#![no_main]

use net::websocket::{self, ANSWER, MESSAGE, SENT};

net::image!([u8; MESSAGE], [0; MESSAGE], websocket::serve, ANSWER, SENT);
