//! A limit of a `HashSet`.
//! says: the elements of a `HashMap` or `HashSet` are not checked
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Room {
    #[schema(max_items = 8)] // wrong
    lamps: std::collections::HashSet<u8>,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Room {
    #[schema(max_items = 8)]
    lamps: heapless::Vec<u8, 16>,
}

fn main() {}
