//! A hint for tools where there are none.
//! says: `#[tool]` has an effect on MCP tools only
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    #[tool(read_only)] // wrong
    fn speed(&self) -> u16;
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn speed(&self) -> u16;
}

fn main() {}
