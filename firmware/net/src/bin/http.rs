//! JSON-RPC and MCP over HTTP on port 80, for up to six connections: `POST /rpc`, events with `GET /rpc`, `/mcp`.
#![no_std]
#![no_main]

use net::http::{self, ANSWER, REQUEST, SENT};

net::image!([u8; REQUEST], [0; REQUEST], http::serve, ANSWER, SENT);
