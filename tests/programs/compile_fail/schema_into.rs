//! A type that is written as another.
//! says: `into` of serde changes the texts, which a schema cannot describe: add a schema to the type
#![allow(dead_code)]
use nanojsonrpc::Schema;

impl From<u16> for Speed {
    fn from(rpm: u16) -> Self {
        Self { rpm }
    }
}

impl From<Speed> for u16 {
    fn from(speed: Speed) -> Self {
        speed.rpm
    }
}

#[cfg(not(feature = "advised"))]
#[derive(Clone, serde::Serialize, serde::Deserialize, Schema)]
#[serde(into = "u16")] // wrong
struct Speed {
    rpm: u16,
}

#[cfg(feature = "advised")]
#[derive(Clone, serde::Serialize, serde::Deserialize, Schema)]
#[serde(from = "u16", into = "u16")]
#[schema(value = r#"{"type":"integer","minimum":0,"maximum":65535}"#)]
struct Speed {
    rpm: u16,
}

fn main() {}
