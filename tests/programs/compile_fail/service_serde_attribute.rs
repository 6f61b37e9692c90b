//! An attribute of serde at a param.
//! says: a param has no attributes of serde: `#[param("minSpeed")]` is its name in the message
//! says: a param of type `Option` may be absent
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
