//! An attribute of serde in that of a schema.
//! says: `rename` is an attribute of serde: write `#[serde(rename …)]`
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Speed {
    #[schema(rename = "speed")] // wrong
    rpm: u16,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Speed {
    #[schema(title = "speed")]
    rpm: u16,
}

fn main() {}
