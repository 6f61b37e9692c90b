//! A method for constants.
//! says: peers call a method of a service, so it cannot be `const`, `unsafe` or `extern`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    const fn speed(&self) -> u16; // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn speed(&self) -> u16;
}

fn main() {}
