//! A pattern that would replace that of the type.
//! says: `pattern` would replace the `pattern` of the type: remove one of the two, or write the schema of the field with `#[schema(value
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Name(#[schema(pattern = "^a")] heapless::String<8>);

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Page {
    #[schema(pattern = "^b")] // wrong
    name: Name,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Page {
    #[schema(value = r#"{"type":"string","pattern":"^ab"}"#)]
    name: Name,
}

fn main() {}
