//! A closed type with a flattened field.
//! says: serde does not support `flatten` with `deny_unknown_fields`
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[derive(serde::Deserialize, Schema)]
struct Speed {
    rpm: u16,
}

#[cfg(not(feature = "advised"))]
#[derive(serde::Deserialize, Schema)]
#[serde(deny_unknown_fields)]
struct Fan {
    #[serde(flatten)] // wrong
    speed: Speed,
}

#[cfg(feature = "advised")]
#[derive(serde::Deserialize, Schema)]
struct Fan {
    #[serde(flatten)]
    speed: Speed,
}

fn main() {}
