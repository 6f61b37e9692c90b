//! JSON-RPC messages, by the sections of the specification.
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

#[path = "../common/mod.rs"]
mod common;
mod error_kinds;
mod ethereum;
mod known_failures;
mod laws;
mod params_written;
mod requirements;
mod round_trips;
mod section_7;
mod seldom;
mod verdicts;
#[path = "../common/written_by.rs"]
mod written_by;
