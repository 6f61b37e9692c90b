//! A result of a method that waits, which serde cannot write.
//! says: cannot be written as JSON
//! says: add `#[derive(serde::Serialize)]` to a type of your own
#![allow(dead_code)]
#[cfg_attr(feature = "advised", derive(serde::Serialize))]
struct Speed {
    rpm: u16,
}

#[nanojsonrpc::service]
trait Fan {
    async fn speed(&self) -> Result<Option<Speed>, nanojsonrpc::ErrorObject<'static>>; // wrong
}

fn main() {}
