//! A limit of strings at an array.
//! says: `max_length` limits strings, but no value of this type is a string: `maximum` limits a number, `max_items` an array
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(max_length = 4)] // wrong
    value: Option<heapless::Vec<u8, 8>>,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(max_items = 4)]
    value: Option<heapless::Vec<u8, 8>>,
}

fn main() {}
