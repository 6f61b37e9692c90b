//! A param that a message cannot lend for so long.
//! says: a param borrows from the message, which does not live for `'static`: write `&` alone, as in `&str`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn rename(&mut self, name: &'static str); // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn rename(&mut self, name: &str);
}

fn main() {}
