//! A listener to notifications with typed params, without serde.
//! says: a listener takes `&mut C` or `(&mut C, Params<'_>)`
//! says: typed params, `(a, b): (i64, i64)`, need the feature `serde`
#![allow(dead_code)]
use nanojsonrpc::{Params, Router};

struct Board {
    level: u8,
}

#[cfg(not(feature = "advised"))]
fn main() {
    let _ = Router::new().notification("set", |board: &mut Board, (level,): (u8,)| board.level = level); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let _ = Router::new().notification("set", |board: &mut Board, _: Params<'_>| board.level = 1);
}
