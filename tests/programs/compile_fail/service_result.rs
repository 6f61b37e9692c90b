//! A result that the client cannot read.
//! says: Deserialize
#![allow(dead_code)]
#[derive(serde::Serialize)]
#[cfg_attr(feature = "advised", derive(serde::Deserialize))]
struct Speed {
    rpm: u16,
}

#[nanojsonrpc::service(client = FanClient)]
trait Fan {
    fn speed(&self) -> Speed; // wrong
}

fn main() {}
