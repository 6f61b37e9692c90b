//! A method of any type.
//! says: a method of a service has no generic parameters but lifetimes: serde reads and writes exactly the types in its declaration
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn set<'p, T: serde::Deserialize<'p>>(&mut self, rpm: T); // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn set<'p>(&mut self, name: &'p str, rpm: u16) -> Result<&'p str, (nanojsonrpc::ErrorCode, &'p str)>;
}

fn main() {}
