//! JSON texts, by the sections of RFC 8259.
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
mod constants;
mod depth;
#[cfg(feature = "serde")]
#[path = "../common/entry_points.rs"]
mod entry_points;
mod exhaustive;
mod grammar_states;
mod json_test_suite;
#[cfg(feature = "serde")]
#[path = "../common/looked.rs"]
mod looked;
#[path = "../common/overflow.rs"]
mod overflow;
mod prefixes_and_mutations;
mod texts;
mod utf8;
mod writer;
#[path = "../common/written_by.rs"]
mod written_by;
