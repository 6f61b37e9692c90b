//! Two names of one notification.
//! says: the method has two names: write `#[notification]` without a name, or remove `#[method]`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    #[method("stalled")]
    #[notification("halted")] // wrong
    fn stalled(&mut self);
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    #[method("stalled")]
    #[notification]
    fn stalled(&mut self);
}

fn main() {}
