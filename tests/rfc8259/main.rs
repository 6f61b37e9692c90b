//! JSON texts, by the sections of RFC 8259.

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
