//! A method that takes the service away.
//! says: a method takes `&self` or `&mut self`, because a peer may call it more than once
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn stop(self); // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn stop(&mut self);
}

fn main() {}
