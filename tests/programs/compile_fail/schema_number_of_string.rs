//! A limit of numbers at a string.
//! says: `maximum` limits numbers, but no value of this type is a number: `max_length` limits a string, `max_items` an array
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(maximum = 4)] // wrong
    value: heapless::String<8>,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(max_length = 4)]
    value: heapless::String<8>,
}

fn main() {}
