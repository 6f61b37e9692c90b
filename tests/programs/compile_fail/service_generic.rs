//! A service with a generic parameter.
//! says: a service has no generic parameters: clients must know each type
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan<T> { // wrong
    fn set(&mut self, rpm: T);
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, rpm: u16);
}

fn main() {}
