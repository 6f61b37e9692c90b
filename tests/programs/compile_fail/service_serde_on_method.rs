//! The method name as with serde.
//! says: a method has no attributes of serde: `#[method("set")]` is its name in JSON-RPC
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    #[serde(rename = "set")] // wrong
    fn set_speed(&mut self, rpm: u16);
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    #[method("set")]
    fn set_speed(&mut self, rpm: u16);
}

fn main() {}
