//! An unnamed field that may be absent.
//! says: name the fields, or add a schema to the type: `#[schema(value = r#"…"#)]`
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Speed(
    u16,
    #[serde(default)] // wrong
    u8,
);

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Speed {
    rpm: u16,
    #[serde(default)]
    percent: u8,
}

fn main() {}
