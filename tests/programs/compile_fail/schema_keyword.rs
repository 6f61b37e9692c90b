//! A keyword that is none.
//! says: unknown keyword; the keywords are `minimum`, `maximum`
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Deserialize, Schema)]
struct Speed {
    #[schema(max = 9)] // wrong
    rpm: u16,
}

#[cfg(feature = "advised")]
#[derive(serde::Deserialize, Schema)]
struct Speed {
    #[schema(maximum = 9)]
    rpm: u16,
}

fn main() {}
