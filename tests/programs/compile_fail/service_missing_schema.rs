//! A param and a result without a schema.
//! says: `Ramp` has no JSON Schema
//! says: `Speed` has no JSON Schema
//! says: add `#[derive(nanojsonrpc::Schema)]` to a type of your own
#![allow(dead_code)]
#[derive(serde::Deserialize)]
#[cfg_attr(feature = "advised", derive(nanojsonrpc::Schema))]
enum Ramp {
    Slow,
}

#[derive(serde::Serialize)]
#[cfg_attr(feature = "advised", derive(nanojsonrpc::Schema))]
struct Speed {
    rpm: u16,
}

#[nanojsonrpc::service(mcp)]
trait Fan {
    fn set(&mut self, ramp: Ramp); // wrong
    fn speed(&self) -> Speed; // wrong
}

fn main() {}
