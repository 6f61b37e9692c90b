//! A schema that is no JSON text.
//! says: this is not JSON: write an object
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Speed {
    #[schema(value = "string")] // wrong
    rpm: u16,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Speed {
    #[schema(value = r#"{"type":"string"}"#)]
    rpm: u16,
}

fn main() {}
