//! A struct as a text.
//! says: `Speed` is no part of a text
//! says: wrap a value that implements `Display`
#![allow(dead_code)]
#[derive(serde::Serialize, nanojsonrpc::Schema)]
struct Speed {
    rpm: u16,
}

#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(mcp)]
trait Fan {
    #[tool(text)]
    fn speed(&self) -> Speed; // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(mcp)]
trait Fan {
    fn speed(&self) -> Speed;
}

fn main() {}
