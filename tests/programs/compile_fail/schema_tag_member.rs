//! A member with the name of the tag of an enum.
//! says: a member of this type has the name of the tag, `type`: rename one of the two
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Move {
    r#type: Option<u8>,
}

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
#[serde(tag = "type")]
enum Event {
    Moved(Move), // wrong
    Stopped,
}

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
#[serde(tag = "event")]
enum Event {
    Moved(Move),
    Stopped,
}

fn main() {}
