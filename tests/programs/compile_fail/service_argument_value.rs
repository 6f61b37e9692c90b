//! A value for an argument that has none.
//! says: write `mcp` alone
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(mcp = true)] // wrong
trait Fan {
    fn speed(&self) -> u16;
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(mcp)]
trait Fan {
    fn speed(&self) -> u16;
}

fn main() {}
