//! Two methods whose functions in the client have one name.
//! says: `set` and `set_async` give the same names to generated code
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(client = FanClient)]
trait Fan {
    fn set(&mut self, rpm: u16);
    fn set_async(&mut self, rpm: u16); // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(client = FanClient)]
trait Fan {
    fn set(&mut self, rpm: u16);
    #[method("set_async")]
    fn set_later(&mut self, rpm: u16);
}

fn main() {}
