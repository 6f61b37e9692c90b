//! A pattern with a choice, which is not checked.
//! says: a `pattern` is checked, as a sequence of characters and classes with counts: `^[a-z][a-z0-9]{0,7}$`. It has a group or a choice
//! says: To check the value in the program, write the schema of the field with `#[schema(value
#![allow(dead_code)]
use nanojsonrpc::Schema;

#[cfg(not(feature = "advised"))]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Name(#[schema(pattern = "^(on|off)$")] heapless::String<8>); // wrong

#[cfg(feature = "advised")]
#[derive(serde::Serialize, serde::Deserialize, Schema)]
struct Name(#[schema(value = r#"{"type":"string","pattern":"^(on|off)$"}"#)] heapless::String<8>);

fn main() {}
