//! The attribute at the type that implements the service.
//! says: declare a service by a trait
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
struct Fan; // wrong

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, rpm: u16);
}

fn main() {}
