//! A service in a box.
//! says: a method takes `&self` or `&mut self`, because a peer may call it more than once
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn stop(self: Box<Self>); // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn stop(&mut self);
}

fn main() {}
