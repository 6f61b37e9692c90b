//! A result of any type.
//! says: name the type of the result: the client must know which type to read
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn speed(&self) -> Option<impl serde::Serialize>; // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn speed(&self) -> Option<u16>;
}

fn main() {}
