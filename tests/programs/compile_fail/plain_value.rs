//! A plain value instead of a `Result`.
//! says: a handler does not return `u8`
//! says: a handler returns a `Result`: end it with `Ok(value)`
#![allow(dead_code)]
use nanojsonrpc::Router;

struct Board {
    level: u8,
}

#[cfg(not(feature = "advised"))]
fn main() {
    let _ = Router::new().request("level", |board: &mut Board| board.level); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let _ = Router::new().request("level", |board: &mut Board| Ok(board.level));
}
