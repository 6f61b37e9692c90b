//! Two members of one name.
//! says: two members of the object have the name `rpm`
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Speed {
    rpm: u16,
    #[serde(rename = "rpm")] // wrong
    other: u16,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Speed {
    rpm: u16,
    #[serde(rename = "other")]
    other: u16,
}

fn main() {}
