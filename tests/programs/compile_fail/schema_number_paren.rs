//! A limit in parentheses.
//! says: write a number: `maximum = 1`
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Speed {
    #[schema(maximum(9))] // wrong
    rpm: u16,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Speed {
    #[schema(maximum = 9)]
    rpm: u16,
}

fn main() {}
