//! A result that serde cannot write.
//! says: `Speed` cannot be written as JSON
//! says: add `#[derive(serde::Serialize)]` to a type of your own
#![allow(dead_code)]
#[cfg_attr(feature = "advised", derive(serde::Serialize))]
struct Speed {
    rpm: u16,
}

#[nanojsonrpc::service]
trait Fan {
    fn speed(&self) -> Speed; // wrong
}

fn main() {}
