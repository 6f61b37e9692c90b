//! More items than an array has.
//! says: no value of the type satisfies this limit
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(max_items = 2)] // wrong
    value: [u8; 3],
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(max_items = 3)]
    value: [u8; 3],
}

fn main() {}
