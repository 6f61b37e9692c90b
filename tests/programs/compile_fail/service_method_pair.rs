//! The method name as a pair.
//! says: write the method name of JSON-RPC as a string: `#[method("set")]`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    #[method(name = "set")] // wrong
    fn set_speed(&mut self, rpm: u16);
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    #[method("set")]
    fn set_speed(&mut self, rpm: u16);
}

fn main() {}
