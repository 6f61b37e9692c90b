//! JSON-RPC over HTTP.

mod chunked;
mod endpoint;
mod replay_model;
mod targets;
#[path = "../common/tasks.rs"]
mod tasks;
