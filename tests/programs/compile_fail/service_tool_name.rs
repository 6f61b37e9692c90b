//! A method name that clients of MCP do not know how to call.
//! says: `$_speed` is not a valid tool name: a tool name has up to 64 ASCII letters, digits, `_` and `-`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(mcp)]
trait Fan {
    #[method("$/speed")] // wrong
    fn speed(&self) -> u16;
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(mcp)]
trait Fan {
    #[method("fan/speed")]
    fn speed(&self) -> u16;
}

fn main() {}
