//! A limit at a type that is wider than its only field.
//! says: this limit is wider than the range of the type
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
#[schema(maximum = 300)] // wrong
struct Percent(u8);

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
#[schema(maximum = 100)]
struct Percent(u8);

fn main() {}
