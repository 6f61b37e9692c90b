//! A param to write into.
//! says: a param is read from the message: take it by value, or by `&`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn fill(&mut self, level: Option<&mut u8>); // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn fill(&mut self, level: Option<u8>);
}

fn main() {}
