//! A member with two names.
//! says: `alias` of serde changes the texts, which a schema cannot describe: remove it, or add a schema to the type
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Speed {
    #[serde(alias = "speed")] // wrong
    rpm: u16,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
#[schema(value = r#"{"type":"object","minProperties":1}"#)]
struct Speed {
    #[serde(alias = "speed")]
    rpm: u16,
}

fn main() {}
