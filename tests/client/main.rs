//! Calls and their answers.

mod calls;
#[path = "../common/cases.rs"]
mod cases;
mod envelopes;
mod refusals;
#[path = "../common/written_by.rs"]
mod written_by;
