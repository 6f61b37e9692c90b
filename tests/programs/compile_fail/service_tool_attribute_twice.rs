//! Hints in two attributes.
//! says: `#[tool]` is given twice: remove one
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(mcp)]
trait Fan {
    #[tool(read_only)]
    #[tool(idempotent)] // wrong
    fn speed(&self) -> u16;
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(mcp)]
trait Fan {
    #[tool(read_only, idempotent)]
    fn speed(&self) -> u16;
}

fn main() {}
