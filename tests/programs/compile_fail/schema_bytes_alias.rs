//! Bytes, which serde reads from another text than it writes, under another name.
//! says: serde writes `&[u8]` as an array and reads it from a string
#![allow(dead_code)]
use nanojsonrpc::Schema;

type Bytes<'a> = &'a [u8];

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Picture<'a> {
    #[serde(borrow)]
    pixels: Option<Bytes<'a>>, // wrong
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Picture<'a> {
    #[serde(borrow)]
    #[schema(value = r#"{"type":["string","null"]}"#)]
    pixels: Option<Bytes<'a>>,
}

fn main() {}
