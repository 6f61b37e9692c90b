//! A public method.
//! says: a method is as visible as its trait: remove `pub`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    pub fn speed(&self) -> u16; // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn speed(&self) -> u16;
}

fn main() {}
