//! Messages in a stream of bytes, by frame.

mod buffers;
#[path = "../common/cases.rs"]
mod cases;
mod chunking;
#[path = "../common/mod.rs"]
mod common;
mod content_length;
mod delimited;
mod event_stream_reference;
mod events;
mod frames;
mod front;
mod lines;
mod own;
mod values;
mod websocket;
