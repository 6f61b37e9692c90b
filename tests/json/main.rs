//! JSON texts, by the sections of RFC 8259; and payloads: values, with serde and without.

mod alloc;
mod automaton;
#[cfg(feature = "serde")]
mod carriers;
#[path = "../common/mod.rs"]
mod common;
mod constants;
mod depth;
#[cfg(feature = "serde")]
#[path = "../common/entry_points.rs"]
mod entry_points;
mod errors;
mod exhaustive;
mod fixed;
mod forged;
mod grammar_states;
mod json_test_suite;
mod lazy_value;
#[cfg(feature = "serde")]
mod lenient;
#[cfg(feature = "serde")]
#[path = "../common/looked.rs"]
mod looked;
mod messages;
#[path = "../common/overflow.rs"]
mod overflow;
mod paths;
#[cfg(feature = "serde")]
#[path = "types/mod.rs"]
mod payload_types;
mod prefixes_and_mutations;
mod read;
mod rounding;
mod serde_json_core;
mod texts;
mod utf8;
mod write;
mod writer;
#[path = "../common/written_by.rs"]
mod written_by;
