//! Programs: the examples, the README, and programs that must not compile.
// A failed test may panic; it runs on a host with all of `std`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::std_instead_of_core,
    missing_docs
)]

mod adapter;
mod arguments;
mod client;
mod compile_fail;
#[path = "../common/example.rs"]
mod example;
mod hostile;
mod http;
mod layer;
mod many_clients;
mod mcp_http;
mod mcp_stdio;
mod mcp_tokio;
mod printable;
mod readme;
mod stdio;
mod subscriptions;
mod threads;
mod tokio;
mod websocket;
