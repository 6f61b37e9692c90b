//! A pattern at a number.
//! says: `pattern` limits strings, but no value of this type is a string
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(pattern = "^[0-9]$")] // wrong
    value: u8,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(maximum = 9)]
    value: u8,
}

fn main() {}
