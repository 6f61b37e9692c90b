//! Calls and their answers.
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

mod calls;
#[path = "../common/cases.rs"]
mod cases;
mod envelopes;
mod memory;
mod refusals;
#[path = "../common/written_by.rs"]
mod written_by;
