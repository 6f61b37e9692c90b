//! A param that may be absent, of any type.
//! says: name the type of a param: serde must know which type to read
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, rpm: Option<impl Copy>); // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, rpm: Option<u16>);
}

fn main() {}
