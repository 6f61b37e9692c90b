//! A method that is not safe to call.
//! says: peers call a method of a service
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    unsafe fn set(&mut self, rpm: u16); // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, rpm: u16);
}

fn main() {}
