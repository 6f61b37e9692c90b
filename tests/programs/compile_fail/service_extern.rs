//! A method for C.
//! says: peers call a method of a service, so it has none of `const`, `unsafe` and `extern`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    extern "C" fn speed(&self) -> u16; // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn speed(&self) -> u16;
}

fn main() {}
