//! A client without a name.
//! says: write a name: `client = FanClient`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(client)] // wrong
trait Fan {
    fn speed(&self) -> u16;
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(client = FanClient)]
trait Fan {
    fn speed(&self) -> u16;
}

fn main() {}
