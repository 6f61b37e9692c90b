//! An enum whose variants are all skipped.
//! says: serde reads no value of an enum without variants: add a variant, or add a schema to the type: `#[schema(value = "false")]`
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
#[serde(tag = "type")]
enum Ramp { // wrong
    #[serde(skip)]
    Own,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
#[serde(tag = "type")]
enum Ramp {
    #[serde(skip)]
    Own,
    Linear,
}

fn main() {}
