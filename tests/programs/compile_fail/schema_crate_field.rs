//! The path of the crate at a field.
//! says: move `crate` to the type, because it applies to the whole derived code
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Deserialize, Schema)]
struct Speed {
    #[schema(crate = nanojsonrpc)] // wrong
    rpm: u16,
}

#[cfg(feature = "advised")]
#[derive(serde::Deserialize, Schema)]
#[schema(crate = nanojsonrpc)]
struct Speed {
    rpm: u16,
}

fn main() {}
