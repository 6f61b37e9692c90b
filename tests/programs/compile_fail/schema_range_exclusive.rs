//! Limits without a value between them.
//! says: no value satisfies both this limit and `exclusive_minimum`
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(exclusive_minimum = 1, maximum = 1)] // wrong
    rpm: f32,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(minimum = 1, maximum = 1)]
    rpm: f32,
}

fn main() {}
