//! A method for some services only.
//! says: a method has no bound on `Self`, because peers call every method of a service: put the bound on the trait, as in `trait Fan: Sized`
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
