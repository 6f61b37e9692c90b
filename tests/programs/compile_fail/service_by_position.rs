//! The form of the params of a client that is not generated.
//! says: `by_position` has an effect on a client only: write `client = FanClient`, too
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(by_position)] // wrong
trait Fan {
    fn set(&mut self, rpm: u16);
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(by_position, client = FanClient)]
trait Fan {
    fn set(&mut self, rpm: u16);
}

fn main() {}
