//! A method name that the specification keeps.
//! says: method names that begin with `rpc.` are reserved (JSON-RPC 2.0 §4)
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    #[method("rpc.set")] // wrong
    fn set(&mut self, rpm: u16);
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    #[method("fan.set")]
    fn set(&mut self, rpm: u16);
}

fn main() {}
