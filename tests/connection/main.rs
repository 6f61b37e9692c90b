//! Connections: a server and a caller on a stream of bytes.

#[macro_use]
mod every_frame;

mod call_and_wait;
mod calls_end;
mod cancel_safety;
mod cancelled_at_random;
mod concurrent;
mod concurrent_faults;
mod concurrent_model;
mod concurrent_routes;
mod delimited;
mod fairness;
mod faults;
mod flushes;
mod many_connections;
#[path = "../common/overflow.rs"]
mod overflow;
mod soak;
mod streams;
#[path = "../common/tasks.rs"]
mod tasks;
mod websocket;
mod websocket_model;
