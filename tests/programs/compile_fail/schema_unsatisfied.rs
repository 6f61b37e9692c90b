//! A minimum above the greatest value of the type.
//! says: no value of the type satisfies this limit
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(minimum = 300)] // wrong
    value: Option<u8>,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Fan {
    #[schema(minimum = 200)]
    value: Option<u8>,
}

fn main() {}
