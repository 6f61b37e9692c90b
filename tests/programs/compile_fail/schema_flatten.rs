//! A flattened type whose schema refuses the members around it.
//! says: a flattened type is a struct or a tagged enum without `deny_unknown_fields`
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[derive(serde::Deserialize, Schema)]
#[serde(deny_unknown_fields)]
struct Speed {
    rpm: u16,
}

#[cfg(not(feature = "advised"))]
#[derive(serde::Deserialize, Schema)]
struct Fan {
    name: u8,
    #[serde(flatten)]
    speed: Speed, // wrong
}

#[cfg(feature = "advised")]
#[derive(serde::Deserialize, Schema)]
struct Fan {
    name: u8,
    #[serde(flatten)]
    #[schema(value = r#"{"properties":{"rpm":{"type":"integer"}},"required":["rpm"]}"#)]
    speed: Speed,
}

fn main() {}
