//! A union.
//! says: serde cannot read a union: declare an enum, with `#[serde(untagged)]` if the text does not name the variant
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(Schema)]
union Speed { // wrong
    rpm: u16,
    percent: u8,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
#[serde(untagged)]
enum Speed {
    Rpm(u16),
    Name(heapless::String<8>),
}

fn main() {}
