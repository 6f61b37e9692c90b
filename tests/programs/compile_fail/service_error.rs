//! An error that is no error of a handler.
//! says: `TooFast` is not an error that a handler can return
//! says: implement `nanojsonrpc::server::Failure` for `TooFast`
#![allow(dead_code)]
struct TooFast;

#[cfg(feature = "advised")]
impl nanojsonrpc::server::Failure for TooFast {
    fn code(&self) -> nanojsonrpc::ErrorCode {
        nanojsonrpc::ErrorCode(-32001)
    }

    fn message(&self) -> impl nanojsonrpc::message::ToText {
        "too fast"
    }
}

#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, rpm: u16) -> Result<u16, TooFast>; // wrong
}

fn main() {}
