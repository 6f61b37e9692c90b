//! Routes, handlers and answers.

mod answer_room;
mod asynchronous;
mod boxed;
#[cfg(feature = "serde")]
#[path = "../common/cases.rs"]
mod cases;
mod contexts;
mod dropped;
mod escapes;
mod exchange;
mod growing;
mod handler_errors;
mod layers;
mod no_params;
#[path = "../common/overflow.rs"]
mod overflow;
mod own_members;
mod random_routes;
mod registry;
mod routes;
mod send;
#[path = "../common/tasks.rs"]
mod tasks;
mod time_limits;
#[path = "../common/written_by.rs"]
mod written_by;
