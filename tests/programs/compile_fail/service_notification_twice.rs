//! A notification that is marked twice.
//! says: `#[notification]` is given twice: remove one
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    #[notification]
    #[notification("stalled")] // wrong
    fn stalled(&mut self);
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    #[notification("stalled")]
    fn stalled(&mut self);
}

fn main() {}
