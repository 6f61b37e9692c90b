//! The frame `ContentLength`, in a buffer of 256 bytes.
#![no_std]
#![no_main]

#[path = "../frames.rs"]
mod frames;

use nanojsonrpc::frame::ContentLength;

probe::firmware!(frames::job::<ContentLength>);
