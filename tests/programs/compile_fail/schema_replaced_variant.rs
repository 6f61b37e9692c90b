//! A format of a variant that would replace that of its type.
//! says: `format` would replace the `format` of the type: remove one of the two
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Link(#[schema(format = "uri")] heapless::String<8>);

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
#[serde(untagged)]
enum Place {
    #[schema(format = "email")] // wrong
    Link(Link),
    Index(u8),
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
#[serde(untagged)]
enum Place {
    Link(Link),
    Index(u8),
}

fn main() {}
