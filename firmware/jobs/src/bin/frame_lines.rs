//! The frame `Lines`, in a buffer of 256 bytes.
#![no_std]
#![no_main]

#[path = "../frames.rs"]
mod frames;

use nanojsonrpc::frame::Lines;

probe::firmware!(frames::job::<Lines>);
