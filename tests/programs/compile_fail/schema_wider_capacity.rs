//! A limit beyond the capacity.
//! says: the type of the field allows less than this
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
