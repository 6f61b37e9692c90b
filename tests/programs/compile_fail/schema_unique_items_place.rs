//! Unique elements of an enum.
//! says: `unique_items` is for a field, or a type of one field, that is a list
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
#[serde(untagged)]
#[schema(unique_items)] // wrong
enum Lamps {
    Some(heapless::Vec<u8, 4>),
    All(bool),
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
#[serde(untagged)]
enum Lamps {
    #[schema(unique_items)]
    Some(heapless::Vec<u8, 4>),
    All(bool),
}

fn main() {}
