//! A keyword in two attributes.
//! says: `maximum` is given twice: remove one
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Speed {
    #[schema(maximum = 9)]
    #[schema(maximum = 5)] // wrong
    rpm: u16,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Speed {
    #[schema(maximum = 5)]
    rpm: u16,
}

fn main() {}
