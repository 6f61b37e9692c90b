//! A limit beyond those of the type.
//! says: the type of the field allows less than this
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
