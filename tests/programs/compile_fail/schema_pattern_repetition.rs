//! A pattern that needs more than one pass.
//! says: It has a repetition before a class with the same characters
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Name(#[schema(pattern = "^[a-z0-9]*[0-9]$")] heapless::String<8>); // wrong

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Name(#[schema(pattern = "^[a-z]*[0-9]$")] heapless::String<8>);

fn main() {}
