//! A param with a part that a message cannot lend for so long.
//! says: a param borrows from the message, which does not live for `'static`
//! says: or `'_`, as in `Label<'_>`
#![allow(dead_code)]
#[derive(serde::Deserialize)]
struct Label<'a> {
    text: &'a str,
}

#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn rename(&mut self, label: Label<'static>); // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn rename(&mut self, label: Label<'_>);
}

fn main() {}
