//! A variant that is written and not read.
//! says: serde writes this variant but does not read it: use `skip`
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
enum State {
    On,
    #[serde(skip_deserializing)] // wrong
    Off,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
enum State {
    On,
    #[serde(skip)]
    Off,
}

fn main() {}
