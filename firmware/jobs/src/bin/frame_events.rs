//! The frame `Events`, in a buffer of 256 bytes.
#![no_std]
#![no_main]

#[path = "../frames.rs"]
mod frames;

use nanojsonrpc::frame::Events;

probe::firmware!(frames::job::<Events>);
