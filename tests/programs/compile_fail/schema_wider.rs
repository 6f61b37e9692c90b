//! A limit beyond those of the type.
//! says: this limit is wider than the range of the type
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Speed {
    #[schema(maximum = 300)] // wrong
    percent: u8,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Speed {
    #[schema(maximum = 100)]
    percent: u8,
}

fn main() {}
