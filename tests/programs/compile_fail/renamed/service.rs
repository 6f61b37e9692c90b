//! A service in a program that has renamed this crate.
//! says: nanojsonrpc
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[rpc::service(client = FanClient, mcp, openrpc)] // wrong
trait Fan {
    fn set(&mut self, rpm: u16, why: Option<&str>) -> Result<u16, rpc::ErrorObject<'static>>; // wrong
}

#[cfg(feature = "advised")]
#[rpc::service(crate = rpc, client = FanClient, mcp, openrpc)]
trait Fan {
    fn set(&mut self, rpm: u16, why: Option<&str>) -> Result<u16, rpc::ErrorObject<'static>>;
}

fn main() {}
