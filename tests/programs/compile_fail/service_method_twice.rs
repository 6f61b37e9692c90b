//! Two names of one method.
//! says: `#[method]` is given twice: remove one
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    #[method("set")]
    #[method("put")] // wrong
    fn set_speed(&mut self, rpm: u16);
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    #[method("set")]
    fn set_speed(&mut self, rpm: u16);
}

fn main() {}
