//! The frame `Values`, in a buffer of 256 bytes.
#![no_std]
#![no_main]

#[path = "../frames.rs"]
mod frames;

use nanojsonrpc::frame::Values;

probe::firmware!(frames::job::<Values>);
