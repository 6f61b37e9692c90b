//! A schema without quotes.
//! says: write the schema as a string: `value = r#"{"type":"string"}"#`
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Speed {
    #[schema(value = { "type": "integer" })] // wrong
    rpm: u16,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Speed {
    #[schema(value = r#"{"type":"integer"}"#)]
    rpm: u16,
}

fn main() {}
