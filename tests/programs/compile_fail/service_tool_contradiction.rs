//! Two hints that contradict each other.
//! says: a tool that only reads destroys nothing: remove `read_only` or `destructive`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(mcp)]
trait Fan {
    #[tool(read_only, destructive)] // wrong
    fn erase(&mut self);
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(mcp)]
trait Fan {
    #[tool(destructive)]
    fn erase(&mut self);
}

fn main() {}
