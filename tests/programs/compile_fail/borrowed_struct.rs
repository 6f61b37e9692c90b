//! A borrowed struct as the argument of a closure. The sentence is the compiler's own; the docs of `Handler` explain it.
//! says: implementation of `Deserialize` is not general enough
#![allow(dead_code)]
use nanojsonrpc::{Params, Router};

struct Board {
    level: u8,
}

#[derive(serde::Deserialize)]
struct Query<'a> {
    name: &'a str,
}

#[cfg(not(feature = "advised"))]
fn main() {
    let _ = Router::new().request("find", |_: &mut Board, query: Query<'_>| Ok(query.name.len())); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let _ =
        Router::new().request("find", |_: &mut Board, params: Params<'_>| Ok(params.read::<Query<'_>>()?.name.len()));
}
