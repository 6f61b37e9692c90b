//! A struct that serde writes and does not read.
//! says: serde writes the `tag` of a struct, but refuses to read it because of `deny_unknown_fields`
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
#[serde(tag = "type", deny_unknown_fields)]
struct Speed { // wrong
    rpm: u16,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
#[serde(tag = "type")]
struct Speed {
    rpm: u16,
}

fn main() {}
