//! A trait object as a param.
//! says: serde cannot read a trait object: write the type of the param
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn rename(&mut self, name: &dyn core::fmt::Display); // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn rename(&mut self, name: &str);
}

fn main() {}
