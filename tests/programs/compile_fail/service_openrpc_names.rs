//! A method and a notification of the same name, in an OpenRPC document.
//! says: a method and a notification have the name `tick`, but names are unique in an OpenRPC document: rename one with `#[method("…")]`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(openrpc)]
trait Fan {
    #[method("tick")]
    fn count(&mut self) -> u8;
    #[notification("tick")] // wrong
    fn ticked(&mut self);
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(openrpc)]
trait Fan {
    #[method("tick")]
    fn count(&mut self) -> u8;
    #[notification("ticked")]
    fn ticked(&mut self);
}

fn main() {}
