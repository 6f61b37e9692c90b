//! A title of a method.
//! says: put `#[schema]` on a param, a field, a variant or a type: a doc comment describes a method
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(mcp)]
trait Fan {
    #[schema(title = "Speed")] // wrong
    fn speed(&self) -> u16;
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(mcp)]
trait Fan {
    /// Speed.
    fn speed(&self) -> u16;
}

fn main() {}
