//! JSON-RPC messages, by the sections of the specification.

mod batches;
#[path = "../common/cases.rs"]
mod cases;
mod cells;
#[path = "../common/mod.rs"]
mod common;
mod error_kinds;
mod ethereum;
mod known_failures;
mod laws;
mod lenient;
mod lenient_reference;
mod params_written;
mod requirements;
mod round_trips;
mod section_7;
mod seldom;
mod verdicts;
#[path = "../common/written_by.rs"]
mod written_by;
