//! A hint with a text.
//! says: write `read_only` or `read_only = false`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(mcp)]
trait Fan {
    #[tool(read_only = "yes")] // wrong
    fn speed(&self) -> u16;
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(mcp)]
trait Fan {
    #[tool(read_only)]
    fn speed(&self) -> u16;
}

fn main() {}
