//! Messages in a stream of bytes, by frame.
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

mod buffers;
#[path = "../common/cases.rs"]
mod cases;
mod chunking;
#[path = "../common/mod.rs"]
mod common;
mod content_length;
mod event_stream_reference;
mod events;
mod frames;
mod lines;
mod values;
mod websocket;
