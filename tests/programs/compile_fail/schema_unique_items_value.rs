//! A keyword with a value that it does not have.
//! says: write `unique_items` alone
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Lamps(#[schema(unique_items = true)] heapless::Vec<u8, 4>); // wrong

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Lamps(#[schema(unique_items)] heapless::Vec<u8, 4>);

fn main() {}
