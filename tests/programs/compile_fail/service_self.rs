//! A result that only the server knows.
//! says: a peer does not know `Self`: write the name of the type
#![allow(dead_code)]
#[derive(serde::Serialize)]
struct Speed(u16);

#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn copy(&self) -> Self; // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn copy(&self) -> Speed;
}

fn main() {}
