//! A slice, which no text of JSON holds.
//! says: serde cannot borrow a slice from a message: take `heapless::Vec<T, N>` or an array
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, speeds: &[u16]); // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, speeds: [u16; 4]);
}

fn main() {}
