//! The description of a tool as a hint.
//! says: the hints of a tool are `read_only`, `destructive`, `idempotent` and `open_world`
//! says: its description is the doc comment of the method
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(mcp)]
trait Fan {
    #[tool(description = "The speed.")] // wrong
    fn speed(&self) -> u16;
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(mcp)]
trait Fan {
    /// The speed.
    fn speed(&self) -> u16;
}

fn main() {}
