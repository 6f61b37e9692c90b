//! An argument that is given twice.
//! says: `prefix` is given twice: remove one
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
