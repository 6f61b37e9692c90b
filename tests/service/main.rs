//! Services that are declared once: routes, params, clients, schemas.
#![cfg(feature = "macros")]
#![allow(
    clippy::std_instead_of_core,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod by_position;
mod clients;
mod declaration;
mod descriptions;
mod differences;
mod errors;
mod hygiene;
mod keywords;
mod lasting;
mod names;
mod param_names;
mod renamed;
mod schema;
mod shapes;
mod tools;
