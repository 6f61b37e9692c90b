//! An argument that the attribute does not know.
//! says: a service takes `prefix = "fan."`, `service = FanService`, `client = FanClient`, `by_position`, `mcp`, `openrpc`, `checked` and `crate = path`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(name = "fan")] // wrong
trait Fan {
    fn set(&mut self, rpm: u16);
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(prefix = "fan.")]
trait Fan {
    fn set(&mut self, rpm: u16);
}

fn main() {}
