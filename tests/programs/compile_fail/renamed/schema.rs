//! A schema in a program that has renamed this crate.
//! says: nanojsonrpc
#![allow(dead_code)]
use rpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Deserialize, Schema)] // wrong
struct Speed {
    #[schema(maximum = 9)]
    rpm: u16,
}

#[cfg(feature = "advised")]
#[derive(serde::Deserialize, Schema)]
#[schema(crate = rpc)]
struct Speed {
    #[schema(maximum = 9)]
    rpm: u16,
}

fn main() {}
