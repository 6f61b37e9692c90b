//! An attribute of serde at a param.
//! says: attributes of serde stand in the type of a param or result: declare a struct
//! says: A param of type `Option` may be absent
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, #[serde(default)] rpm: u16); // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, rpm: Option<u16>);
}

fn main() {}
