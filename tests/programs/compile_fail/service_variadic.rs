//! A method with any number of params.
//! says: a method has a fixed number of params: take an `Option`, an array or a `heapless::Vec<T, N>`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, rpm: u16, _: ...); // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, rpm: u16, more: Option<[u16; 2]>);
}

fn main() {}
