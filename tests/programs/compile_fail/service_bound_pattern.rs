//! A param behind a pattern.
//! says: a param needs a name, which is its name in the message
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, ref rpm: u16); // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, rpm: u16);
}

fn main() {}
