//! A length below zero.
//! says: a length is an integer of at least zero
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(min_length = -1)] // wrong
    name: heapless::String<8>,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(min_length = 1)]
    name: heapless::String<8>,
}

fn main() {}
