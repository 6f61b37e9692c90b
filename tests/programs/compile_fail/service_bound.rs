//! A method for some services only.
//! says: a peer calls each method of each service, so a method has no bound on `Self`: put it on the trait, as in `trait Fan: Sized`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn reset(&self)
    where
        Self: Sized; // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan: Sized {
    fn reset(&self);
}

fn main() {}
