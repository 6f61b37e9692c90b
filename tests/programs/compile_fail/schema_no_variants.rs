//! An enum without variants.
//! says: serde reads no value of an enum without variants: add a variant, or add a schema to the type: `#[schema(value = "false")]`
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
enum Never {} // wrong

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
#[schema(value = "false")]
enum Never {}

fn main() {}
