//! An argument that is given twice.
//! says: this argument is repeated
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(prefix = "fan.", prefix = "fan/")] // wrong
trait Fan {
    fn set(&mut self, rpm: u16);
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(prefix = "fan.")]
trait Fan {
    fn set(&mut self, rpm: u16);
}

fn main() {}
