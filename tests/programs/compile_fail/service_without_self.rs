//! A method without the service.
//! says: a method of a service begins with `&self` or `&mut self`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn stop(); // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn stop(&self);
}

fn main() {}
