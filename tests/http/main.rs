//! JSON-RPC over HTTP.

mod chunked;
mod endpoint;
mod replay_model;
#[path = "../common/tasks.rs"]
mod tasks;
