//! A member that is not always written, and required.
//! says: add `#[serde(default)]`
#![allow(dead_code)]
use nanojsonrpc::Schema;

fn is_zero(rpm: &u16) -> bool {
    *rpm == 0
}

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Speed {
    #[serde(skip_serializing_if = "is_zero")]
    rpm: u16, // wrong
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Speed {
    #[serde(default, skip_serializing_if = "is_zero")]
    rpm: u16,
}

fn main() {}
