//! Params, results and error data, with serde and without.
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

mod alloc;
#[cfg(feature = "serde")]
mod carriers;
#[path = "../common/mod.rs"]
mod common;
mod errors;
mod forged;
mod lazy_value;
#[cfg(feature = "serde")]
mod lenient;
mod messages;
mod paths;
#[cfg(feature = "serde")]
#[path = "types/mod.rs"]
mod payload_types;
mod read;
mod rounding;
mod serde_json_core;
mod write;
#[path = "../common/written_by.rs"]
mod written_by;
