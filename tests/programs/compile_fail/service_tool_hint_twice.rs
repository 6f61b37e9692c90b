//! A hint that is given twice.
//! says: `read_only` is given twice: remove one
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(mcp)]
trait Fan {
    #[tool(
        read_only,
        read_only = false, // wrong
    )]
    fn speed(&self) -> u16;
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(mcp)]
trait Fan {
    #[tool(read_only)]
    fn speed(&self) -> u16;
}

fn main() {}
