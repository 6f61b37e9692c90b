//! An open limit that is wider than that of the type.
//! says: this limit is wider than the range of the type
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Level(#[schema(exclusive_minimum = 5)] u8);

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Wide {
    #[schema(exclusive_minimum = 1)] // wrong
    level: Level,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Wide {
    #[schema(exclusive_minimum = 6)]
    level: Level,
}

fn main() {}
