//! A length that is no integer.
//! says: a length is an integer of at least zero
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(max_items = 1.5)] // wrong
    values: heapless::Vec<u8, 8>,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(max_items = 2)]
    values: heapless::Vec<u8, 8>,
}

fn main() {}
