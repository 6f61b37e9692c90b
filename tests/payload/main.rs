//! Params, results and error data, with serde and without.

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
