//! Routes, handlers and connections.

mod answer_room;
mod asynchronous;
mod boxed;
mod broker;
mod call_and_wait;
mod calls_end;
mod cancel_safety;
mod cancelled_at_random;
#[cfg(feature = "serde")]
#[path = "../common/cases.rs"]
mod cases;
mod concurrent;
mod concurrent_faults;
mod concurrent_model;
mod concurrent_routes;
mod connection;
mod connection_faults;
mod contexts;
mod dropped;
mod escapes;
mod exchange;
mod fairness;
mod flushes;
mod growing;
mod handler_errors;
mod http;
mod layers;
mod many_connections;
#[path = "../common/overflow.rs"]
mod overflow;
mod random_routes;
mod registry;
mod replay_model;
mod routes;
mod send;
mod soak;
mod tasks;
mod websocket;
mod websocket_model;
#[path = "../common/written_by.rs"]
mod written_by;
