//! Programs: the examples, the README, and programs that must not compile.

mod adapter;
mod arguments;
mod client;
mod compile_fail;
#[path = "../common/example.rs"]
mod example;
mod hostile;
mod http;
mod klipper;
mod layer;
mod many_clients;
mod mcp_authorization;
mod mcp_http;
mod mcp_stdio;
mod printable;
mod readme;
mod shelly;
mod stdio;
mod threads;
mod tokio;
mod websocket;
