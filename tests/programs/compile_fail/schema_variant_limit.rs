//! A limit at a variant, whose schema is that of the object around its value.
//! says: `maximum` limits numbers, but no value of this type is a number
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
enum Ramp {
    #[schema(maximum = 9)] // wrong
    Fast(u8),
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
enum Ramp {
    Fast(#[schema(maximum = 9)] u8),
}

fn main() {}
