//! A limit of arrays at a number.
//! says: `min_items` limits arrays, but no value of this type is an array: `minimum` limits a number, `min_length` a string
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(min_items = 4)] // wrong
    value: u16,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(minimum = 4)]
    value: u16,
}

fn main() {}
