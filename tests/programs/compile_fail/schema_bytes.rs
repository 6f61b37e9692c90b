//! Bytes, which serde reads from another text than it writes.
//! says: serde writes `&[u8]` as an array and reads it from a string
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Picture<'a> {
    pixels: &'a [u8], // wrong
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Picture {
    pixels: heapless::Vec<u8, 16>,
}

fn main() {}
