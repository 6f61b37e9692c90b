//! A tool without hints.
//! says: each method is a tool already: write hints, as in `#[tool(read_only)]`, or remove the attribute
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(mcp)]
trait Fan {
    #[tool] // wrong
    fn speed(&self) -> u16;
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(mcp)]
trait Fan {
    fn speed(&self) -> u16;
}

fn main() {}
