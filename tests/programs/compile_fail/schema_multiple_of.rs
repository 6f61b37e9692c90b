//! A multiple of nothing.
//! says: `multiple_of` needs a number above zero
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(multiple_of = 0)] // wrong
    rpm: u16,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(multiple_of = 5)]
    rpm: u16,
}

fn main() {}
