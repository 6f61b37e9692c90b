//! An `async` handler of requests with typed params, without serde.
//! says: a handler takes `&mut C`, `(&mut C, Params<'_>)` or `(&mut C, Params<'_>, Reply<'_>)`
//! says: typed params, `(a, b): (i64, i64)`, need the feature `serde`
#![allow(dead_code)]
use nanojsonrpc::{Params, Router};

struct Board {
    level: u8,
}

#[cfg(not(feature = "advised"))]
fn main() {
    let _ =
        Router::new().request_async("add", async |board: &mut Board, (by,): (u8,)| Ok(board.level.wrapping_add(by))); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let _ = Router::new().request_async("add", async |board: &mut Board, _: Params<'_>| Ok(board.level));
}
