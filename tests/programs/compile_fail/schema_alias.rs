//! A member with two names.
//! says: `alias` of serde changes the texts in a way that a schema cannot tell: remove it, or write a schema above the type
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
