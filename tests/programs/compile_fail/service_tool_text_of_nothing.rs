//! A text of a method without a result.
//! says: a method without a result cannot answer with a text: remove `text`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(mcp)]
trait Fan {
    #[tool(text)] // wrong
    fn stop(&mut self);
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(mcp)]
trait Fan {
    fn stop(&mut self);
}

fn main() {}
