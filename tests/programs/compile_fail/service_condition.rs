//! A method that only some builds have.
//! says: declare a second service for the conditional ones, and put the condition on its trait
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    #[cfg(debug_assertions)] // wrong
    fn set(&mut self, rpm: u16);
}

#[cfg(feature = "advised")]
#[cfg(debug_assertions)]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, rpm: u16);
}

fn main() {}
