//! A field without a schema.
//! says: `Ramp` has no JSON Schema
//! says: add `#[derive(nanojsonrpc::Schema)]` to a type of your own
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[derive(serde::Deserialize)]
#[cfg_attr(feature = "advised", derive(Schema))]
enum Ramp {
    Slow,
}

#[derive(serde::Deserialize, Schema)]
struct Speed {
    ramp: Ramp, // wrong
}

fn main() {}
