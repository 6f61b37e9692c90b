//! The path of the crate as a string.
//! says: write a path to the crate `nanojsonrpc`: `crate = rpc`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(crate = "nanojsonrpc")] // wrong
trait Fan {
    fn speed(&self) -> u16;
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(crate = nanojsonrpc)]
trait Fan {
    fn speed(&self) -> u16;
}

fn main() {}
