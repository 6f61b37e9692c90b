//! Lengths that no text has.
//! says: no value satisfies both this limit and `min_length`
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(max_length = 3, min_length = 10)] // wrong
    name: heapless::String<16>,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(max_length = 3, min_length = 2)]
    name: heapless::String<16>,
}

fn main() {}
