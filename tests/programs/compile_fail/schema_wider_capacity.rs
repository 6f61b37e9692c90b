//! A limit beyond the capacity.
//! says: this limit is wider than the range of the type
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan<'a> {
    #[schema(max_length = 9)] // wrong
    name: Option<heapless::String<8>>,
    text: &'a str,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan<'a> {
    #[schema(max_length = 8)]
    name: Option<heapless::String<8>>,
    text: &'a str,
}

fn main() {}
