//! A struct as the output of a tool.
//! says: `Structured(value)` for a struct
#![allow(dead_code)]
use nanojsonrpc::mcp::{Schema, Service, Structured};

#[derive(serde::Serialize)]
struct Reading {
    celsius: i32,
}

#[cfg(not(feature = "advised"))]
fn main() {
    let service = Service::new("thermometer", "1.0.0");
    let read = |celsius: &mut i32| Reading { celsius: *celsius };
    let _ = service.tool("read", "Reads.", Schema::NO_ARGUMENTS, read); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let service = Service::new("thermometer", "1.0.0");
    let read = |celsius: &mut i32| Structured(Reading { celsius: *celsius });
    let _ = service.tool("read", "Reads.", Schema::NO_ARGUMENTS, read);
}
