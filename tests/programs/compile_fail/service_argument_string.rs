//! The prefix without its name.
//! says: a service takes `prefix = "fan."`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service("fan.")] // wrong
trait Fan {
    fn speed(&self) -> u16;
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(prefix = "fan.")]
trait Fan {
    fn speed(&self) -> u16;
}

fn main() {}
