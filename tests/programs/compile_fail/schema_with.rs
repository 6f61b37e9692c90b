//! A field whose reading only serde knows.
//! says: `with` of serde changes the texts, which a schema cannot describe: add a schema to the field
#![allow(dead_code)]
use nanojsonrpc::Schema;

mod hex {
    pub fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<u16, D::Error> {
        serde::Deserialize::deserialize(from)
    }
}

#[cfg(not(feature = "advised"))]
#[derive(serde::Deserialize, Schema)]
struct Speed {
    #[serde(with = "hex")] // wrong
    rpm: u16,
}

#[cfg(feature = "advised")]
#[derive(serde::Deserialize, Schema)]
struct Speed {
    #[serde(deserialize_with = "hex::deserialize")]
    #[schema(value = r#"{"type":"string"}"#)]
    rpm: u16,
}

fn main() {}
