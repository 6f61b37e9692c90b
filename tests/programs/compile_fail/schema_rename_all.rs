//! Two cases of names, for reading and writing.
//! says: two names, for reading and writing: a schema has one name, so write `rename_all = "…"`
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
#[serde(rename_all(serialize = "camelCase", deserialize = "snake_case"))] // wrong
struct Speed {
    in_rpm: u16,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
#[serde(rename_all = "camelCase")]
struct Speed {
    in_rpm: u16,
}

fn main() {}
