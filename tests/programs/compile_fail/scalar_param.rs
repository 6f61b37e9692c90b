//! Params that are neither an object nor an array: JSON-RPC has no other params.
//! says: structured::ObjectOrArray<_>` found
//! says: OneParamNeedsATuple
#![allow(dead_code)]
use nanojsonrpc::Router;

struct Board {
    level: u64,
}

#[cfg(not(feature = "advised"))]
fn main() {
    let _ = Router::new().request("set", |board: &mut Board, level: u64| Ok(core::mem::replace(&mut board.level, level))); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let set = |board: &mut Board, (level,): (u64,)| Ok(core::mem::replace(&mut board.level, level));
    let _ = Router::new().request("set", set);
}
