//! A handler of requests with typed params, without serde.
//! says: a handler takes `&mut C`, `(&mut C, Params<'_>)` or `(&mut C, Params<'_>, Reply<'_>)`
//! says: `|board: &mut Board, params: Params<'_>|`
//! says: typed params, `(a, b): (i64, i64)`, need the feature `serde`
#![allow(dead_code)]
use nanojsonrpc::{ErrorObject, Params, Router};

struct Board {
    level: u8,
}

#[cfg(not(feature = "advised"))]
fn main() {
    let _ = Router::new().request("add", |board: &mut Board, (by,): (u8,)| Ok(board.level.wrapping_add(by))); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let _ = Router::new().request("add", |board: &mut Board, params: Params<'_>| {
        let by = params.element(0).and_then(|by| by.as_i64()).ok_or(ErrorObject::INVALID_PARAMS)?;
        Ok(by.wrapping_add(board.level.into()))
    });
}
