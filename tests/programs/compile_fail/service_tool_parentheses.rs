//! A hint in parentheses.
//! says: write `read_only` or `read_only = false`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(mcp)]
trait Fan {
    #[tool(read_only(true))] // wrong
    fn speed(&self) -> u16;
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(mcp)]
trait Fan {
    #[tool(read_only = true)]
    fn speed(&self) -> u16;
}

fn main() {}
