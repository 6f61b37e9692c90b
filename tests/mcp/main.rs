//! The Model Context Protocol.

#[cfg(feature = "authorization")]
mod authorization;
mod calls_end;
mod cancelled;
#[cfg(feature = "mcp")]
#[path = "../common/cases.rs"]
mod cases;
mod client;
mod client_http;
#[path = "../common/mod.rs"]
mod common;
mod devices;
mod examples;
mod http;
mod http_model;
mod http_observed;
mod lifecycle;
mod limits;
mod nothing;
mod pages;
#[cfg(feature = "mcp")]
mod peer;
#[cfg(all(feature = "mcp", feature = "embedded-io-async", feature = "serde"))]
mod recorded_peer;
mod registrations;
mod resources;
mod sdk_forms;
mod service;
mod session_faults;
mod skills;
mod subscriptions;
#[path = "tasks.rs"]
mod task_calls;
mod task_session;
#[path = "../common/tasks.rs"]
mod tasks;
mod templates;
mod time_limits;
mod tools;
mod typed;
mod types;
#[path = "../common/written_by.rs"]
mod written_by;
