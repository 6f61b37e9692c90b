//! A pattern that is no regular expression.
//! says: not a regular expression: this `(` is not closed
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Name(#[schema(pattern = "^(a|b$")] heapless::String<8>); // wrong

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Name(#[schema(pattern = "^[ab]$")] heapless::String<8>);

fn main() {}
