//! An error without a code, of a method that waits.
//! says: a code and a message, as in `(ErrorCode(-32001), "too fast")`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    async fn set(&mut self, rpm: u16) -> Result<u16, &'static str>; // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    async fn set(&mut self, rpm: u16) -> Result<u16, (nanojsonrpc::ErrorCode, &'static str)>;
}

fn main() {}
