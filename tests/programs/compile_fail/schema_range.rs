//! Limits that no value fulfils.
//! says: no value satisfies both this limit and `minimum`
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(minimum = 9, maximum = 3)] // wrong
    rpm: u16,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(minimum = 3, maximum = 9)]
    rpm: u16,
}

fn main() {}
